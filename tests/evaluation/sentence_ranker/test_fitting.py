"""The sentence ranker learns which sentence answers, and goes on where it was stopped."""

from itertools import product

import numpy as np
import pytest

from evaluation import fine_tuning
from evaluation.sentence_ranker import fitting
from evaluation.sentence_ranker.choices import Choice
from evaluation.sentence_ranker.fitting import Fitting, fit
from retrieval.engines import loaded
from retrieval.errors import ArfError

THINGS = ("boats", "dogs", "mills", "bells")


def choice(thing: str, when: str) -> Choice:
    others = (other for other in THINGS if other != thing)
    texts = (f"The fee for {each} is a shilling." for each in (thing, *others))
    return Choice(f"what does it cost to keep {thing} {when}", tuple(texts))


CHOICES = [choice(*each) for each in product(THINGS, ("now", "at night", "in winter", "at sea"))]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(fitting, "BATCH", 4)
    monkeypatch.setattr(fine_tuning, "EVERY", 1)


@pytest.mark.usefixtures("from_a_tiny_model")
def test_a_training_that_is_stopped_goes_on_and_ends_as_one_that_was_not(tmp_path):
    whole = fit(tmp_path / "whole", CHOICES, threads=1)
    begun = Fitting(tmp_path / "parts", CHOICES, 1)
    begun.take_batch()
    begun.keep()
    told = []
    again = fit(tmp_path / "parts", CHOICES, threads=1, say=told.append)
    assert len(told) == again.batches - 1 and again.losses == whole.losses[1:]
    with pytest.raises(ArfError, match="another training"):
        Fitting(tmp_path / "parts", CHOICES[:4], 1)


def test_without_names_that_point_nothing_is_learned(tmp_path):
    with pytest.raises(ArfError, match="no names"):
        Fitting(tmp_path, [], 1)


LEGISLATION = (
    "Every Bill which shall have passed both Houses shall, before it become a Law, be presented to the President.",
    "If after such Reconsideration two thirds of that House shall agree to pass the Bill, it shall become a Law.",
    "But in all such Cases the Votes of both Houses shall be determined by Yeas and Nays.",
    "If any Bill shall not be returned by the President within ten Days, the Same shall be a Law.",
)


@pytest.mark.parametrize(
    ("question", "which"),
    [
        ("who has to see it before it counts as law", 0),
        ("how many must agree to overturn a veto", 1),
        ("do we get to know who was for and who was against", 2),
        ("how long may he think about it", 3),
    ],
)
def test_what_ships_tells_sentences_of_one_provision_apart(question, which):
    assert np.argmax(loaded.sentence_ranker().logits(question, LEGISLATION)) == which
