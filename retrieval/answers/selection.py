"""Which units of the found provisions answer the question: features of each, weighed by `weights.json`. Pure."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from retrieval.answers.questions import (
    AMOUNTS,
    asked_amounts,
    asked_for,
    asks_of_opinions,
    fits,
    given,
    says_beside,
)
from retrieval.answers.units import OPENS_LIST, Span, Unit, breaks_off, units
from retrieval.citations.reporters import CASE, UNITED_STATES_REPORTS
from retrieval.ranking import EXACT
from retrieval.text.analyzer import stems, stop_stems, terms
from retrieval.text.normalization import fold
from retrieval.text.separate_opinions import separate_opinions
from retrieval.text.snippets import function_stems

REMEMBERED = 64  # texts of public law whose words are kept in memory: up to 400 kB each
WEIGHTS = Path(__file__).with_name("weights.json")
PROVISIONS = 3  # found ones that are read: a fourth answers what these do not in few questions
OF_CASES = (UNITED_STATES_REPORTS, CASE)
EARLY = 400  # characters: a unit that begins so far into its provision is half as early as the first
FEATURES = (
    "covered", "covered_rare", "covered_heading", "pairs", "density", "fits", "passage", "probability", "first_result",
    "later_result", "early", "length", "is_list", *AMOUNTS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Passage:
    """What is read of one found provision: `text` begins at `offset` of its whole text. `found` is the place that the
    search shows, in the whole text; `rank` and `probability` are the search's. `is_leaf`: no other provision is below;
    `amended`: a later text took its place; `is_summary`: of a decision, not the Court's words; `is_separate`: what a
    Justice wrote apart from the Court.
    """

    section: int
    locator: str
    citation: str
    text: str
    offset: int
    rank: int
    probability: float
    language: str
    found: tuple[int, int]
    heading: str = ""
    private: bool = False
    is_leaf: bool = True
    valid_from: date | None = None
    valid_to: date | None = None
    status: str = ""
    amended: bool = False
    is_summary: bool = False
    is_separate: bool = False


@dataclass(frozen=True, slots=True)
class Scored:
    """A unit of a passage, and the probability that it answers the question, given that a unit read does."""

    passage: Passage
    unit: Unit
    probability: float

    @property
    def start(self) -> int:
        """Where the unit begins in the whole text of the provision."""
        return self.passage.offset + self.unit.start


@dataclass(frozen=True, slots=True)
class Read:
    """A unit with its words: stems of the unit itself and of what frames it, and its folded text. `is_separate`: a
    summary tells there what a Justice wrote apart from the Court.
    """

    unit: Unit
    own: frozenset[str]
    framed: frozenset[str]
    headings: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    folded: str
    is_separate: bool = False


def read(text: str, language: str, *, is_summary: bool) -> tuple[Read, ...]:
    """The units of a text with their words; none that breaks off."""
    found = units(text, is_summary=is_summary)
    apart = separate_opinions(text) if is_summary else ()
    return tuple(_read(text, unit, language, apart) for unit in found if not breaks_off(text, unit))


read_public = lru_cache(REMEMBERED)(read)


def _read(text: str, unit: Unit, language: str, apart: Sequence[Span]) -> Read:
    own = stems(text[unit.start : unit.end], language)
    around = [text[start:end] for start, end in (*unit.stems, *unit.after)]
    above = [text[start:end] for start, end in unit.headings]
    return Read(
        unit,
        frozenset(own),
        frozenset(stems("\n".join(around), language)).union(own),
        frozenset(stems("\n".join(above), language)),
        frozenset(pairwise(one for one in own if one not in stop_stems(language))),
        fold(text[unit.start : unit.end]),
        any(start <= unit.start < end for start, end in apart),
    )


def scored(question: str, asked: str, passages: Sequence[Passage]) -> list[Scored]:
    """The units of the passages, the likeliest first. `question` is in the law's language, `asked` as it was typed."""
    beside, opinions = says_beside(asked), asks_of_opinions(asked)
    pool = [
        (passage, one)
        for passage in passages
        for one in to_the_point(words_of(passage), beside)
        if opinions or not (passage.is_separate or one.is_separate)
    ]
    shares = probabilities(features(question, asked, pool))
    weighed = [Scored(passage, one.unit, share) for (passage, one), share in zip(pool, shares, strict=True)]
    return sorted(weighed, key=lambda one: (-one.probability, one.passage.rank, one.start))


def words_of(passage: Passage) -> tuple[Read, ...]:
    """Of a private document nothing stays in memory. Words before a list whose items are provisions of their own break
    off.
    """
    found = (read if passage.private else read_public)(
        passage.text, passage.language, is_summary=passage.is_summary
    )
    if found and not passage.is_leaf and OPENS_LIST.search(passage.text, found[-1].unit.start):
        return found[:-1]
    return found


def to_the_point(found: Sequence[Read], beside: Sequence[re.Pattern[str]]) -> Sequence[Read]:
    """Without what the law says of itself beside the question; where it says nothing else, all."""
    return [one for one in found if not any(says.match(one.folded) for says in beside)] or found


