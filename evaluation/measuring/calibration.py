"""How far probabilities of relevance that people are shown can be relied on. Pure.

Of the thousands of candidates that nobody is shown nearly all are surely irrelevant, and any model says so: told over
these, an error is small whatever is shown. Hence two figures: of first results alone, and of all on the first page.
What nobody judged counts as irrelevant, as in training.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

ALL = "all"
PAGE = 10  # results shown at first
BINS = 10
FEWEST_IN_BIN = 20  # results: in smaller bins chance alone differs by more than what is looked for
FEWEST = 40  # questions with results, below which nothing is told
DRAWS = 400
SEED = 20_240_101  # the same figures for the same results

Shown = Sequence[tuple[float, bool]]  # of one question: probability, and whether relevant, of each result, best first


@dataclass(frozen=True, slots=True)
class CalibrationError:
    """The mean distance of predicted from observed, and that which perfect probabilities would have by chance, over as
    many results as these; the means of both.
    """

    error: float
    by_chance: float
    predicted: float
    relevant: float


@dataclass(frozen=True, slots=True)
class Calibration:
    questions: int
    results: int
    first: CalibrationError
    page: CalibrationError


def calibration(shown: Iterable[Shown]) -> Calibration | None:
    """Of questions that were shown something; None of too few."""
    pages = [list(each[:PAGE]) for each in shown if each]
    if len(pages) < FEWEST:
        return None
    results = [one for page in pages for one in page]
    return Calibration(len(pages), len(results), error_of([page[0] for page in pages]), error_of(results))


def by_body(asked: Iterable[tuple[str, str, Shown]]) -> dict[str, Calibration]:
    """Of what (domain, language) was shown: of all, of each body of law, and of each language in it; without those of
    which there is too little.
    """
    groups: dict[str, list[Shown]] = defaultdict(list)
    for domain, language, shown in asked:
        for name in (ALL, domain, f"{domain}, {language}"):
            groups[name].append(shown)
    return {name: told for name, group in sorted(groups.items()) if (told := calibration(group))}


def error_of(results: Shown) -> CalibrationError:
    predicted, relevant = np.array(results, dtype=float).T
    draws = np.random.default_rng(SEED).random((DRAWS, len(predicted))) < predicted
    by_chance = np.mean([calibration_error(predicted, drawn) for drawn in draws])
    told = calibration_error(predicted, relevant), by_chance, predicted.mean(), relevant.mean()
    return CalibrationError(*(round(float(value), 4) for value in told))


def calibration_error(predicted: np.ndarray, relevant: np.ndarray) -> float:
    """Over at most ten bins of equal mass, as results are thick at some probabilities and thin at others (adaptive
    calibration error: Nixon and others, CVPR Workshops 2019).
    """
    order = np.argsort(predicted, kind="stable")
    bins = np.array_split(order, max(1, min(BINS, len(order) // FEWEST_IN_BIN)))
    apart = [abs(predicted[each].mean() - relevant[each].mean()) * len(each) for each in bins]
    return float(sum(apart) / len(order))
