"""Which units of the found provisions answer the question: features of each, weighed by `weights.json`. Pure."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Protocol

from cachetools import LRUCache

from retrieval.answers.editions import Edition
from retrieval.answers.questions import (
    AMOUNTS,
    asked_amounts,
    asked_for,
    asks_of_opinions,
    asks_of_separate,
    fits,
    given,
    is_asked_for,
    says_beside,
)
from retrieval.answers.units import LEADS_IN, Span, Unit, Window, breaks_off, in_columns, key_of, units
from retrieval.citations.reporters import CASE, UNITED_STATES_REPORTS
from retrieval.ranking import EXACT
from retrieval.text.analyzer import stems, stop_stems, terms
from retrieval.text.language import detect
from retrieval.text.normalization import fold
from retrieval.text.question_parts import own_words
from retrieval.text.separate_opinions import separate_opinions
from retrieval.text.snippets import function_stems

REMEMBERED = 64  # passages of public law whose words are kept in memory: up to 400 kB each
WEIGHTS = Path(__file__).with_name("weights.json")
PROVISIONS = 3  # found ones that are read: a fourth answers what these do not in few questions
OF_CASES = (UNITED_STATES_REPORTS, CASE)
EARLY = 400  # characters: a unit that begins so far into its provision is half as early as the first
FEATURES = (
    "covered", "covered_rare", "covered_heading", "pairs", "density", "fits", "passage", "probability", "first_result",
    "later_result", "early", "length", "is_list", *AMOUNTS,
)  # fmt: skip
OF_CLOSE = ("before", "log_odds")  # of units that come close to the best: what was known of them, and the ranker's
POINTED = 4.0  # what a unit gains that all names point to; from 3 to 5 nothing changes
CLOSE = 0.05  # of the best one's probability
RANKED_AGAIN = 6  # units at most
NEARLY = 0.02  # of the best one's probability that another must have to be quoted with it
REPEATED = 0.1  # of its probability is left to what another part of the question is answered by


@dataclass(frozen=True, slots=True)
class Passage:
    """A found provision. `windows` are what is read of its `text`, in order, all where there are none;
    `found` is the place that the search shows; `rank` and `probability` are the search's. `is_leaf`: no other provision
    is below; `amended`: a later text took its place; `withdrawn`: it ended with its whole document; `is_summary`: of a
    decision, not the Court's words; `is_separate`: what a Justice wrote apart from the Court. `result` is the locator
    of what the search found: this, or what it is a part of; `scopes` are those of what it stands in, outermost first,
    and its own.
    """

    section: int
    locator: str
    citation: str
    text: str
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
    withdrawn: bool = False
    is_summary: bool = False
    is_separate: bool = False
    domain: str = ""
    result: str = ""
    windows: tuple[Window, ...] = ()
    scopes: tuple[str, ...] = ()
    edition: Edition | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """A unit of a passage, and the probability that it answers the question, given that a unit read does."""

    passage: Passage
    unit: Unit
    probability: float


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
    key: int
    is_separate: bool = False


_read_before: LRUCache[tuple, tuple[Read, ...]] = LRUCache(REMEMBERED)
_lock = Lock()
_tried: ContextVar[dict | None] = ContextVar("weights that are measured", default=None)

Pool = Sequence[tuple[Passage, Read]]
Shares = Mapping[int, float]  # by the key of a unit


class Place(NamedTuple):
    """Where names are looked for. `rank` is the result's: names of all that is read of it are taken together."""

    rank: int
    domain: str
    locator: str


class Wanted(NamedTuple):
    """The words of a question, their pairs, and how much each tells the units read apart."""

    words: Sequence[str]
    pairs: frozenset[tuple[str, str]]
    rare: Mapping[str, float]


class Meaning(Protocol):
    """What a question means, beside its words."""

    def pointed(self, places: Iterable[Place]) -> Mapping[int, Shares]:
        """By rank, the shares of the curated names near to the question that point to a unit."""
        ...

    def openings(self, places: Iterable[Place]) -> Mapping[int, Sequence[str]]:
        """By rank, how the sentences begin that the nearest of these names point to."""
        ...

    def log_odds(self, texts: Sequence[str]) -> list[float] | None:
        """That each of these English texts answers, but for what is the same for all; None where none can be told."""
        ...


def read(passage: Passage) -> tuple[Read, ...]:
    """The units of a passage with their words; none that breaks off. Of a private document nothing stays in memory."""
    text, language = passage.text, passage.language
    key = (blake2b(text.encode(), digest_size=16).digest(), passage.windows, language, passage.is_summary)
    with _lock:
        found = _read_before.get(key)
    if found is None:
        apart = separate_opinions(text) if passage.is_summary else ()
        of_text = units(text, passage.windows, is_summary=passage.is_summary)
        found = tuple(_read(text, unit, language, apart) for unit in of_text if not breaks_off(text, unit))
        if not passage.private:
            with _lock:
                _read_before[key] = found
    return found


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
        key_of(text[unit.start : unit.end]),
        any(start <= unit.start < end for start, end in apart),
    )


