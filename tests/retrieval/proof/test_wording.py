import pytest

from retrieval.proof import checks
from retrieval.proof.alignment import tokens
from retrieval.proof.types import Source
from retrieval.proof.verify import verify
from retrieval.proof.wording import MOST_PAIRS, in_order, repeated, turned
from tests.retrieval.proof.provisions import SEARCHES

ENDLESS = [
    ("no 5 " * 400, "no 5 " * 2_000),
    ("a b not c " * 240, "a b c " * 1_500),
    ("not before 5 and " * 240, "not unless 5 " * 1_500),
]


def aligned(said: str, law: str):
    claim, written = tokens(said, "en"), tokens(law, "en")
    return claim, written, in_order(claim, written)


def test_words_in_the_laws_order_are_counted_and_where_they_stand():
    _, law, found = aligned("The Secretary shall pay the claim", "Each year the Secretary shall promptly pay the claim")
    assert found.order == 1.0
    assert found.tight == pytest.approx(6 / 7)
    there = " ".join(token.word for token in law[slice(*found.region)])
    assert there == "the secretary shall promptly pay the claim"


@pytest.mark.parametrize(
    ("said", "codes"),
    [
        ("The Secretary shall not pay the claim in full", ["negation"]),
        ("The Secretary shall pay the claim in full", []),
    ],
)
def test_a_not_put_in_between_words_of_the_law_turns_them_round(said, codes):
    assert list(turned(*aligned(said, "The Secretary shall pay the claim in full"))) == codes


def test_no_word_of_the_law_is_repeated_without_end():
    words = SEARCHES.text.split()
    assert repeated(words, words) == frozenset()


@pytest.mark.parametrize(("said", "law"), ENDLESS)
def test_words_repeated_without_end_are_compared_in_few_steps(said, law, monkeypatch):
    looked_at = []
    monkeypatch.setattr(checks, "bound", lambda *place: looked_at.append(place) or 0)
    one, other = said.split(), law.split()
    left = {*one} - repeated(one, other)
    assert sum(one.count(word) * other.count(word) for word in left) <= MOST_PAIRS
    verify(f"{said.strip()}.", [Source("/x", "x", law)], language="en")
    assert len(looked_at) <= len(one) + len(other)
