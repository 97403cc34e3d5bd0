"""By what a question is best searched: one of six strategies, with a reason and a calibrated probability.

It changes no ranking: a citation has been answered by its provisions before, and the hybrid search answers all others.
A question of keywords alone is not declined by law of which nothing was learned, where a text has them all.
The name is kept with the query and in its trace, and `manage.py strategy_regret` tells what it would be worth.
"""

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from retrieval.ranking import Ranking
from retrieval.text.language import ENGLISH_FUNCTION_WORDS, SPANISH_FUNCTION_WORDS
from retrieval.text.normalization import fold
from retrieval.text.patterns import sections
from retrieval.text.question_parts import parts
from rules.models import STRATEGIES, QuestionPhrase
from rules.published import phrases

CHOICES = ("citation", "keyword", "hybrid", "hierarchical", "multi_part", "graph")
PATTERNS = {
    name: re.compile(pattern) for name, pattern in sections(Path(__file__).with_name("strategies.txt")).items()
}
FEATURES = (
    "is_citation",
    "has_citation",
    "parts",
    "quoted",
    "words",
    "few_words",
    "function_words",
    *PATTERNS,  # asks, broad, graph
)
LEARNED = Path(__file__).parent / "strategy.json"
FEW = 4  # words of a question that may be only keywords


@dataclass(frozen=True)
class Strategy:
    """Names the strategy of the question, why, and how probable it is that a person would have named it."""

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        listed = phrases(query.versions.get("phrases", 0)).uses(query.text, query.language)
        if named := listed.get(QuestionPhrase.Use.STRATEGY):
            return chosen(ranking, STRATEGIES[named], 1.0, "a phrase of staff")
        if ranking.final:
            return chosen(ranking, "citation", 1.0, "the question is a citation or a name")
        row = features(
            query.original, query.language, cited=bool(query.citations), whole=bool(query.unresolved)
        )
        shares = probabilities(row[None, :])[0]
        best = int(np.argmax(shares))
        return chosen(ranking, CHOICES[best], float(shares[best]), reason(row, best))


def chosen(ranking: Ranking, name: str, confidence: float, why: str) -> Ranking:
    query, served = replace(ranking.query, strategy=name), "citation" if ranking.final else "hybrid"
    told = f"{name} {confidence:.2f}: {why}" + ("" if name == served else f"; searched as {served}")
    return replace(ranking, query=query).noting(
        told, strategy=name, confidence=round(confidence, 3), reason=why, searched_as=served
    )


def features(text: str, language: str, *, cited: bool, whole: bool) -> np.ndarray:
    """(FEATURES,) of one question, which cites a place, or is a whole citation; each between 0 and 1."""
    folded = fold(text)
    words = re.findall(r"\w+", folded)
    common = ENGLISH_FUNCTION_WORDS | SPANISH_FUNCTION_WORDS
    return np.array(
        [
            whole,
            cited,
            len(parts(text, language)) > 1,
            '"' in text,
            min(np.log1p(len(words)) / 4, 1.0),
            len(words) <= FEW,
            sum(word in common for word in words) / max(len(words), 1),
            *(bool(pattern.search(folded)) for pattern in PATTERNS.values()),
        ],
        dtype=float,
    )


@cache
def shipped_weights() -> tuple[np.ndarray, np.ndarray]:
    """(FEATURES, CHOICES) weights and (CHOICES,) intercepts, as `manage.py train_strategy` wrote them."""
    stored = json.loads(LEARNED.read_text())
    assert stored["features"] == list(FEATURES) and stored["choices"] == list(CHOICES), "train_strategy again"
    return np.array(stored["weights"]), np.array(stored["intercepts"])


def probabilities(rows: np.ndarray) -> np.ndarray:
    """(questions, CHOICES), each row a distribution."""
    weights, intercepts = shipped_weights()
    logits = rows @ weights + intercepts
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def reason(row: np.ndarray, best: int) -> str:
    """The feature that speaks most for it."""
    weights, _ = shipped_weights()
    pull = row * (weights[:, best] - weights.mean(axis=1))
    return FEATURES[int(np.argmax(pull))] if pull.max() > 0 else "nothing speaks for another"