def scored(
    question: str, asked: str, passages: Sequence[Passage], meaning: Meaning | None = None
) -> list[Scored]:
    """The units of the passages, the likeliest first. `question` is in the law's language, `asked` as it was typed.

    Weighed by their words; where `meaning` is given, also by what curated names point to, and those that come close to
    the best again by what the sentence ranker says, which reads them with the question.
    """
    pool = pool_of(asked, passages)
    rows = features(question, asked, pool)
    totals = weighed(rows, weights_in_use()["features"])
    if meaning and pool:
        gains = gained(totals, pool, meaning.pointed(places_read(passages)))
        totals = [total + gain for total, gain in zip(totals, gains, strict=True)]
        totals = weighed_again(totals, pool, meaning)
    shares = probabilities(totals)
    found = [Scored(passage, one.unit, share) for (passage, one), share in zip(pool, shares, strict=True)]
    return sorted(found, key=lambda one: (-one.probability, one.passage.rank, one.unit.start))


def pool_of(asked: str, passages: Sequence[Passage]) -> Pool:
    """What may be quoted of the passages; those that say nothing to the point only where none of them does."""
    beside = says_beside(asked)
    pool = [(passage, one) for passage in passages for one in words_of(passage) if may_be_quoted(passage, one, asked)]
    return [(passage, one) for passage, one in pool if not says(one, beside)] or pool


def may_be_quoted(passage: Passage, one: Read, asked: str) -> bool:
    """Of decisions what Justices wrote apart from the Court answers who asks for it; then nothing else does."""
    if passage.locator.startswith(OF_CASES) and asks_of_separate(asked):
        return one.is_separate or (passage.is_separate and is_asked_for(asked, passage.heading))
    return asks_of_opinions(asked) or not (passage.is_separate or one.is_separate)


def places_read(passages: Sequence[Passage]) -> list[Place]:
    """Of each passage its own place and that of the result it is of."""
    return [
        Place(passage.rank, passage.domain, locator)
        for passage in passages
        for locator in {passage.locator, passage.result or passage.locator}
    ]


def words_of(passage: Passage) -> tuple[Read, ...]:
    """Words before a list whose items are provisions of their own break off: "The Congress shall have Power"."""
    found = read(passage)
    last = found[-1].unit if found and not passage.is_leaf else None
    if last and LEADS_IN.search(passage.text, last.start, last.end):
        return found[:-1]
    return found


def to_the_point(found: Sequence[Read], beside: Sequence[re.Pattern[str]]) -> Sequence[Read]:
    """Without what the law says of itself beside the question; where it says nothing else, all."""
    return [one for one in found if not says(one, beside)] or found


def says(one: Read, beside: Sequence[re.Pattern[str]]) -> bool:
    return any(pattern.match(one.folded) for pattern in beside)


def features(question: str, asked: str, pool: Pool) -> list[dict[str, float]]:
    """By name, of each unit. A Spanish text is compared with a Spanish question as it was asked."""
    kinds, amounts = asked_for(asked), asked_amounts(asked)
    wanted = {"en": wanted_in(question, "en", pool)}
    if any(passage.language == "es" for passage, _ in pool) and detect(asked) == "es":
        wanted["es"] = wanted_in(own_words(asked), "es", pool)
    return [
        _features(passage, one, wanted.get(passage.language, wanted["en"]), kinds) | given(amounts, one.folded)
        for passage, one in pool
    ]


def wanted_in(question: str, language: str, pool: Pool) -> Wanted:
    every = terms(question, language)
    words = [stem for stem in every if stem not in function_stems(language)] or every
    return Wanted(words, frozenset(pairwise(words)), rarity(words, [one for _, one in pool]))


def rarity(wanted: Sequence[str], pool: Sequence[Read]) -> Mapping[str, float]:
    """How much each word of the question tells these units apart."""
    held = Counter(stem for one in pool for stem in wanted if stem in one.framed)
    return {stem: math.log((len(pool) + 1) / (held[stem] + 0.5)) if held[stem] else 0.0 for stem in wanted}


