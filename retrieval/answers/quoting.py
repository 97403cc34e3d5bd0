"""The words of law as entries of an answer, with their places."""

from collections.abc import Sequence

from retrieval.answers.selection import Passage, Scored
from retrieval.answers.spanish import GAP, Machine, beside
from retrieval.answers.units import Span


def law_item(one: Scored, pins: dict[tuple[int, int], str], language: str, machine: Machine) -> dict:
    """The words of law with their places; what frames them is cited apart where it stands apart."""
    passage, places = one.passage, places_of(one)
    return {
        "text": GAP.join(passage.text[start:end] for start, end in places),
        "kind": "law",
        "citations": [citation(passage, *place, pins.get(deepest(one, place))) for place in places],
        "verdict": "supported",  # the words are the law's own, letter by letter
        "confidence": round(one.probability, 4),
        "translation": beside(passage, places, machine) if language == "es" else None,
        "language": passage.language,
    }


def places_of(one: Scored) -> list[Span]:
    return joined(one.passage.text, one.unit.spans)


def deepest(one: Scored, place: Span) -> tuple[int, int]:
    """The section, and where in it the deepest numbered place begins that is quoted there."""
    start, end = place
    begins = one.unit.start if start <= one.unit.start < end else start
    return one.passage.section, begins


def joined(text: str, spans: Sequence[Span]) -> list[Span]:
    """Spans with nothing but blanks between them are one."""
    merged: list[Span] = []
    for start, end in spans:
        if merged and not text[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def citation(passage: Passage, start: int, end: int, pin: str | None) -> dict:
    return {
        "locator": passage.locator,
        "citation": passage.citation,
        "pin": pin,
        "quote": passage.text[start:end],
        "start": start,
        "end": end,
    }
