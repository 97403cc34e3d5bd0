"""What of a topic is judged, in an order of each judge's own."""

import pytest
from django.contrib.auth.models import Group, User

from evaluation.judging import grading, pools
from evaluation.models import Judgment, Topic
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Domain, Section
from retrieval.models.access import caller_for
from tests.builders import nothing_judged

pytestmark = pytest.mark.django_db


FIFTH, FOURTH = "/us/const/amendment/V", "/us/const/amendment/IV"


TWICE = "Can I be tried twice for the same crime?"


def staff(name: str, group: str = "Judge") -> User:
    user = User.objects.create_user(name, password="a long password", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    return user


@pytest.fixture(autouse=True)
def empty_library(db):
    """Without the topics that ship."""
    nothing_judged()


@pytest.fixture
def ann():
    return staff("ann")


@pytest.fixture
def ben():
    return staff("ben")


def topic(query: str = TWICE, **fields) -> Topic:
    domain = Domain.objects.get(slug="us_constitution")
    fields = {"name": f"t{Topic.objects.count()}", "domain": domain} | fields
    return Topic.objects.create(query=query, **fields)


def section(locator: str) -> Section:
    return Section.objects.get(locator=locator, live=True, valid_to=None)


def grade(asked: Topic, locator: str, grade: int, user: User, explanation: str = "") -> Judgment:
    return grading.judge(asked, section(locator), None, grade, user, explanation)


def test_a_pool_joins_what_pipelines_find_and_what_was_judged(ann, ben):
    asked = topic()
    before = pools.pool(asked, caller_for(ann))
    outside = Section.objects.readable(ANONYMOUS).results().exclude(locator__in=before.locators).first()
    grade(asked, outside.locator, 0, ben)
    after = pools.pool(asked, caller_for(ann))
    assert 20 <= len(before.locators) <= 60
    assert FIFTH in before.first
    assert set(after.locators) == {*before.locators, outside.locator}


def test_each_judge_has_an_order_of_their_own_and_keeps_it(ann, ben):
    asked = topic()
    candidates = pools.pool(asked, ANONYMOUS)
    assert candidates.shuffled(asked, ann) == candidates.shuffled(asked, ann)
    assert candidates.shuffled(asked, ann) != candidates.shuffled(asked, ben)
    assert candidates.shuffled(asked, ann) != list(candidates.locators)


def test_an_abstaining_search_still_has_a_pool(ann):
    assert len(pools.pool(topic("how do I repot a cactus"), ANONYMOUS).first) == 10


def test_a_spanish_topic_is_shown_in_english_too(ann):
    asked = topic("¿Qué edad debe tener el presidente?", language="es")
    assert "president" in pools.pool(asked, ANONYMOUS).translated.lower()
