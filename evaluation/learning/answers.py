"""Learns which sentence answers a question, and how probable the provisions found must be for one to be quoted, from
questions whose answering sentences are marked.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from evaluation.measuring.answers import Labelled, Share, quotes
from retrieval.access.caller import ANONYMOUS
from retrieval.answers.passages import passages_of
from retrieval.answers.selection import FEATURES, Passage, features, judged_sum, words_of
from retrieval.answers.service import AnswerRequest, joined, question_of
from retrieval.answers.units import Unit
from retrieval.search.service import search
from retrieval.text.language import detect

FOLDS = 5
SHRINKING = 2.0  # of the weights, each in standard deviations of its feature; from .5 to 8 nothing changes
FEW_DECLINED = 0.03  # of the questions that have an answer


@dataclass(frozen=True)
class Example:
    """A question with the features of every unit that was read for it, and which of them answer. `sum` is what the
    probabilities of its first provisions add up to: 0 where the search declined, None where the first has none.
    """

    labelled: Labelled
    rows: np.ndarray  # (units, len(FEATURES))
    right: np.ndarray  # (units,) bool
    sum: float | None

    @property
    def teaches(self) -> bool:
        """Whether a unit that answers is among those that were read."""
        return bool(self.right.any())


def example(one: Labelled) -> Example:
    """Searched as for an answer."""
    request = AnswerRequest(one.question)
    found = search(request.search(detect(one.question)), ANONYMOUS)
    passages = passages_of(found["results"], ANONYMOUS, None)
    pool = [(passage, read) for passage in passages for read in words_of(passage)]
    rows = features(question_of(found), one.question, pool)
    wanted = [sentence for part in one.parts for sentence in part]
    return Example(
        one,
        np.array([[row[name] for name in FEATURES] for row in rows]).reshape(-1, len(FEATURES)),
        np.array([answers(passage, read.unit, wanted) for passage, read in pool], dtype=bool),
        0.0 if found["abstained"] else judged_sum(found["results"]),
    )


def answers(passage: Passage, unit: Unit, wanted: Sequence[str]) -> bool:
    quoted = [{"quote": passage.text[start:end]} for start, end in joined(passage.text, unit.spans)]
    return quotes({"citations": quoted}, wanted)


def fit(examples: Iterable[Example]) -> np.ndarray:
    """(len(FEATURES),) of a conditional logit: the units of a question compete with one another (McFadden 1974)."""
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

    return minimize(loss, np.zeros(len(FEATURES)), jac=True, method="L-BFGS-B").x / scale


def cross_validated(examples: Sequence[Example]) -> Share:
    """Questions whose best unit answers, by weights that saw no question on the same provision."""
    from sklearn.model_selection import GroupKFold

    read = [one for one in examples if len(one.rows)]
    groups = [one.labelled.locators[0] for one in read]
    hits = 0
    for inside, outside in GroupKFold(FOLDS).split(read, groups=groups):
        weights = fit([read[n] for n in inside])
        hits += sum(bool(read[n].right[np.argmax(read[n].rows @ weights)]) for n in outside)
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
    none: they teach what is declined.
    """
    examples = [example(one) for one in show([*marked, *others])]
    sentences = [one for one in examples[: len(marked)] if len(one.labelled.parts) == 1]
    judged = [one for one in examples if one.labelled.domain == domain]
    answerable = [one for one in judged if has_answer(one.labelled)]
    unanswerable = [one for one in judged if not has_answer(one.labelled)]
    minimum = least(answerable)
    weights = {name: round(float(weight), 3) for name, weight in zip(FEATURES, fit(sentences), strict=True)}
    report = {
        "right_first": cross_validated(sentences),
        "declined_answerable": below(answerable, minimum),
        "declined_unanswerable": below(unanswerable, minimum),
    }
    return {"features": weights, "least": {domain: minimum}}, {k: v.to_dict() for k, v in report.items()}
