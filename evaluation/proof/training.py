"""The verifier's model learned from pairs of ours, and measured on provisions that it has not seen.

scikit-learn is needed here only; `retrieval.proof.model` serves the weights with NumPy.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation.proof.pairs import Pair
from retrieval.proof.alignment import clauses, weights
from retrieval.proof.model import FEATURES, VERDICTS, Model
from retrieval.proof.types import Verdict
from retrieval.proof.verify import Evidence, evidence, judged

WRITTEN = 3.0  # weight of a claim in our words beside a sentence of the law: answers say things in their own words
STRENGTH = 0.5  # C of the logistic
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Seen:
    pair: Pair
    evidence: Evidence | None


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A pair and what a model that had not seen its provision says of it."""

    pair: Pair
    verdict: Verdict
    confidence: float


def seen(pair: Pair) -> Seen:
    every = tuple(clause for number, source in enumerate(pair.sources) for clause in clauses(source, number))
    return Seen(pair, evidence(pair.claim, pair.sources, every, weights(every), pair.language))


def fit(examples: Iterable[Seen]) -> Model:
    from sklearn.linear_model import LogisticRegression

    known = [example for example in examples if example.evidence]
    values = np.array([example.evidence.features for example in known])
    labels = [VERDICTS.index(example.pair.label) for example in known]
    weight = [1.0 if example.pair.is_laws_own else WRITTEN for example in known]
    learned = LogisticRegression(C=STRENGTH, max_iter=2000).fit(values, labels, sample_weight=weight)
    return Model(learned.coef_, learned.intercept_)


def verdict_on(model: Model, example: Seen) -> JudgedPair:
    verdict, confidence = judged(example.evidence, model) if example.evidence else ("not_found", 1.0)
    return JudgedPair(example.pair, verdict, confidence)


def cross_validated(examples: Sequence[Seen]) -> list[JudgedPair]:
    """Each pair judged by a model that learned from other provisions."""
    groups = sorted({example.pair.group for example in examples})
    fold = {group: place % FOLDS for place, group in enumerate(groups)}
    found: list[JudgedPair] = []
    for number in range(FOLDS):
        model = fit(example for example in examples if fold[example.pair.group] != number)
        found += [verdict_on(model, example) for example in examples if fold[example.pair.group] == number]
    return found


def write(model: Model, path: Path) -> None:
    made = {
        "features": FEATURES,
        "weights": model.weights.round(4).tolist(),
        "bias": model.bias.round(4).tolist(),
    }
    path.write_text(json.dumps(made) + "\n", encoding="utf-8")


def report(every: Sequence[JudgedPair]) -> str:
    """Of the pairs that we wrote and those that were made, by label: how many, judged right, called supported."""
    lines = []
    for is_made, language in ((False, "en"), (False, "es"), (True, "en"), (True, "es")):
        some = [t for t in every if (t.pair.is_made, t.pair.language) == (is_made, language)]
        for label in VERDICTS:
            of_it = [t for t in some if t.pair.label == label]
            if of_it:
                right = sum(t.verdict == label for t in of_it) / len(of_it)
                passed = sum(t.verdict == "supported" for t in of_it) / len(of_it)
                name = "made" if is_made else "written"
                lines.append(
                    f"{name} {language} {label} {len(of_it)}: right {right:.3f}, supported {passed:.3f}"
                )
    return "\n".join(lines)
