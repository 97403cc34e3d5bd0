"""A judge sees what the judge may search, and no more."""

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse

from evaluation.judging import assignment
from evaluation.judging.implicit_feedback import (
    clicks_to_judgments,
)
from evaluation.models import Judgment, Topic
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Domain, Feedback, LLMVerdict, SearchLog, Section
from retrieval.request import SearchRequest
from retrieval.search.service import search
from retrieval.text.normalization import normalize
from retrieval.text.personal_data import query_hash
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


def section(locator: str) -> Section:
    return Section.objects.get(locator=locator, live=True, valid_to=None)


@pytest.fixture
def at_work(client, ann):
    client.force_login(ann)
    return ann


def post(client, **fields):
    return client.post(reverse("admin_judge"), fields, follow=True)


def test_a_language_models_verdict_shows_only_after_ones_own(client, at_work):
    asked = topic()
    url = f"{reverse('admin_judge')}?topic={asked.pk}&locator={FIFTH}"
    LLMVerdict.objects.create(
        query_hash=query_hash(normalize(TWICE)), section_id=section(FIFTH).pk, model="a-model",
        prompt_version="1", score=8, reason="Said by a model",
    )  # fmt: skip
    Judgment.objects.create(topic=asked, locator=FIFTH, grade=3, kind="llm", judge="b-model", explanation="B")
    assert "model" not in client.get(url).content.decode().split('class="arf-judge"')[1].split("</main>")[0]
    assert "Said by a model" in post(client, topic=asked.pk, locator=FIFTH, grade=2).content.decode()
    assert "b-model" in client.get(url).content.decode()
