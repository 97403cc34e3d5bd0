"""What a brief says of decisions that overruled others, beside what is known of that. Pure but for the history that it
reads once.

"A was overruled by B", "A, overruled by B", "A, which B overruled", "B overruled A" and "B (overruling A)" say it, of
decisions that are cited or called by a short name. What ought to be, might be or was not overruled says nothing of it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain

from retrieval.briefs.citing import CASES, Cited
from retrieval.briefs.quoting import Unit
from retrieval.citations.case_names import CaseNames
from retrieval.citations.citation import Source
from retrieval.corpus import history

_MARK = "\ue000"  # around the number of a citation
# Behind a citation: its pages, other reporters of it and its year.
_BEHIND = re.compile(
    r"(?:,?\s(?:at\s)?\d{1,4}\b(?:[-–]\d{1,4})?(?!\s[A-Z])"
    r"|,\s\d{1,3}\s(?:S\.\s?Ct\.|L\.\s?Ed\.(?:\s?2d)?)\s\d{1,4})*(?:\s\([^()]{0,40}\d{4}\))?,?"
)
_SUPPOSED = re.compile(r"\A(?:If|Whether|Unless|Until|Si)\s")
_NAME = r"[A-Z][\w.'’&-]*(?:\s[A-Z][\w.'’&-]*){0,4}"
_ADVERBS = r"(?:(?:later|since|now|also|itself|then|expressly|[a-z]{3,12}ly|después|luego)\s)*"
_WAS = r"(?:(?:has|have|had)\s(?:\w+ly\s|since\s|now\s|also\s)?been|was|were|is|are|fue|ha\ssido|había\ssido)\s"
_GONE = r"(?:overruled|overturned|(?:no\slonger|not)\sgood\slaw|anulad[oa]|revocad[oa]|dejad[oa]\ssin\sefecto)"
_OVERRULED = r"(?:overruled|overrules|overruling|overturned|overturns|overturning|anuló|revocó|anula|revoca|anulando)"
_PARTLY = r"(?:\s(?:in\s(?:relevant\s)?part|on\sother\sgrounds|as\sto\s\w+|sub\ssilentio|en\sparte))?"
_OF = r"(?:\s(?:the|this|that|its|our|own|earlier|prior|Court(?:['’]s)?|decisions?|holdings?|rules?|of|in|a|la|el))*"


def _decision(group: str) -> str:
    return rf"(?:{_MARK}(?P<{group}>\d+){_MARK}|(?P<{group}_called>{_NAME}))"


_IF = r"(?<!if )(?<!whether )(?<!unless )(?<!until )(?<!If )(?<!Whether )(?<!Unless )(?<!si )"
_THEN = rf",?\s\(?(?:(?:which|that|and|but|que|y)\s)?{_ADVERBS}"
_ALONE = re.compile(
    rf"{_IF}{_decision('old')}{_THEN}{_WAS}{_ADVERBS}{_GONE}\b(?!{_PARTLY},?\s(?:by|por)\s(?!(?:the|this)\s(?:Supreme\s)?Court\b))"
)
_BY = re.compile(
    rf"{_IF}{_decision('old')}{_THEN}(?:{_WAS}{_ADVERBS})?{_GONE}{_PARTLY},?\s(?:by|in|por|en){_OF}\s{_decision('new')}"
)
_WHICH = re.compile(rf"{_decision('old')},?\s(?:which|that|que)\s{_decision('new')},?\s{_ADVERBS}{_OVERRULED}\b")
_ACTIVE = re.compile(rf"{_decision('new')},?\s\(?{_ADVERBS}{_OVERRULED}{_PARTLY}{_OF}\s{_decision('old')}")


@dataclass(frozen=True, slots=True)
class Overruling:
    """A decision that is said to be overruled, by which other where that is told; `at`: whose citation that is."""

    at: int
    old: str
    new: str = ""

    def is_known(self, day: date) -> bool:
        """Whether it is known to be so; that later law departs from a decision is often called so, too."""
        made = history.standing(self.old, day).made
        by = [change.by for change in made if change.effect in history.OVERTAKEN]
        return bool(by) and (not self.new or self.new in by)


def untrue_overrulings(
    text: str, among: Sequence[Unit], cited: Sequence[Cited], names: CaseNames | None, day: date
) -> set[int]:
    """The citations of which a sentence tells that a decision was overruled, or overruled another, and nothing known
    here bears it out.
    """
    called = names.proper if names else {}
    told = (one for unit in among for one in overrulings(text, unit, cited, called))
    return {one.at for one in told if not one.is_known(day)}


def overrulings(text: str, unit: Unit, cited: Sequence[Cited], called: Mapping[str, str]) -> Iterator[Overruling]:
    """What a sentence says of this; `called`: locators by short names, folded."""
    said = with_marks(text, unit, cited)
    if _MARK not in said:
        return
    for match in _ALONE.finditer(said):
        at, old = of_match(match, "old", cited, called)
        if at is not None:
            yield Overruling(at, old)
    for match in chain(*(pattern.finditer(said) for pattern in (_BY, _WHICH, _ACTIVE))):
        (at, old), (by, new) = (of_match(match, group, cited, called) for group in ("old", "new"))
        place = by if at is None else at
        if old and new and place is not None:
            yield Overruling(place, old, new)


def of_match(
    match: re.Match[str], group: str, cited: Sequence[Cited], called: Mapping[str, str]
) -> tuple[int | None, str]:
    """The number of the citation and what it leads to, the last alone of a short name; none of what is no decision."""
    if match[group]:
        return int(match[group]), cited[int(match[group])].locator
    name = match[f"{group}_called"] or ""
    return None, called.get(Source.of(name.rstrip(".,")).folded.replace("’", "'"), "")


def with_marks(text: str, unit: Unit, cited: Sequence[Cited]) -> str:
    """A sentence with a mark in place of each decision that it cites, its name, pages and year included."""
    pieces, reached = [], unit.start
    inside = [(cited[n], n) for n in unit.citations if n < len(cited) and unit.start <= cited[n].start < unit.end]
    for one, number in inside:
        if one.locator.startswith(CASES):
            name = _SUPPOSED.sub("", one.name)
            begins = text.rfind(name, reached, one.start) if name else one.start
            begins = one.start if begins < 0 else begins
            pieces += [text[reached:begins], f"{_MARK}{number}{_MARK}"]
            reached = _BEHIND.match(text, one.end).end()
    return " ".join("".join([*pieces, text[reached : unit.end]]).split())
