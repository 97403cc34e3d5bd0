"""The verifier's model learned from pairs of ours, and measured on provisions that it has not seen.

scikit-learn is needed here only; `retrieval.proof.model` serves the weights with NumPy.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evaluation.proof.pairs import Pair
from retrieval.proof.alignment import clauses, weights
from retrieval.proof.entailment import Reading, model, reading
from retrieval.proof.model import FEATURES, READ, VERDICTS, Model, with_reading
from retrieval.proof.types import Verdict
from retrieval.proof.verify import Evidence, evidence, judged

WRITTEN = 3.0  # weight of a claim in our words beside a sentence of the law: answers say things in their own words
STRENGTH = 0.5  # C of the logistic
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Seen:
    """`reading` is empty where the entailment model does not read."""

    pair: Pair
    evidence: Evidence | None
    reading: Reading = ()

    @property
    def is_read(self) -> bool:
        return bool(self.reading)


@dataclass(frozen=True, slots=True)
class Models:
    """Of claims that the entailment model reads, and of others."""

    read: Model
    unread: Model


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A pair and what a model that had not seen its provision says of it."""

    pair: Pair
    verdict: Verdict
    confidence: float


def seen(pair: Pair) -> Seen:
    every = tuple(clause for number, source in enumerate(pair.sources) for clause in clauses(source, number))
    found = evidence(pair.claim, pair.sources, every, weights(every), pair.language)
    return Seen(pair, found, reading(pair.claim, found.passage) if found and found.passage else ())


def fit(examples: Iterable[Seen]) -> Models:
    """What is not read is learned from all, as if none were, but for the claims of passages, which are English."""
    known = [example for example in examples if example.evidence]
    unread = [replace(example, reading=()) for example in known if not example.pair.of_passage]
    return Models(_fitted([example for example in known if example.is_read]), _fitted(unread))


def _fitted(known: Sequence[Seen]) -> Model:
    from sklearn.linear_model import LogisticRegression

    values = np.array([values_of(example) for example in known])
    labels = [VERDICTS.index(example.pair.label) for example in known]
    weight = [1.0 if example.pair.is_laws_own else WRITTEN for example in known]
    learned = LogisticRegression(C=STRENGTH, max_iter=2000).fit(values, labels, sample_weight=weight)
    return Model(learned.coef_, learned.intercept_)


def values_of(example: Seen) -> list[float]:
    features = example.evidence.features
    return with_reading(features, example.reading) if example.is_read else features


def verdict_on(models: Models, example: Seen) -> JudgedPair:
    model = models.read if example.is_read else models.unread
    verdict, confidence = (
        judged(example.evidence, example.reading, model) if example.evidence else ("not_found", 1.0)
    )
    return JudgedPair(example.pair, verdict, confidence)


def cross_validated(examples: Sequence[Seen]) -> list[JudgedPair]:
    """Each pair judged by a model that learned from other provisions."""
    groups = sorted({example.pair.group for example in examples})
    fold = {group: place % FOLDS for place, group in enumerate(groups)}
    found: list[JudgedPair] = []
    for number in range(FOLDS):
        models = fit(example for example in examples if fold[example.pair.group] != number)
        found += [verdict_on(models, example) for example in examples if fold[example.pair.group] == number]
    return found


def write(models: Models, path: Path) -> None:
    made = {
        name: {"features": of, "weights": learned.weights.round(4).tolist(), "bias": learned.bias.round(4).tolist()}
        for name, of, learned in (("read", READ, models.read), ("unread", FEATURES, models.unread))
    }
    made["read"]["read_by"] = model().sha256
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
