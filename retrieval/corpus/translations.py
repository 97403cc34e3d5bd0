"""Our own translations of law, which are not official: shown beside the words that are law, never instead of them.
Reads `corpora/us_constitution_es.jsonl`, once.
"""

import hashlib
import json
from functools import cache
from pathlib import Path

FILE = Path(__file__).parents[1] / "corpora" / "us_constitution_es.jsonl"
LANGUAGE = "es"


def translation(locator: str, text: str) -> list[str]:
    """The paragraphs of a provision's Spanish text; none where there is none, or where it was made of other words."""
    of, translated = _all().get(locator, ("", ""))
    return translated.split("\n") if of and of == digest(text) else []


def digest(text: str) -> str:
    """Names the words that a translation was made of, whatever their lines."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]


@cache
def _all() -> dict[str, tuple[str, str]]:
    rows = map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
    return {row["locator"]: (row["of"], row["text"]) for row in rows}
