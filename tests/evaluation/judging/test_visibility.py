"""A judge sees what the judge may search, and no more."""

import pytest
from django.contrib.auth.models import Group, User

from evaluation.judging import assignment
from evaluation.judging.implicit_feedback import (
    clicks_to_judgments,
)
from evaluation.models import Topic
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Domain, Feedback, SearchLog, Section
from retrieval.request import SearchRequest
from retrieval.search.service import search
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


def topic(query: str = TWICE, **fields) -> Topic:
    domain = Domain.objects.get(slug="us_constitution")
    fields = {"name": f"t{Topic.objects.count()}", "domain": domain} | fields
    return Topic.objects.create(query=query, **fields)


def asked_by_a_reader(text: str = TWICE) -> SearchLog:
    answer = search(SearchRequest(text), ANONYMOUS, channel="page", fresh=True)
    return SearchLog.objects.get(pk=answer["trace_id"])


def test_private_provisions_and_topics_stay_private(ann):
    private = Domain.objects.get(slug="client_cases")
    topic("a client's question", domain=private)
    assert assignment.next_pair(ann) is None
    Section.objects.filter(locator=FIFTH).update(domain=private)
    log = asked_by_a_reader("privilege against self-incrimination")
    Feedback.objects.create(log=log, locator=FIFTH, verdict="helpful")
    assert clicks_to_judgments() == 0
