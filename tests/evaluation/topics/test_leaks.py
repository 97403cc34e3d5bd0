"""No query kept for testing, nor a near-duplicate, is among those learned from; the index misses no pair. Pure."""

import random

import pytest

from evaluation.topics import leaks as module
from evaluation.topics.leaks import NEAR_DUPLICATE, jaccard, leaks, tokens

KEPT = "Can the police search my phone without a warrant?"


@pytest.mark.parametrize(
    "learned",
    [
        KEPT,
        "can THE police search my phone without a warrant",
        "Can police search a phone without any warrant?",
        "Without a warrant, can the police search my mobile phone?",
        "¿Cán the pólice search my phone without a warrant?",
    ],
)
def test_a_near_duplicate_is_found(learned):
    assert [leak.kept for leak in leaks([learned], [KEPT])] == [KEPT]


@pytest.mark.parametrize(
    "learned", ["Can the police enter my house without a warrant?", "Who appoints judges?"]
)
def test_another_question_is_none(learned):
    assert leaks([learned], [KEPT]) == []


def test_a_leak_tells_both_queries_and_how_near_they_are():
    assert str(leaks(["who may vote?"], ["Who may vote"])[0]) == "“who may vote?” is 100% “Who may vote”"


def test_queries_of_stopwords_alone_are_compared_by_all_their_words():
    assert leaks(["who are we"], ["Who are we?"])
    assert leaks(["who are we"], ["to be or not to be"]) == []


def random_queries(count: int, seed: int, *, vocabulary: int, most: int) -> list[str]:
    chance = random.Random(seed)
    return [
        " ".join(f"w{int(chance.paretovariate(0.7)) % vocabulary}" for _ in range(chance.randint(1, most)))
        for _ in range(count)
    ]


def test_the_index_finds_every_pair_that_comparing_all_finds():
    learned = random_queries(300, 1, vocabulary=40, most=8)
    kept = random_queries(100, 2, vocabulary=40, most=8)
    every = {(a, b) for a in learned for b in kept if jaccard(tokens(a), tokens(b)) >= NEAR_DUPLICATE}
    assert every and {(leak.learned, leak.kept) for leak in leaks(learned, kept)} == every


def test_few_pairs_are_compared(monkeypatch):
    compared = []
    monkeypatch.setattr(module, "jaccard", lambda a, b: compared.append(1) or jaccard(a, b))
    learned = random_queries(2_000, 3, vocabulary=5_000, most=15)
    kept = random_queries(500, 4, vocabulary=5_000, most=15)
    leaks(learned, kept)
    assert 0 < len(compared) < len(set(learned)) * len(set(kept)) / 4
