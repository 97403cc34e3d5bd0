"""Suggested rules in the admin."""

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse

from evaluation.models import Judgment, RuleSuggestion, Topic
from evaluation.rule_impact import impact, suggestions
from retrieval.models import Domain
from rules.models import Rule
from tests.builders import nothing_judged
from tests.rule_searches import FIRST, THIRD

LIST = "/admin/evaluation/rulesuggestion/"


@pytest.fixture
def topics(db):
    """Two that the Constitution answers by its words, none shipped."""
    nothing_judged()
    a_topic("guards", "Can soldiers be quartered in my house?", THIRD)
    a_topic("press", "Does the Constitution protect freedom of the press?", FIRST)


def a_topic(name: str, query: str, relevant: str = "", **fields) -> Topic:
    domain = fields.pop("domain", None) or Domain.objects.get(slug="us_constitution")
    topic = Topic.objects.create(name=name, query=query, domain=domain, answerable=bool(relevant), **fields)
    if relevant:
        Judgment.objects.create(topic=topic, locator=relevant, grade=3, judge="ann")
    return topic


def failing(**fields) -> Topic:
    return a_topic("dogs", "May the zorblax kennel be taxed twice?", THIRD, **fields)


@pytest.fixture
def enter(client, db):
    def sign_in(group: str) -> User:
        user = User.objects.create_user(f"one {group}", is_staff=True)
        user.groups.set(Group.objects.filter(name=group))
        client.force_login(user)
        return user

    return sign_in


def a_suggestion(topic: Topic) -> RuleSuggestion:
    content = suggestions.very_rule(impact.library.as_topics(Topic.objects.filter(pk=topic.pk))[0])
    numbers = {"gain": 0.1, "gain_low": 0.0, "gain_high": 0.2, "topics": 3, "touched": 1, "rules_version": 1}
    return RuleSuggestion.objects.create(topic=topic, failure="unfound", content=content, **numbers)


def test_one_click_makes_a_draft_that_is_not_published(client, enter, topics):
    ann = enter("Curator")
    row = a_suggestion(failing())
    page = client.get(LIST).content.decode()
    assert "zorblax kennel" in page and "+0.1000 (+0.0000 … +0.2000)" in page and "train and tune" in page
    answer = client.post(f"{LIST}{row.pk}/do/draft/")
    rule = Rule.objects.get()
    assert answer.url == reverse("admin:rules_rule_change", args=[rule.pk])
    assert (rule.status, rule.live, rule.owner) == ("draft", None, ann) and "zorblax" in rule.rationale
    row.refresh_from_db()
    assert (row.status, row.rule, row.settled_by) == ("drafted", rule, ann)
    assert "not possible any more" in client.post(f"{LIST}{row.pk}/do/draft/", follow=True).content.decode()


def test_a_dismissed_suggestion_stays_dismissed(client, enter, topics):
    enter("Curator")
    row = a_suggestion(failing())
    client.post(f"{LIST}{row.pk}/do/dismiss/")
    row.refresh_from_db()
    assert row.status == "dismissed" and not Rule.objects.exists()


def test_the_look_is_a_job(client, enter, topics):
    enter("Curator")
    answer = client.post(f"{LIST}look/")
    assert "/jobrun/" in answer.url and client.get(f"{LIST}look/").status_code == 405


@pytest.mark.parametrize("group", ["Judge", ""])
def test_others_than_curators_see_and_press_nothing(client, enter, topics, group):
    enter(group)
    row = a_suggestion(failing())
    assert client.get(LIST).status_code == 403 and client.post(f"{LIST}look/").status_code == 403
    assert client.post(f"{LIST}{row.pk}/do/draft/").status_code in (403, 404) and not Rule.objects.exists()


def test_suggestions_of_a_domain_that_staff_may_not_see_are_not_there(client, enter, topics):
    enter("Curator")
    row = a_suggestion(failing(domain=Domain.objects.get(slug="client_cases")))
    assert "zorblax" not in client.get(LIST).content.decode()
    assert client.post(f"{LIST}{row.pk}/do/draft/").status_code == 404
