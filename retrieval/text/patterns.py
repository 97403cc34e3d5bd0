"""Files of patterns: sections, `[name]`, of one regular expression a line. They are matched against folded text, which
has no capitals and accents.
"""

from collections import defaultdict
from pathlib import Path


def sections(path: Path) -> dict[str, str]:
    """The alternatives of each section as one expression."""
    found: dict[str, list[str]] = defaultdict(list)
    name = ""
    for line in filter(None, path.read_text().splitlines()):
        if line.startswith("[") and line.endswith("]") and line[1:-1].isidentifier():
            name = line[1:-1]
        else:
            found[name].append(line)
    return {name: f"(?:{'|'.join(alternatives)})" for name, alternatives in found.items()}
