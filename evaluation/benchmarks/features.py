"""How long the reranker takes for a pool, from words in memory to probabilities, beside ARF's own way of computing.

Everything is made up from a seed: only the time is meant. Never a unit test.
"""

import random
import string
import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from evaluation.benchmarks import arf_features
from retrieval.indexes.terms import (
    NONE,
    UNCITED,
    CandidateWords,
    QueryWords,
    SectionWords,
    as_words,
    frequencies,
    numbers,
)
from retrieval.models import SectionTerms
from retrieval.ranking import Candidate
from retrieval.stages.reranker.artifact import Dense, Layer, Reranker, grades_of
from retrieval.stages.reranker.features import FEATURES, Asked, JudgedNeighbours, matrix

CANDIDATES, WORDS, ASKED = 50, 300, 12
VOCABULARY, JUDGED, DIMS = 5_000, 600, 384
MLP = (128, 64, 32)
ARF_FEATURES = 15


def benchmark_features(*, repeat: int, seed: int) -> dict:
    """p50 and p95 in ms of both ways for the same texts, and of reading stored words from Postgres."""
    chance = random.Random(seed)
    texts, question = made_texts(chance)
    ours, theirs = our_way(texts, question, seed), arfs_way(texts, question, seed)
    return {
        "candidates": CANDIDATES,
        "words": WORDS,
        "repeat": repeat,
        "ours_ms": timed(ours, repeat),
        "arf_ms": timed(theirs, max(repeat // 5, 1)),
        "loading": loading(),
    }


def made_texts(chance: random.Random) -> tuple[list[str], str]:
    """Texts whose words are as unevenly frequent as those of a language (Zipf), and a question of such words."""
    words = [
        "".join(chance.choices(string.ascii_lowercase, k=chance.randint(2, 10))) for _ in range(VOCABULARY)
    ]
    weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
    texts = [" ".join(chance.choices(words, cum_weights=weights, k=WORDS)) for _ in range(CANDIDATES)]
    return texts, " ".join(chance.choices(words, cum_weights=weights, k=ASKED))


def our_way(texts: Sequence[str], question: str, seed: int) -> Callable[[], Any]:
    """From the question and stored words to calibrated probabilities, as serving does it."""
    chance = np.random.default_rng(seed)
    words = [SectionWords(np.sort(numbers(text, "en")), np.unique(numbers(text[:40], "en")), NONE) for text in texts]
    known = CandidateWords(words, [frequencies(words)], np.zeros(len(words), dtype=int), [UNCITED] * len(words))
    reranker = made_reranker(chance)
    vector = reranker.judged.vectors[0]
    candidates = [made_candidate(n, chance) for n in range(len(texts))]
    locators = [candidate.locator for candidate in candidates]

    def once() -> np.ndarray:
        asked = Asked(QueryWords.of({"en": question}), vector)
        rows = matrix(asked, candidates, known, reranker.judged)
        grades = grades_of(locators, reranker.judged.agreed(vector))
        return reranker.scored(rows, grades).probabilities

    return once


def made_candidate(number: int, chance: np.random.Generator) -> Candidate:
    legs = ("dense", "lexical", "alias_near")
    scores = dict(zip((*legs, "coverage"), chance.random(4).tolist(), strict=True))
    ranks = {leg: number + 1 for leg in legs}
    return Candidate(number, locator=locator(number), score=1 / (60 + number), scores=scores, ranks=ranks)


def locator(number: int) -> str:
    return f"/us/const/article/I/section/{number // 5}/clause/{number}"


def made_reranker(chance: np.random.Generator) -> Reranker:
    sizes = (len(FEATURES), *MLP, 1)
    layers = tuple(
        Layer(chance.normal(size=pair).astype(np.float32), np.zeros(pair[1], np.float32))
        for pair in zip(sizes, sizes[1:], strict=False)
    )
    vectors = chance.normal(size=(JUDGED, DIMS)).astype(np.float32)
    judged = JudgedNeighbours(
        vectors / np.linalg.norm(vectors, axis=1, keepdims=True),
        tuple({locator(int(chance.integers(CANDIDATES))): 3} for _ in range(JUDGED)),
        {locator(number): number for number in range(CANDIDATES)},
    )
    ends = (np.full(len(FEATURES), value, np.float32) for value in (-9, 9, 0, 1))
    knots, answers = np.array([np.linspace(0, 1, 30)] * 2), {"": [0.0] * 5}
    return Reranker(*ends, Dense(layers), knots, answers, judged)


def arfs_way(texts: Sequence[str], question: str, seed: int) -> Callable[[], Any]:
    """Its fifteen formulas over the texts, then scaler and three networks, isotonically calibrated, in scikit-learn."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.neural_network import MLPClassifier
    from sklearn.preprocessing import StandardScaler

    chance = np.random.default_rng(seed)
    rows, labels = chance.normal(size=(600, ARF_FEATURES)), chance.integers(0, 2, 600)
    scaler = StandardScaler().fit(rows)
    network = MLPClassifier(MLP, max_iter=200, tol=1.0, random_state=seed)  # stops early: it is only timed
    model = CalibratedClassifierCV(network, method="isotonic", cv=3).fit(scaler.transform(rows), labels)
    asked = arf_features.ArfQuestion(question, aliases=("powers of congress",))
    documents = [
        arf_features.Document(text[:40], 1 / (60 + number), texts=(text,))
        for number, text in enumerate(texts)
    ]

    def once() -> np.ndarray:
        made = [list(row.values()) for row in arf_features.extract(asked, documents)]
        return model.predict_proba(scaler.transform(np.array(made)))[:, 1]

    return once


def timed(once: Callable[[], Any], repeat: int) -> dict[str, float]:
    once()
    spans = []
    for _ in range(repeat):
        started = time.perf_counter()
        once()
        spans.append((time.perf_counter() - started) * 1000)
    return {f"p{p}": round(float(np.percentile(spans, p)), 3) for p in (50, 95)}


def loading() -> dict | None:
    """Of the stored words of as many sections, which a process does once for each; None where none are stored."""
    ids = list(SectionTerms.objects.order_by("pk").values_list("pk", flat=True)[:CANDIDATES])
    if not ids:
        return None
    read = []

    def once() -> None:
        rows = SectionTerms.objects.filter(pk__in=ids).values_list("body", "head", "way")
        read[:] = [as_words(*row) for row in rows]

    told = timed(once, 20)
    return {"sections": len(read), "words": sum(len(words.body) for words in read), "ms": told}
