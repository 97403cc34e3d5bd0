"""Which units of the found provisions answer the question: features of each, weighed by `weights.json`. Pure."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from retrieval.answers.questions import asked_for, fits
from retrieval.answers.units import Unit, units
from retrieval.text.analyzer import stems, stop_stems, terms
from retrieval.text.normalization import fold
from retrieval.text.snippets import function_stems

REMEMBERED = 64  # texts of public law whose words are kept in memory: up to 400 kB each
WEIGHTS = Path(__file__).with_name("weights.json")
FEATURES = (
    "covered", "covered_rare", "covered_heading", "pairs", "density", "fits", "passage", "probability", "first_result",
    "later_result", "opening", "length", "is_list",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Passage:
    """What is read of one found provision: `text` begins at `offset` of its whole text. `found` is the place that the
    search shows, in the whole text; `rank` and `probability` are the search's.
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


@dataclass(frozen=True, slots=True)
class Scored:
    """A unit of a passage and how much speaks for it, 0 to 1; not calibrated."""

    passage: Passage
    unit: Unit
    probability: float


@dataclass(frozen=True, slots=True)
class Read:
    """A unit with its words: stems of the unit itself and of what frames it, and its folded text."""

    unit: Unit
    own: frozenset[str]
    framed: frozenset[str]
    headings: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    folded: str


def read(text: str, language: str) -> tuple[Read, ...]:
    """The units of a text with their words."""
    return tuple(_read(text, unit, language) for unit in units(text))


read_public = lru_cache(REMEMBERED)(read)


def _read(text: str, unit: Unit, language: str) -> Read:
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
    )


def scored(question: str, asked: str, passages: Sequence[Passage]) -> list[Scored]:
    """Every unit of the passages, the likeliest first. `question` is in the law's language, `asked` as it was typed."""
    pool = [(passage, one) for passage in passages for one in words_of(passage)]
    rows = features(question, asked, pool)
    weighed = [
        Scored(passage, one.unit, probability(row)) for (passage, one), row in zip(pool, rows, strict=True)
    ]
    return sorted(weighed, key=lambda one: (-one.probability, one.passage.rank, one.unit.start))


def words_of(passage: Passage) -> tuple[Read, ...]:
    """Of a private document nothing stays in memory."""
    return (read if passage.private else read_public)(passage.text, passage.language)


def features(question: str, asked: str, pool: Sequence[tuple[Passage, Read]]) -> list[dict[str, float]]:
    """By name, of each unit."""
    kinds = asked_for(asked)
    wanted = [stem for stem in terms(question, "en") if stem not in function_stems("en")] or terms(
        question, "en"
    )
    wanted_pairs = frozenset(pairwise(wanted))
    rare = rarity(wanted, [one for _, one in pool])
    return [_features(passage, one, wanted, wanted_pairs, rare, kinds) for passage, one in pool]


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
        "opening": float(begins == 0),
        "length": min(len(one.own), 60) / 60,
        "is_list": float(bool(one.unit.stems)),
    }


def probability(row: Mapping[str, float]) -> float:
    weights = shipped_weights()
    total = weights["bias"] + sum(weight * row[name] for name, weight in weights["features"].items())
    return 1 / (1 + math.exp(-total))


@cache
def shipped_weights() -> dict:
    return json.loads(WEIGHTS.read_text("utf-8"))
