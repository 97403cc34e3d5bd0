"""JSON exactly as the standard has it: no name twice in an object, no NaN. Pure."""

import json
from typing import Any


def loads(text: str | bytes) -> Any:
    """Raises ValueError."""
    return json.loads(text, object_pairs_hook=without_repeats, parse_constant=refuse)


def value_at(text: str, start: int) -> tuple[Any, int]:
    """The value that begins there, whatever follows, and where it ends. Raises ValueError."""
    return DECODER.raw_decode(text, start)


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


DECODER = json.JSONDecoder(object_pairs_hook=without_repeats, parse_constant=refuse)
