"""The stage that looks again where what was found probably does not answer: at most twice, each time for a reason.

How probable it is that what was found answers is a logistic of what the search told of itself, fitted by
`manage.py train_sufficiency`. It reads no text but the words that the reranker has just read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from pathlib import Path
from typing import Protocol

import numpy as np

from retrieval.engines import loaded
from retrieval.indexes.terms import NONE, numbers, words_of
from retrieval.pipeline import Stage, run_stage
from retrieval.ranking import Candidate, Query, Ranking
from retrieval.text.analyzer import tokens
from retrieval.text.language import ENGLISH_FUNCTION_WORDS, SPANISH_FUNCTION_WORDS, detect
from retrieval.text.question_parts import own_words, parts
from retrieval.text.snippets import function_stems
from rules.logistic import Logistic, log_odds, shipped

FILE = Path(__file__).parent / "weights.json"
FEATURES = (
    "answer",  # log odds that the reranker gives the pool
    "best",  # probability of the first
    "lead",  # of the first before the second
    "agreement",  # share of the legs that have the first among their first three
    "nearest",  # cosine
    "covered",  # share of the question's words in the first three
    "part_covered",  # in the part of the question that has least
    "unknown",  # share of the question's words that no text here has
    "type_missing",  # a number or time is asked for, and the first has none
    "other_language",
    "abstained",
)
LEGS = ("dense", "lexical", "alias_near", "alias_lexical")
FIRST = 3
ASKS_NUMBER = re.compile(
    r"\b(?:how (?:many|much|long|old|often)|what (?:date|day|year|age)|when)\b", re.IGNORECASE
)
NUMBERS = (
    "one two three four five six seven eight nine ten twelve fourteen fifteen eighteen twenty thirty hundred thousand "
    "third half two-thirds year years day days age month months noon january march december november"
)


@dataclass(frozen=True)
class Sufficient:
    """How probable it is that what was found answers the question."""

    def __call__(self, ranking: Ranking) -> Ranking:
        support = supported(ranking)
        return replace(ranking, support=support).noting(f"supported with a probability of {support:.3f}")


class Correction(Stage, Protocol):
    """Puts one thing right in a question. `missing`: how far its `reason` is what the search lacked, 0-1."""

    reason: str

    def missing(self, ranking: Ranking) -> float: ...


class UntilSufficient:
    """Runs its stages, of which `Sufficient` is the last; where the evidence is poor, puts right what was missing most
    and runs them again, at most `most` times. The trace has every attempt and its reason.

    1. An answer by citation alone, one that lacks a leg, and evidence that suffices are left as they are.
    2. What is missing is told anew of the best supported search so far, with whose question a correction begins. None
       is tried twice; one that does not apply costs no search.
    3. Another answer takes the place of the first only if it is shown and its evidence suffices.
    """

    essential = True

    def __init__(self, *stages: Stage, corrections: Sequence[Correction], most: int):
        self.stages = stages
        self.corrections = tuple(corrections)
        self.most = most

    def __repr__(self) -> str:
        told = ", ".join(map(repr, self.stages))
        return f"UntilSufficient({told}, corrections={self.corrections}, most={self.most})"

    def __call__(self, ranking: Ranking) -> Ranking:
        first = best = self._run(ranking)
        if not may_be_better(first):
            return first.noting("the order is final, or a part did not run", skipped=True)
        enough, support = in_force().minimum, first.support or 0.0
        told, reports, tries, left = [f"{support:.3f}"], first.reports, 0, list(self.corrections)
        while support < enough and tries < self.most and (correction := most_needed(left, best)):
            left.remove(correction)
            asked = run_stage(correction, replace(best, reports=()))
            if asked.query == best.query:
                continue
            tries += 1
            again = self._run(replace(ranking, query=asked.query, reports=(*reports, *asked.reports)))
            reports, found = again.reports, again.support or 0.0
            told.append(f"{type(correction).__name__} ({correction.reason}) {found:.3f}")
            if found > support:
                best, support = replace(again, corrected=(*best.corrected, type(correction).__name__)), found
        given = best if support >= enough and not best.abstained else first
        note = f"supported with a probability of {', then by '.join(told)}"
        return replace(given, reports=reports).noting(note, tries=tries)

    def _run(self, ranking: Ranking) -> Ranking:
        return reduce(lambda so_far, stage: run_stage(stage, so_far), self.stages, ranking)


def most_needed(corrections: Sequence[Correction], ranking: Ranking) -> Correction | None:
    """That of which most is missing, the first of equals; None where nothing is."""
    missing = [correction.missing(ranking) for correction in corrections]
    most = max(missing, default=0.0)
    return corrections[missing.index(most)] if most > 0 else None


def may_be_better(ranking: Ranking) -> bool:
    """Whether another search could find more: not where a citation or a rule answered."""
    query = ranking.query
    return not (ranking.final or ranking.notice or ranking.degraded or query.unresolved or query.rewritten)


def supported(ranking: Ranking) -> float:
    """The probability that the evidence answers. Where no reranker served, what declines is poor, and nothing else."""
    if ranking.answer is None:
        return 0.0 if ranking.abstained else 1.0
    return in_force().of(features(ranking))


# -- The evidence


def in_force() -> Logistic:
    """The probability that evidence with these features answers. Below its minimum the evidence is poor."""
    return shipped(FILE, FEATURES)


def features(ranking: Ranking) -> np.ndarray:
    """(len(FEATURES),) of an answer that a reranker gave."""
    found = ranking.candidates or ranking.near_misses
    probabilities = [candidate.probability or 0.0 for candidate in found[:2]] + [0.0, 0.0]
    covered, part_covered, type_missing = of_words(ranking.query, found[:FIRST])
    values = {
        "answer": log_odds(ranking.answer or 0.0),
        "best": probabilities[0],
        "lead": probabilities[0] - probabilities[1],
        "agreement": agreement(found),
        "nearest": max((cosine(candidate) for candidate in found[:FIRST]), default=0.0),
        "covered": covered,
        "part_covered": part_covered,
        "unknown": unknown(ranking.query),
        "type_missing": type_missing,
        "other_language": float(
            detect(ranking.query.original, otherwise=ranking.query.language) != ranking.query.language
        ),
        "abstained": float(ranking.abstained),
    }
    return np.array([values[name] for name in FEATURES])


def cosine(candidate: Candidate) -> float:
    return candidate.scores.get("dense", 0.0)


def agreement(found: Sequence[Candidate]) -> float:
    return sum(found[0].ranks.get(leg, 99) <= FIRST for leg in LEGS) / len(LEGS) if found else 0.0


def of_words(query: Query, first: Sequence[Candidate]) -> tuple[float, float, float]:
    """Of the question in English: the share of its words that the first candidates have, in their texts, headings or
    names; the same for the part that has least; and 1 where it asks for a number that they lack.
    """
    known = words_of(query, first, {domain.id for domain in query.domains if domain.private})
    bodies = [words.body for words in known.values()]
    everything = np.unique(np.concatenate([*bodies, *(words.head for words in known.values()), NONE]))
    asked = (own_words(part) for part in parts(query.text, "en"))
    shares = [share for part in asked if (share := share_in(part, everything)) is not None]
    missing = bool(ASKS_NUMBER.search(query.text)) and not np.isin(numbers(NUMBERS, "en"), everything).any()
    return share_in(query.text, everything) or 0.0, min(shares, default=0.0), float(missing)


def share_in(text: str, words: np.ndarray) -> float | None:
    """None of a text that says nothing."""
    wanted = np.setdiff1d(numbers(text, "en"), saying_nothing())
    return float(np.isin(wanted, words).mean()) if len(wanted) else None


@cache
def saying_nothing() -> np.ndarray:
    return np.unique(numbers(" ".join(function_stems("en")), "en"))


def unknown(query: Query) -> float:
    """The share of the words of a question in English that no text here has in any form."""
    index = loaded.lexical_index()
    asked = [w for w in tokens(query.text) if w not in ENGLISH_FUNCTION_WORDS | SPANISH_FUNCTION_WORDS]
    if not asked or index.problem:
        return 0.0
    return sum(not index.has(word, "en") for word in asked) / len(asked)
