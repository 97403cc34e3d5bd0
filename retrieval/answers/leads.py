"""What is said above the law that is quoted, in our words: what curators call it, and what became of a decision."""

from collections.abc import Sequence
from datetime import date

from retrieval.answers.questions import asks_of_standing
from retrieval.answers.selection import Scored
from retrieval.answers.standing import UNMARKED, told_of_decision
from retrieval.answers.successors import decisions_asked_of
from retrieval.corpus import history


def lead_items(found: dict, best: Scored, language: str) -> list[dict]:
    """What curators call the provision, which is not law."""
    result = next((one for one in found["results"] if one["rank"] == best.passage.rank), None)
    name = result and (result["plain_name_es"] if language == "es" else result["plain_name"])
    if not name:
        return []
    return [lead_of(name, result, language)]


def lead_of(text: str, result: dict, language: str) -> dict:
    named = {name: result[name] for name in ("locator", "citation")}
    cited = named | {"pin": None, "quote": "", "start": 0, "end": 0}
    lead = {"text": text, "kind": "lead", "citations": [cited], "verdict": "not_a_claim"} | UNMARKED
    return lead | {"confidence": None, "translation": None, "language": language}


def standing_leads(found: dict, chosen: Sequence[Scored], language: str, day: date | None) -> list[dict]:
    """What became of the decisions that a question of this names; none where a summary alone tells of it."""
    if not asks_of_standing(found["query"]["text"]):
        return []
    by_summary = {one.passage.locator for one in chosen if one.passage.status == history.DEPARTED}
    return [
        lead_of(told_of_decision(one["title"], one["locator"], day, language), one, language)
        for one in decisions_asked_of(found["results"])
        if one["locator"] not in by_summary
    ]
