"""Words that mean the same in law: plain and legal English, and Spanish. Pure.

Each line of same_words.txt is a group: English words, a bar, Spanish words.
"""

from functools import cache
from pathlib import Path

from retrieval.text.analyzer import stems

FILE = Path(__file__).with_name("same_words.txt")


@cache
def _groups() -> dict[tuple[str, str], str]:
    """(language, stem) to the group's name, which is its first English stem. A word in two groups is in the first."""
    found: dict[tuple[str, str], str] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        english, _, spanish = line.partition("|")
        name = stems(english, "en")[0]
        for language, said in (("en", english), ("es", spanish)):
            for stem in stems(said, language):
                found.setdefault((language, stem), name)
    return found


def meaning(stem: str, language: str) -> str:
    return _groups().get((language, stem), stem)
