"""Learns which sentence answers a question, and how probable the provisions found must be for one to be quoted, from
questions whose answering sentences are marked.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from evaluation.learning.promotion import FEWEST
from evaluation.measuring.answers import Answered, Labelled, Share, measure, quotes
from evaluation.measuring.measures import paired_difference
from retrieval.access.caller import ANONYMOUS
from retrieval.answers.meaning import EmbeddedQuestion
from retrieval.answers.passages import passages_of
from retrieval.answers.quoting import joined
from retrieval.answers.selection import (
    FEATURES,
    OF_CLOSE,
    Passage,
    Place,
    Pool,
    Shares,
    closest,
    features,
    gained,
    judged_sum,
    of_close,
    places_read,
    pool_of,
    weighed,
    weighed_by,
    weights_in_use,
)
from retrieval.answers.service import AnswerRequest, question_of
from retrieval.answers.units import Unit
from retrieval.errors import NotRun
from retrieval.search.service import search
from retrieval.text.language import detect

FOLDS = 5
SHRINKING = 2.0  # of the weights, each in standard deviations of its feature; from .5 to 8 nothing changes
FEW_DECLINED = 0.04  # of the questions that have an answer; what is doubtful is declined besides, 5 % are to be


@dataclass(frozen=True)
class Example:
    """A question with the features of every unit that was read for it, and which of them answer. `sum` is what the
    probabilities of its first provisions add up to: 0 where the search declined, None where the first has none.
    """

    labelled: Labelled
    rows: np.ndarray  # (units, len(FEATURES))
    right: np.ndarray  # (units,) bool
    sum: float | None
    read: "Compared | None" = None

    @property
    def teaches(self) -> bool:
        """Whether a unit that answers is among those that were read."""
        return bool(self.right.any())

    def close(self, weights: np.ndarray) -> "Example":
        """The same with the units that come close to the best by these weights alone, and all that is known of them."""
        which, rows = self.read.close(self.rows, weights)
        return Example(self.labelled, rows, self.right[which], self.sum)


@dataclass(frozen=True)
class Compared:
    """The units that were read for a question beside what it means."""

    pool: Pool
    places: Sequence[Place]
    meaning: EmbeddedQuestion
    known_odds: dict[str, float] = field(default_factory=dict)  # by text

    @cached_property
    def pointed(self) -> Mapping[int, Shares]:
        return self.meaning.pointed(self.places)

    def close(self, rows: np.ndarray, weights: np.ndarray) -> tuple[list[int], np.ndarray]:
        """(k,) which units, and (k, len(OF_CLOSE)) what is known of them."""
        told = [dict(zip(FEATURES, row, strict=True)) for row in rows.tolist()]
        totals = weighed(told, dict(zip(FEATURES, weights.tolist(), strict=True)))
        gains = gained(totals, self.pool, self.pointed)
        totals = [total + gain for total, gain in zip(totals, gains, strict=True)]
        which = closest(totals, self.pool)
        return which, in_columns(of_close(totals, self.pool, which, self), OF_CLOSE)

    def log_odds(self, texts: Sequence[str]) -> list[float]:
        """Each text is read once: folds ask again. Raises NotRun: without the ranker nothing is learned."""
        if new := [text for text in texts if text not in self.known_odds]:
            if (odds := self.meaning.log_odds(new)) is None:
                raise NotRun("the sentence ranker does not run: the log says why")
            self.known_odds.update(zip(new, odds, strict=True))
        return [self.known_odds[text] for text in texts]


def in_columns(rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> np.ndarray:
    """(len(rows), len(names))"""
    return np.array([[row[name] for name in names] for row in rows]).reshape(-1, len(names))


def example(one: Labelled) -> Example:
    """Searched as for an answer."""
    request = AnswerRequest(one.question)
    found = search(request.search(detect(one.question)), ANONYMOUS)
    meaning = EmbeddedQuestion(question_of(found))
    passages = passages_of(found["results"], ANONYMOUS, None, meaning)
    pool = pool_of(one.question, passages)
    wanted = [sentence for part in one.parts for sentence in part]
    return Example(
        one,
        in_columns(features(question_of(found), one.question, pool), FEATURES),
        np.array([answers(passage, read.unit, wanted) for passage, read in pool], dtype=bool),
        0.0 if found["abstained"] else judged_sum(found["results"]),
        Compared(pool, places_read(passages), meaning),
    )


def answers(passage: Passage, unit: Unit, wanted: Sequence[str]) -> bool:
    quoted = [{"quote": passage.text[start:end]} for start, end in joined(passage.text, unit.spans)]
    return quotes({"citations": quoted}, wanted)


def fit(examples: Iterable[Example]) -> np.ndarray:
    """(columns of its rows,) of a conditional logit: the units of a question compete with one another (McFadden
    1974).
    """
    pools = [(one.rows, one.right) for one in examples if one.teaches]
    scale = np.concatenate([rows for rows, _ in pools]).std(axis=0)
    scale[scale == 0] = 1.0
    scaled = [(rows / scale, right) for rows, right in pools]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = SHRINKING * weights @ weights, 2 * SHRINKING * weights
        for rows, right in scaled:
            every = softmax(rows @ weights)
            of_right = every * right / (every @ right)
            total -= np.log(every @ right)
            slope = slope + rows.T @ (every - of_right)
        return total, slope

    return minimize(loss, np.zeros(len(scale)), jac=True, method="L-BFGS-B").x / scale


def is_right(one: Example, weights: np.ndarray) -> bool:
    """Whether the best unit answers, those that come close to the best weighed again as they are served."""
    of_close = weights_in_use()["close"]
    close = one.close(weights)
    return bool(close.right[np.argmax(close.rows @ [of_close[name] for name in OF_CLOSE])])


def cross_validated(examples: Sequence[Example]) -> Share:
    """Questions whose best unit answers, by weights that saw no question on the same provision."""
    from sklearn.model_selection import GroupKFold

    read = [one for one in examples if len(one.rows)]
    groups = [one.labelled.locators[0] for one in read]
    hits = 0
    for inside, outside in GroupKFold(FOLDS).split(read, groups=groups):
        weights = fit(read[n] for n in inside)
        hits += sum(is_right(read[n], weights) for n in outside)
    return Share(hits, len(examples))


def least(answerable: Sequence[Example]) -> float:
    """Below this sum at most FEW_DECLINED of the questions that have an answer lie."""
    sums = [np.inf if one.sum is None else one.sum for one in answerable]
    return round(float(np.quantile(sums, FEW_DECLINED, method="lower")), 2)


def below(examples: Sequence[Example], minimum: float) -> Share:
    """Questions that are declined."""
    return Share(sum(one.sum is not None and one.sum < minimum for one in examples), len(examples))


def has_answer(one: Labelled) -> bool:
    return one.answerable or bool(one.locators)


def learned(
    marked: Sequence[Labelled], others: Sequence[Labelled], domain: str, *, show: Callable = iter
) -> tuple[dict, dict]:
    """The row that serving reads, and how well it does. `others` are known only to have an answer in this domain, or
    none: they teach what is declined. Train topics do not: the reranker that judges them has learned from them. How
    much the sentence ranker counts is not learned: most marked provisions have few sentences to tell apart.
    """
    examples = [example(one) for one in show([*marked, *others])]
    sentences = [one for one in examples[: len(marked)] if len(one.labelled.parts) == 1]
    judged = [one for one in examples if one.labelled.domain == domain and not one.labelled.is_train]
    answerable = [one for one in judged if has_answer(one.labelled)]
    unanswerable = [one for one in judged if not has_answer(one.labelled)]
    minimum = least(answerable)
    weights = fit(sentences)
    report = {
        "right_first": cross_validated(sentences),
        "declined_answerable": below(answerable, minimum),
        "declined_unanswerable": below(unanswerable, minimum),
    }
    row = {"features": written(FEATURES, weights), "close": weights_in_use()["close"], "least": {domain: minimum}}
    return row, {k: v.to_dict() for k, v in report.items()}


def written(names: Sequence[str], weights: np.ndarray) -> dict[str, float]:
    return {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}


# -- Whether it may replace what serves


def losses(row: dict, held_out: Sequence[Labelled], *, show: Callable = iter) -> list[str]:
    """What these weights would lose on questions that were not learned from, measure by measure; each vetoes them."""
    if (answerable := sum(one.answerable for one in held_out)) < FEWEST:
        return [f"{answerable} questions with an answer are too few to decide on: {FEWEST} are needed"]
    before = measure(show(held_out))
    with weighed_by(row):
        after = measure(show(held_out))
    unread = sum(one.judged is None for one in (*before, *after))
    return [f"what {unread} answers say could not be read"] if unread else lost(before, after)


def lost(before: Sequence[Answered], after: Sequence[Answered]) -> list[str]:
    """The measures whose mean over the same questions is shown to fall: the 95 % interval of the difference, of those
    to which it applies both times, lies below zero.
    """
    pairs = [(old.values, new.values) for old, new in zip(before, after, strict=True)]
    reasons = []
    for name in sorted({name for old, new in pairs for name in old.keys() & new.keys()}):
        values = [(new[name], old[name]) for old, new in pairs if name in old and name in new]
        told = paired_difference(*zip(*values, strict=True))
        if told.high < 0:
            reasons.append(
                f"{name} falls by {-told.mean:.3f} [{-told.high:.3f}, {-told.low:.3f}] ({len(values)} questions)"
            )
    return reasons
