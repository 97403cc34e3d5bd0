"""What strategies are learned from, and how well: a multinomial logistic over what `rules.questions.strategy` reads of
a question. The labelled questions beside this module are ours; nothing else is ever in the model that ships.
"""

import json
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retrieval.citations.finding import find_citations, whole_citations
from retrieval.text.normalization import fold
from rules.questions.strategy import CHOICES, FEATURES, features

LABELLED = Path(__file__).parent / "strategies.jsonl"
BUCKETS = 4096  # of hashed words and pairs of words, where labels of others are compared
STRENGTH = 3.0  # of the fit, inverse of its penalty
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question with the label that somebody gave it, and where it comes from."""

    query: str
    language: str
    label: str
    source: str = ""


def ours() -> list[Labelled]:
    rows = map(json.loads, LABELLED.read_text().splitlines())
    return [Labelled(row["query"], row["language"], row["strategy"]) for row in rows]


def of_routing(path: Path) -> list[Labelled]:
    """Questions in English, labelled no_retrieval, single_hop or multi_hop by the data set that they come from."""
    rows = map(json.loads, path.read_text().splitlines())
    return [Labelled(row["text"], "en", row["label"], row["source"]) for row in rows]


def by_features(row: Labelled) -> np.ndarray:
    cited, whole = find_citations(row.query, asked=True), whole_citations(row.query)
    return features(row.query, row.language, cited=bool(cited), whole=bool(whole))


def by_words(row: Labelled) -> np.ndarray:
    """The same features beside words and pairs of words, hashed."""
    hashed = np.zeros(BUCKETS)
    words = ["^", *re.findall(r"\w+|\?", fold(row.query))]
    for term in (*words, *map(" ".join, zip(words, words[1:], strict=False))):
        hashed[zlib.crc32(term.encode()) % BUCKETS] = 1.0
    return np.concatenate([hashed, by_features(row)])


def matrix(rows: Sequence[Labelled], reading: Callable[[Labelled], np.ndarray]) -> np.ndarray:
    return np.array([reading(row) for row in rows])


def classifier():
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=STRENGTH, max_iter=1_000)


def cross_validated(rows: Sequence[Labelled], reading: Callable[[Labelled], np.ndarray]) -> dict[str, float]:
    """Accuracy, and the expected error of its probabilities in ten bins, each question judged by a model that has not
    seen it.
    """
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    labels = np.array([row.label for row in rows])
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    shares = cross_val_predict(classifier(), matrix(rows, reading), labels, cv=folds, method="predict_proba")
    right = np.unique(labels)[shares.argmax(axis=1)] == labels
    return {
        "accuracy": float(right.mean()),
        "calibration_error": calibration_error(shares.max(axis=1), right),
    }


def calibration_error(confidence: np.ndarray, right: np.ndarray) -> float:
    """Guo et al., 2017: the mean distance of confidence and accuracy over ten bins, weighed by their sizes."""
    bins = np.minimum((confidence * 10).astype(int), 9)
    gaps = [
        abs(confidence[bins == n].mean() - right[bins == n].mean()) * (bins == n).mean() for n in set(bins)
    ]
    return float(sum(gaps))


def leaving_out_each_source(
    rows: Sequence[Labelled], reading: Callable[[Labelled], np.ndarray]
) -> dict[str, float]:
    """By source, the accuracy on it of a model of the others: low where labels and sources are the same thing."""
    table, labels = matrix(rows, reading), np.array([row.label for row in rows])
    sources = np.array([row.source for row in rows])
    found = {}
    for source in np.unique(sources):
        apart = sources == source
        fitted = classifier().fit(table[~apart], labels[~apart])
        found[str(source)] = float((fitted.predict(table[apart]) == labels[apart]).mean())
    return found


def trained() -> dict:
    """The model that ships, as JSON."""
    rows = ours()
    fitted = classifier().fit(matrix(rows, by_features), [row.label for row in rows])
    places = [list(fitted.classes_).index(name) for name in CHOICES]
    return {
        "features": list(FEATURES),
        "choices": list(CHOICES),
        "weights": np.round(fitted.coef_[places].T, 4).tolist(),
        "intercepts": np.round(fitted.intercept_[places], 4).tolist(),
    }
