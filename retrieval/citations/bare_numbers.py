"""Sections that everybody calls by a number alone: "section 1983", "rule 10b-5", "§ 922(g)". Pure."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

BARE_NUMBERS = Path(__file__).parents[1] / "corpora" / "bare_numbers.json"


@cache
def known() -> Mapping[str, str]:
    """Locators, by the number in small letters."""
    written = json.loads(BARE_NUMBERS.read_text(encoding="utf-8"))
    lower = {number.lower(): locator for number, locator in written.items()}
    return {number.replace("-", ""): locator for number, locator in lower.items()} | lower  # "10b5"


@cache
def _any_known() -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(map(re.escape, known()))})(?![a-z0-9])")


def is_known_at(folded: str, start: int) -> bool:
    return bool(_any_known().match(folded, start))
