"""What took the place of law that is quoted: which words of it are, and whether before or behind it."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date

from retrieval.access.caller import Caller
from retrieval.answers.passages import passages_at
from retrieval.answers.questions import says_beside
from retrieval.answers.selection import (
    OF_CASES,
    Passage,
    Scored,
    codes,
    features,
    is_named,
    scored,
    telling_overruling,
    to_the_point,
    words_of,
)
from retrieval.answers.standing import ended_by
from retrieval.corpus import history
from retrieval.corpus.history import OVERRULED, Change, is_within
from retrieval.text.normalization import fold

# A unit that only says that another decision was overruled: "The law was upheld and Adkins was overruled."
_ONLY_OVERRULED = re.compile(r"(?:\S+\s){1,9}(?:was|were|is|are)\s(?:\w+\s)?overruled(?:\s(?:on|to)\sthat\s\w+)?\.?")
_OVERRULES = re.compile(r"\boverrul(?:e|es|ing)\b|\boverruled\s(?:by|in)\b|\b(?:anula|revoca|anulo|revoco)\b")
SAID_AGAIN, TOLD_OF = 0.8, 0.4  # of the words of a sentence, those that the law that changed it has too


@dataclass(frozen=True, slots=True)
class Asked:
    """The `question` in the law's language, its `text` as it was typed, of which day, and by whom."""

    question: str
    text: str
    day: date | None
    caller: Caller


def with_what_ended(
    chosen: Sequence[Scored], read: Sequence[Passage], found: dict, asked: Asked
) -> list[Scored]:
    """Before what is no longer law stands what ended it, where that is here; behind it where the question names it and
    does not ask what overruled it.
    """
    whole: list[Scored] = []
    told = overruling(found["results"])
    named = {one["rank"] for one in found["results"] if is_named(one) and not told}
    for one in chosen:
        change = ended_by(one.passage, asked.day)
        successor = change and successor_of(change, chosen, read, found, asked)
        pair = [one, successor] if one.passage.rank in named else [successor, one]
        whole += [each for each in pair if each and each not in whole]
    return whole


def as_changed(read: Sequence[Passage], found: dict, day: date | None) -> list[Passage]:
    """Without what was changed by law that the search puts before it, unless the question names it: senators are no
    longer "chosen by the Legislature".
    """
    named = {one["rank"] for one in found["results"] if is_named(one)}
    return [one for one in read if one.rank in named or not is_behind_its_change(one, read, day)]


def in_new_words(chosen: Sequence[Scored], found: dict, asked: Asked) -> list[Scored]:
    """What a later law says again in nearly the same words is quoted from there: "two Senators from each State" is said
    of those whom the people elect. Else it stands before what it changed, where it tells of the same and has as many
    words of the question. What the question names is left as it is.
    """
    named = {one["rank"] for one in found["results"] if is_named(one)}
    quoted: dict[tuple, Scored] = {}
    for one in chosen:
        kept = [one] if one.passage.rank in named else with_what_changed(one, found, asked)
        quoted |= {(each.passage.section, each.unit.start): each for each in kept}
    return list(quoted.values())


def with_what_changed(one: Scored, found: dict, asked: Asked) -> list[Scored]:
    beside = says_beside(asked.text)
    new = [
        (passage, each)
        for place in changing_law(one.passage, asked.day)
        for passage in passages_at(place, found["results"], asked.caller, asked.day)
        for each in to_the_point(words_of(passage), beside)
    ]
    if not new:
        return [one]
    old = next(each for each in words_of(one.passage) if each.unit == one.unit)
    least, *covered = (row["covered"] for row in features(asked.question, asked.text, [(one.passage, old), *new]))
    said = [len(old.own & each.own) / (len(old.own) or 1) for _, each in new]
    again = max(said) >= SAID_AGAIN
    left = [n for n in range(len(new)) if again or (covered[n] >= least and said[n] >= TOLD_OF)]
    if not left:
        return [one]
    passage, each = new[max(left, key=said.__getitem__)]
    instead = replace(one, passage=passage, unit=each.unit)
    return [instead] if again else [instead, one]


def changing_law(passage: Passage, day: date | None) -> list[str]:
    """What had changed a provision by that day, the last one last."""
    made = history.standing(passage.locator, day).made
    return [c.by for c in made if c.effect == "changed" and is_within(passage.locator, c.provision)]


def is_behind_its_change(passage: Passage, read: Sequence[Passage], day: date | None) -> bool:
    before = [one.locator for one in read if one.rank < passage.rank]
    return any(is_within(locator, by) for locator in before for by in changing_law(passage, day))


def successor_of(
    change: Change, chosen: Sequence[Scored], read: Sequence[Passage], found: dict, asked: Asked
) -> Scored | None:
    """Of what ended a provision the words that are quoted already, else those that answer best."""
    if quoted := next((one for one in chosen if is_within(one.passage.locator, change.by)), None):
        return quoted
    others = [one for one in read if not is_within(one.locator, change.by)]
    new = passages_at(change.by, found["results"], asked.caller, asked.day)
    ranked = scored(asked.question, asked.text, [*others, *new])
    if change.effect == OVERRULED:
        ranked = telling_overruling(ranked, lambda passage: passage in new)
    else:
        ranked = without_mere_overrulings(ranked, asked.text, ())
    return next((one for one in ranked if one.passage in new), None)


def without_mere_overrulings(ranked: Sequence[Scored], asked: str, told: Collection[int]) -> list[Scored]:
    """Without what only says of a decision that it overruled another, where that is neither asked nor named, and it is
    none of those (by rank) that the search `told` to have overruled what the question names.
    """
    folded = fold(asked)

    def is_beside(one: Scored) -> bool:
        said = one.passage.text[one.unit.start : one.unit.end].strip()
        names = re.findall(r"[A-Z]\w{3,}", said)
        is_one = one.passage.locator.startswith(OF_CASES) and _ONLY_OVERRULED.fullmatch(said)
        return bool(is_one) and one.passage.rank not in told and not any(fold(name) in folded for name in names)

    return list(ranked) if _OVERRULES.search(folded) else [one for one in ranked if not is_beside(one)] or list(ranked)


def overruling(results: Sequence[dict]) -> set[int]:
    """The ranks of what the search tells to have overruled what the question names."""
    return {one["rank"] for one in results if f"{OVERRULED}_it" in codes(one)}


def decisions_asked_of(results: Sequence[dict]) -> list[dict]:
    """The decisions that a question names, but for those that are named as what overtook another."""
    named = [one for one in results if one["locator"].startswith(OF_CASES) and "citation" in codes(one)]
    by = {change.by for one in named for change in history.concerning(one["locator"])}
    return [one for one in named if one["locator"] not in by]
