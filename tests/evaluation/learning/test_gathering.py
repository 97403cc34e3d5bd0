"""What is gathered to learn from and to test on, and which leaks are found."""

import pytest

from evaluation.learning.gathering import Gathered, from_library, leaks_among
from retrieval.models import Domain
from tests.evaluation.learning.conftest import topic

pytestmark = pytest.mark.django_db


def test_only_what_people_judged_is_learned_from(library):
    topic("t1", "who may vote")
    topic("t2", "who may print money", kind="llm")
    topic("t3", "who may coin money", kind="click")
    topic("t4", "who may declare war", grade=None)
    topic("t5", "who may drive", grade=None, answerable=False)
    topic("t6", "what is free speech", split="tune")
    assert [each.id for each in from_library().learned] == ["t1", "t5"]


def test_the_same_question_twice_is_learned_once_with_the_grades_of_all(library):
    topic("t1", "Who may vote?", grade=1)
    topic("t2", "who may  vote?", grade=3)
    [only] = from_library().learned
    assert (only.id, only.relevant) == ("t1", {"/us/const/amendment/I": 1})


def test_topics_of_private_domains_are_not_gathered(library):
    topic("t1", "who may vote", domain=Domain.objects.get(slug="client_cases"))
    assert from_library() == Gathered((), ())


def test_a_live_question_near_a_test_topic_is_set_aside(library):
    topic("kept", "Can the police search my phone?", split="test")
    topic("asked", "can police search my phone", source="search")
    topic("other", "who may vote", source="search")
    gathered = from_library()
    assert ([each.id for each in gathered.learned], gathered.aside) == (["other"], ("asked",))


def test_the_shipped_topics_leak_nothing():
    gathered = from_library()
    assert len(gathered.learned) >= 500 and len(gathered.tested) >= 330
    assert leaks_among(gathered, dry_run=False) == []
