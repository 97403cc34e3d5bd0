"""What a cross-encoder learns from: train topics alone, with hard negatives."""

import numpy as np
import pytest

from evaluation.cross_encoder.fitting import Pair
from evaluation.cross_encoder.pairs import asked, chosen, learned, pairs_of, tuned
from evaluation.models import Judgment
from retrieval.models import Domain
from tests.evaluation.learning.conftest import topic

pytestmark = pytest.mark.django_db


def test_neither_tune_nor_test_nor_what_is_near_them_is_learned_from(library):
    topic("t1", "who may vote at eighteen")
    topic("t2", "Can police search a car?")
    topic("t3", "is a warrant needed for texts", group="phones")
    topic("u1", "can the police search a car", split="tune")
    topic("u2", "may they read my messages", split="tune", group="phones")
    topic("u3", "what is a quorum for", split="tune", domain=Domain.objects.get(slug="client_cases"))
    topic("u4", "how to bake bread", split="tune", grade=None, answerable=False)
    topic("kept", "what is free speech", split="test")
    assert [each.id for each in learned()] == ["t1"]
    assert [each.id for each in tuned()] == ["u1", "u2"]


def test_pairs_hold_what_is_relevant_and_what_looks_like_it(library):
    row = topic("t1", "who may search my house", grade=None)
    Judgment.objects.create(topic=row, locator="/us/const/amendment/IV", grade=3, judge="a")
    topic("t2", "how do I bake bread", grade=None, answerable=False)
    answered, unanswered = asked(learned())
    first = answered.texts[0]
    assert "searches and seizures" in first and len(answered.texts) == 50
    labelled = dict(zip(answered.texts, answered.pool.labels, strict=False))
    pairs = pairs_of([answered])
    assert {pair.question for pair in pairs} == {"who may search my house"}
    assert all(pair.relevant == labelled[pair.text] for pair in pairs)
    assert sum(not pair.relevant for pair in pairs) == 3 and any(pair.relevant for pair in pairs)
    assert all(pair.text in answered.texts[:24] for pair in pairs if not pair.relevant)
    [one] = chosen(unanswered, np.random.default_rng(0))
    assert one == Pair("how do I bake bread", one.text, relevant=False)


def test_the_same_is_gathered_twice(library):
    topic("t1", "who may search my house")
    topic("t2", "who declares war")
    first, again = asked(learned()), asked(learned())
    assert pairs_of(first) == pairs_of(again) and [one.texts for one in first] == [one.texts for one in again]
