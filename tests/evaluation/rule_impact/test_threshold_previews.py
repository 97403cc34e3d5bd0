"""What a draft of thresholds would change."""

import pytest

from evaluation.measuring.runner import Runner
from evaluation.rule_impact.impact import answer_of, logged_questions
from evaluation.rule_impact.threshold_previews import preview
from retrieval.models import Domain, SearchLog
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.models import DomainThreshold
from rules.thresholds.publishing import next_version, publish

pytestmark = pytest.mark.django_db


@pytest.fixture
def domain():
    return Domain.objects.get(slug="us_constitution")


QUESTIONS = [
    "who can declare war",
    "best pizza dough hydration",
    "can police search my car without a warrant",
]


@pytest.fixture
def asked(domain, monkeypatch):
    monkeypatch.setattr("evaluation.rule_impact.threshold_previews.JUDGED", 5)
    for question in QUESTIONS:
        search(SearchRequest(text=question))
    return domain


def draft_of(domain: Domain, **changed) -> DomainThreshold:
    return next_version(domain.thresholds.get(active=True), reason="a test", **changed)


def test_only_public_questions_with_their_words_are_asked_again(asked):
    SearchLog.objects.create(
        query_text="secret",
        query_hash="s",
        language="en",
        caller="user:5",
        pipeline="default",
        channel="api",
        took_ms=1,
    )
    assert sorted(question.text for question in logged_questions(domain="us_constitution")) == sorted(QUESTIONS)


def test_a_draft_that_changes_nothing_shows_no_change(asked):
    told = preview(draft_of(asked))
    assert (told.logged, told.judged) == (3, 5)
    assert told.changes == told.judged_changes == ()
    assert told.difference.mean == 0


def test_what_the_preview_shows_is_what_happens_after_publishing(asked):
    draft = draft_of(asked, answer_minimum=0.5, minimum=0.1, gap=0.5, alias_search=0.5)
    told = preview(draft)
    assert told.changes
    publish(draft)
    promised = {change.question.text: change.after for change in told.changes}
    for question in logged_questions(domain="us_constitution"):
        answer = answer_of(Runner().ranking(question.text, question.domains, question.language))
        assert promised.get(question.text, answer) == answer
    for question, answer in promised.items():
        shown = search(SearchRequest(text=question, domains=("us_constitution",)))
        assert tuple(result["locator"] for result in shown["results"]) == answer.locators
        assert (shown["abstained"], shown["confident"]) == (answer.abstained, answer.confident)


def test_declining_what_was_answered_right_costs_measured_quality(asked):
    told = preview(draft_of(asked, answer_minimum=1.0))
    assert told.difference.mean < 0
    assert all(change.after.abstained for change in told.judged_changes)
