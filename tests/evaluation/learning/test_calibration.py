"""Calibration declines no more than allowed, and never reads the test split."""

import pytest
from django.core.management import CommandError, call_command

from evaluation.learning.calibration import FEWEST, fit, judged_first_pages
from evaluation.topics.topic import read_topics
from retrieval.errors import ArfError
from tests.conftest import ROOT

TOPICS = ROOT / "evaluation/topics/data/us_constitution.jsonl"


@pytest.mark.django_db
def test_a_calibration_declines_no_more_than_it_was_allowed():
    fitted = fit(judged_first_pages(read_topics(TOPICS, split="tune"), "gated"), most_declined=0.05)
    assert fitted.declined_answerable <= 0.05 + 1 / fitted.topics
    assert fitted.declined_unanswerable > fitted.declined_answerable
    assert all(weight >= 0 for name, weight in fitted.weights.items() if "intercept" not in name)


def test_too_few_topics_are_refused_for_a_calibration():
    with pytest.raises(ArfError, match=f"{FEWEST} are needed"):
        fit([], most_declined=0.05)


def test_a_topic_of_the_test_split_never_reaches_the_calibration():
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("calibrate", "us_constitution", str(TOPICS), "--split", "test")
