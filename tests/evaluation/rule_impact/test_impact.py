"""What a change of rules does to answers: told before it is published, and so afterwards."""

# ruff: noqa: F401, F811 (fixtures)
from datetime import timedelta

import pytest
from django.utils import timezone

from evaluation.models import Judgment, RulePreview, Topic
from evaluation.rule_impact import hidden_text, impact, previews
from evaluation.rule_impact.impact import PublicSearch, effects, judged_questions, logged_questions
from retrieval import jobs
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.models import Domain, JobRun, SearchLog
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.authoring import workflow
from rules.linting import linter
from rules.models import Rule, RuleFinding
from tests.builders import a_case_file, nothing_judged
from tests.rule_searches import ALWAYS, section
from tests.rule_sets import HIDES, SPARES, Judged, judged_sets

pytestmark = pytest.mark.django_db
FIRST, FOURTH, FIFTH, EIGHTH = (f"/us/const/amendment/{n}" for n in ("I", "IV", "V", "VIII"))
WARRANT = [{"kind": "keywords", "value": ["warrant", "police"]}]
LOGGED = [
    "Can the police search my phone without a warrant?",
    "who can declare war",
    "¿Puede la policía entrar en mi casa sin orden judicial?",
    "best pizza dough hydration",
    "amendment IV",
    "police warrants for GPS tracking",
]
LINES: list[SearchLog] = []


@pytest.fixture
def topics(db):
    """Three topics of the open splits and one of the test split."""
    nothing_judged()
    us = Domain.objects.get(slug="us_constitution")
    said = [
        ("t1", "Do police need a warrant to search my car?", "train", {FOURTH: 3, FIFTH: 1}),
        ("t2", "Is excessive bail forbidden?", "tune", {EIGHTH: 3}),
        ("t3", "How do I renew a driver's licence?", "train", {}),
        ("t4", "May the police take my house with a warrant?", "test", {FOURTH: 3}),
    ]
    for name, query, split, grades in said:
        topic = Topic.objects.create(name=name, query=query, domain=us, split=split, answerable=bool(grades))
        for locator, grade in grades.items():
            Judgment.objects.create(topic=topic, locator=locator, grade=grade, judge="ann")


@pytest.fixture
def logged(db):
    """The questions are searched once in a process; what that logged is put in place for each test."""
    SearchLog.objects.all().delete()
    if LINES:
        SearchLog.objects.bulk_create(LINES)
        return
    for question in LOGGED:
        search(SearchRequest(text=question))
    LINES.extend(SearchLog.objects.order_by("created_at"))


def draft(*actions: dict | str, criteria=WARRANT, targets=(), **fields) -> Rule:
    made = Rule(
        name=fields.pop("name", "draft"),
        criteria=criteria,
        targets=list(targets),
        actions=[{"kind": action} if isinstance(action, str) else action for action in actions],
        **fields,
    )
    return workflow.save_draft(made, by=None)


def previewed(made: Rule) -> dict:
    return previews.account(previews.of_draft(made, ANONYMOUS, principal="user:1"))


# -- What is asked


def test_the_last_different_questions_of_the_public_are_asked(logged, topics):
    search(SearchRequest(text=LOGGED[0].upper()))
    search(SearchRequest(text="of a key"), Caller(("key:1",)))
    SearchLog.objects.filter(query_text=LOGGED[1]).update(query_text="")
    found = logged_questions()
    assert sorted(question.text.lower() for question in found) == sorted(
        text.lower() for text in LOGGED if text != LOGGED[1]
    )
    assert [question.text for question in logged_questions(2)] == [LOGGED[0].upper(), LOGGED[-1]]


def test_judged_questions_are_of_the_open_splits_and_of_public_domains(topics):
    file = a_case_file("Doe", "The client confessed.")
    private = Topic.objects.create(name="secret", query="Did Doe confess?", domain=file.domain)
    Judgment.objects.create(topic=private, locator="/x", grade=3, judge="ann")
    assert [question.topic.id for question in judged_questions()] == ["t1", "t2", "t3"]
    assert judged_questions(["client_cases"]) == []


# -- What is told is what happens


def test_only_questions_that_fire_either_version_are_asked_again(topics, logged, rule, monkeypatch):
    kept = rule({"kind": "pin"}, targets=section(FIRST), criteria=[{"kind": "keywords", "value": ["war"]}])
    kept.criteria = [{"kind": "exact", "value": "best pizza dough hydration"}]
    workflow.save_draft(kept, by=None)
    asked = []
    answer = PublicSearch.answer
    monkeypatch.setattr(
        PublicSearch,
        "answer",
        lambda self, read, rules: asked.append(read.query.original) or answer(self, read, rules),
    )
    previewed(kept)
    assert sorted(asked) == sorted(["who can declare war", "best pizza dough hydration"] * 2)


def test_of_questions_that_lack_a_rules_words_only_spanish_ones_are_read(topics, logged, monkeypatch):
    read, reading = [], PublicSearch.read
    monkeypatch.setattr(
        PublicSearch, "read", lambda self, asked: read.append(asked.text) or reading(self, asked)
    )
    previewed(draft("exclude", targets=section(FOURTH), criteria=[{"kind": "keywords", "value": ["pizza"]}]))
    assert read[:2] == ["best pizza dough hydration", LOGGED[2]]


# -- What is measured


def test_the_gain_is_over_all_judged_topics_and_what_is_hidden_is_named(topics, logged):
    told = previewed(draft("exclude", targets=section(FOURTH)))
    assert told["judged"] == {"looked_at": 3, "touched": 1, "changed": 1}
    assert told["logged"]["looked_at"] == 6 and told["logged"]["touched"] == 3
    assert told["ndcg_at_10"]["topics"] == 2 and told["ndcg_at_10"]["difference"] < 0
    (hidden,) = told["hidden"]
    assert (hidden["topic"], hidden["locator"], hidden["grade"]) == ("t1", FOURTH, 3)
    assert hidden["rank_before"] == 1 and hidden["rank_after"] is None
    (change,) = (change for change in told["changes"] if change["topic"])
    assert change["gain"] / 2 == pytest.approx(told["ndcg_at_10"]["difference"])


def test_what_is_only_pushed_down_tells_its_new_rank(topics):
    told = previewed(draft({"kind": "bury", "factor": 100}, targets=section(FOURTH)))
    [hidden] = told["hidden"]
    assert hidden["locator"] == FOURTH and hidden["rank_after"] > 10


def test_a_topic_that_no_law_answers_is_counted_where_a_rule_has_it_answered(topics):
    pins = draft({"kind": "pin"}, targets=section(FIRST), criteria=[{"kind": "keywords", "value": ["licence"]}])
    declines = previewed(pins)["declines"]
    assert declines["unanswerable_answered"] == 1 and sum(declines.values()) == 1
    refuses = draft({"kind": "abstain"}, name="refuses", criteria=[{"kind": "keywords", "value": ["bail"]}])
    declines = previewed(refuses)["declines"]
    assert declines["answerable_declined"] == 1 and sum(declines.values()) == 1


# -- Many questions: a job


def test_the_mean_gain_counts_topics_the_change_cannot_touch(topics):
    made = draft("exclude", targets=section(FOURTH))
    public = PublicSearch()
    change = impact.publishing(made.draft, public.in_force)
    (effect,) = effects(change, judged_questions(), public)
    gained = impact.mean_gain([effect.gain], 2)
    assert gained.mean == pytest.approx(effect.gain / 2) and gained.mean < 0
