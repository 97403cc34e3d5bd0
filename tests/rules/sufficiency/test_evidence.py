"""How probable it is that what was found answers."""

import json
from dataclasses import replace

import numpy as np
import pytest

from evaluation.measuring.runs import Runner
from rules.sufficiency.evidence import FEATURES, FILE, Sufficiency, features, in_force, share_in, unknown

pytestmark = pytest.mark.django_db


def test_the_shipped_weights_are_of_the_features_that_are_read():
    row = json.loads(FILE.read_text(encoding="utf-8"))
    assert set(row["weights"]) == set(FEATURES) and 0 < row["minimum"] < 1


def test_it_is_a_logistic_of_the_features():
    model = Sufficiency(np.array([2.0, -1.0]), 0.5, 0.5)
    assert model.of(np.array([1.0, 2.5])) == pytest.approx(0.5)
    assert model.of(np.array([2.0, 2.5])) > 0.8


def values_of(text: str, language: str | None = None) -> dict[str, float]:
    ranking = Runner("once").ranking(text, ("us_constitution",), language)
    return dict(zip(FEATURES, features(ranking), strict=True))


def test_words_that_no_law_here_has_and_words_that_it_has():
    plain, odd = values_of("unreasonable searches and seizures"), values_of("unreezonable blorpings of zzyzx")
    assert plain["unknown"] == 0 and odd["unknown"] > 0.5
    assert plain["covered"] == 1 and odd["covered"] < 0.5


def test_the_part_of_a_question_that_has_least_is_told():
    both = values_of("What are unreasonable searches and seizures? Who sells cryptocurrency tokens?")
    assert both["part_covered"] < both["covered"]


def test_nothing_found_has_features_too():
    ranking = Runner("once").ranking("zzz qqq", ("us_code",))
    assert np.isfinite(features(replace(ranking, candidates=(), near_misses=()))).all()
    assert share_in("of the", np.zeros(0, np.uint32)) is None


def test_a_question_in_the_other_language_than_it_is_called():
    assert values_of("me catearon la casa sin orden", "en")["other_language"] == 1
    assert values_of("me catearon la casa sin orden", "es")["other_language"] == 0


def test_the_model_in_force_tells_an_answer_from_none():
    good, bad = values_of("unreasonable searches and seizures"), values_of("recipe for banana bread")
    as_array = lambda values: np.array([values[name] for name in FEATURES])  # noqa: E731
    assert in_force().of(as_array(good)) > in_force().of(as_array(bad))
    assert unknown(Runner("once").ranking("search", ("us_constitution",)).query) == 0
