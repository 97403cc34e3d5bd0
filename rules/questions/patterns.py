"""Patterns of what is decided before a search, read from the text files beside this module. Pure but for that.

A file has sections, `[name]`, of one regular expression a line; the expressions of a section are alternatives. They are
matched against folded text, without capitals and accents.
"""

from collections import defaultdict
from pathlib import Path


def sections(filename: str) -> dict[str, str]:
    """The alternatives of each section as one expression."""
    lines = (Path(__file__).parent / filename).read_text().splitlines()
    found: dict[str, list[str]] = defaultdict(list)
    name = ""
    for line in filter(None, lines):
        if line.startswith("[") and line.endswith("]") and line[1:-1].isidentifier():
            name = line[1:-1]
        else:
            found[name].append(line)
    return {name: f"(?:{'|'.join(alternatives)})" for name, alternatives in found.items()}