def _features(
    passage: Passage,
    one: Read,
    asked: Wanted,
    kinds: tuple[str, ...],
) -> dict[str, float]:
    wanted, rare = asked.words, asked.rare
    met = [stem for stem in wanted if stem in one.own]
    framed = [stem for stem in wanted if stem in one.framed]
    above = [stem for stem in wanted if stem in one.headings]
    total = sum(rare.values()) or 1.0
    start, end = passage.found
    begins, ends = one.unit.start, one.unit.end
    return {
        "covered": len(framed) / (len(wanted) or 1),
        "covered_rare": sum(rare[stem] for stem in framed) / total,
        "covered_heading": sum(rare[stem] for stem in above) / total,
        "pairs": len(asked.pairs & one.pairs) / (len(asked.pairs) or 1),
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


def weighed(rows: Sequence[Mapping[str, float]], weights: Mapping[str, float]) -> list[float]:
    """Of each unit, the exponent of a conditional logit."""
    return [sum(weight * row[name] for name, weight in weights.items()) for row in rows]


def probabilities(totals: Sequence[float]) -> list[float]:
    """Of each unit, that it is the one that answers: they add up to 1."""
    most = max(totals, default=0.0)
    powers = [math.exp(total - most) for total in totals]
    whole = sum(powers)
    return [power / whole for power in powers]


def gained(totals: Sequence[float], pool: Pool, pointed: Mapping[int, Shares]) -> list[float]:
    """What each unit gains by the names that point to it and loses by those that point elsewhere. All units of what a
    result has add up to the same probability as before: that a provision has names says nothing against another.
    """
    gains = [POINTED * pointed.get(passage.rank, {}).get(one.key, 0.0) for passage, one in pool]
    for rank in {passage.rank for passage, _ in pool}:
        its = [n for n, (passage, _) in enumerate(pool) if passage.rank == rank]
        if any(gains[n] for n in its):
            shift = log_sum(totals[n] for n in its) - log_sum(totals[n] + gains[n] for n in its)
            for n in its:
                gains[n] += shift
    return gains


def log_sum(totals: Iterable[float]) -> float:
    """The logarithm of the sum of the exponentials."""
    every = list(totals)
    most = max(every)
    return most + math.log(sum(math.exp(one - most) for one in every))


def weighed_again(totals: Sequence[float], pool: Pool, meaning: Meaning) -> list[float]:
    """With the units that come close to the best in another order, by what the sentence ranker says of them too.
    Together they stay as probable as they were.
    """
    close = closest(totals, pool)
    told = of_close(totals, pool, close, meaning) if len(close) > 1 else None
    if told is None:
        return list(totals)
    anew = weighed(told, weights_in_use()["close"])
    shift = log_sum(totals[n] for n in close) - log_sum(anew)
    again = dict(zip(close, (total + shift for total in anew), strict=True))
    return [again.get(n, total) for n, total in enumerate(totals)]


def closest(totals: Sequence[float], pool: Pool) -> list[int]:
    """Which units come first, none of them much less probable than the best; no others if one is not in English."""
    first = sorted(range(len(totals)), key=lambda n: -totals[n])[:RANKED_AGAIN]
    close = [n for n in first if totals[n] >= totals[first[0]] + math.log(CLOSE)]
    return close if all(pool[n][0].language == "en" for n in close) else close[:1]


def of_close(
    totals: Sequence[float], pool: Pool, which: Sequence[int], meaning: Meaning
) -> list[dict[str, float]] | None:
    """OF_CLOSE of these units; None where the ranker tells nothing."""
    told = meaning.log_odds([framed(*pool[n]) for n in which])
    if told is None:
        return None
    return [{"before": totals[n], "log_odds": odds} for n, odds in zip(which, told, strict=True)]


def framed(passage: Passage, one: Read) -> str:
    """A unit as the sentence ranker is given it: its own words first, since the end of a long text is cut, then its
    headings, the stems of its lists and its exceptions.
    """
    unit = one.unit
    around = " ".join(passage.text[start:end] for start, end in (*unit.headings, *unit.stems, *unit.after))
    return " | ".join(filter(None, (in_columns(passage.text, unit), around.replace("\n", " "))))


def best_units(ranked: Sequence[Scored], most: int, before: Sequence[Scored]) -> list[Scored]:
    """The best unit and those nearly as good that do not repeat it; in reading order. `before`: what other parts of the
    question are answered by, which comes first only where nothing else comes near.
    """
    left = [(REPEATED if repeats(one, before) else 1.0) * one.probability for one in ranked]
    order = sorted(range(len(ranked)), key=lambda n: -left[n])
    chosen: list[Scored] = []
    for n in order:
        if len(chosen) == most or left[n] < NEARLY * left[order[0]]:
            break
        if not repeats(ranked[n], chosen):
            chosen.append(ranked[n])
    return sorted(chosen, key=lambda one: (one.passage.rank, one.passage.section, one.unit.start))


def repeats(one: Scored, others: Iterable[Scored]) -> bool:
    return any(overlap(one, other) for other in others)


def overlap(one: Scored, other: Scored) -> bool:
    if one.passage.section != other.passage.section:
        return one.passage.text == other.passage.text
    return any(a < d and c < b for a, b in one.unit.spans for c, d in other.unit.spans)


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
    return not doubtful and told >= weights_in_use()["least"].get(results[0]["domain"], 0.0)


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


def weights_in_use() -> dict:
    return _tried.get() or shipped_weights()


@contextmanager
def weighed_by(weights: dict) -> Iterator[None]:
    """Has others choose what is quoted, in this thread, so that they can be measured before they serve."""
    token = _tried.set(weights)
    try:
        yield
    finally:
        _tried.reset(token)