def features(question: str, asked: str, pool: Sequence[tuple[Passage, Read]]) -> list[dict[str, float]]:
    """By name, of each unit."""
    kinds, amounts = asked_for(asked), asked_amounts(asked)
    wanted = [stem for stem in terms(question, "en") if stem not in function_stems("en")] or terms(
        question, "en"
    )
    wanted_pairs = frozenset(pairwise(wanted))
    rare = rarity(wanted, [one for _, one in pool])
    return [
        _features(passage, one, wanted, wanted_pairs, rare, kinds) | given(amounts, one.folded)
        for passage, one in pool
    ]


def rarity(wanted: Sequence[str], pool: Sequence[Read]) -> Mapping[str, float]:
    """How much each word of the question tells these units apart."""
    held = Counter(stem for one in pool for stem in wanted if stem in one.framed)
    return {stem: math.log((len(pool) + 1) / (held[stem] + 0.5)) if held[stem] else 0.0 for stem in wanted}


def _features(
    passage: Passage,
    one: Read,
    wanted: Sequence[str],
    wanted_pairs: frozenset[tuple[str, str]],
    rare: Mapping[str, float],
    kinds: tuple[str, ...],
) -> dict[str, float]:
    met = [stem for stem in wanted if stem in one.own]
    framed = [stem for stem in wanted if stem in one.framed]
    above = [stem for stem in wanted if stem in one.headings]
    total = sum(rare.values()) or 1.0
    start, end = passage.found
    begins, ends = passage.offset + one.unit.start, passage.offset + one.unit.end
    return {
        "covered": len(framed) / (len(wanted) or 1),
        "covered_rare": sum(rare[stem] for stem in framed) / total,
        "covered_heading": sum(rare[stem] for stem in above) / total,
        "pairs": len(wanted_pairs & one.pairs) / (len(wanted_pairs) or 1),
        "density": len(met) / math.sqrt(len(one.own) or 1),
        "fits": fits(kinds, one.folded),
        "passage": float(begins < end and start < ends),
        "probability": passage.probability,
        "first_result": float(passage.rank == 1),
        "later_result": float(passage.rank > 2),
        "early": EARLY / (EARLY + begins),
        "length": min(len(one.own), 60) / 60,
        "is_list": float(bool(one.unit.stems)),
    }


def probabilities(rows: Sequence[Mapping[str, float]]) -> list[float]:
    """Of each unit, that it is the one that answers: a conditional logit, which adds up to 1 over the units."""
    weights = shipped_weights()["features"]
    totals = [sum(weight * row[name] for name, weight in weights.items()) for row in rows]
    most = max(totals, default=0.0)
    powers = [math.exp(total - most) for total in totals]
    whole = sum(powers)
    return [power / whole for power in powers]


def telling_overruling(ranked: Sequence[Scored], overruling: Callable[[Passage], bool]) -> list[Scored]:
    """With one unit of each decision that overruled another: that it did so, else what it holds first. What has most
    words of the question may be what it left as it was.
    """
    kept: dict[int, Scored] = {}
    for one in sorted(ranked, key=lambda one: (not says_overruled(one), one.unit.start)):
        kept.setdefault(one.passage.section, one)
    return [one for one in ranked if not overruling(one.passage) or kept[one.passage.section] is one]


def says_overruled(one: Scored) -> bool:
    return "overruled" in one.passage.text[one.unit.start : one.unit.end]


def may_answer(results: Sequence[Mapping], *, doubtful: bool) -> bool:
    """Whether the first of what a search found is probable enough to be quoted: not what the search itself holds for
    doubtful, nor below what was learned of a body of law. The question or a rule may name a place all the same.
    """
    told = judged_sum(results)
    if told is None:
        return True
    return not doubtful and told >= shipped_weights()["least"].get(results[0]["domain"], 0.0)


def asked_of(results: Sequence[Mapping]) -> list[Mapping]:
    """Where the question names a decision, what it names and what changed that or was changed by it: another decision
    is no answer. Else all.
    """
    named = any(one["locator"].startswith(OF_CASES) and "citation" in codes(one) for one in results)
    return [one for one in results if not named or is_named(one) or any(map(tells_change, codes(one)))]


def codes(result: Mapping) -> list[str]:
    return [reason["code"] for reason in result["reasons"]]


def tells_change(code: str) -> bool:
    """ "overruled_it", "repealed_by"."""
    return code.endswith(("_it", "_by"))


def judged_sum(results: Sequence[Mapping]) -> float | None:
    """What the probabilities of the first provisions add up to: how many of them are expected to be relevant. None
    where the question or a rule names one of them, or the first has no probability.
    """
    first = results[:PROVISIONS]
    if not first or any(map(is_named, first)) or first[0]["probability"] is None:
        return None
    return sum(result["probability"] or 0.0 for result in first)


def is_named(result: Mapping) -> bool:
    """Whether the question cites it, or a rule put it there."""
    return bool(result["pin"]) or any(code in EXACT for code in codes(result))


@cache
def shipped_weights() -> dict:
    return json.loads(WEIGHTS.read_text("utf-8"))
