"""Previews of rules on the page and over the API: for whom they are, what they tell, what they refuse."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse
from django.utils import timezone

from evaluation.measuring.runs import Runner
from evaluation.models import Judgment, RulePreview, Topic
from evaluation.rule_impact import hidden_text, impact, previews
from evaluation.rule_impact.impact import (
    PublicSearch,
    ReplayedQuestion,
    answer_of,
    effects,
    judged_questions,
    logged_questions,
)
from evaluation.rule_impact.previews import preview
from retrieval import jobs
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.models import Domain, JobRun, SearchLog
from retrieval.models.access import caller_for
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.authoring import workflow
from rules.linting import linter
from rules.models import DomainThreshold, Rule, RuleFinding
from rules.thresholds.publishing import next_version, publish
from tests.builders import a_case_file, nothing_judged
from tests.evaluation.rule_impact.test_impact import (
    EIGHTH,
    FIFTH,
    FIRST,
    FOURTH,
    LOGGED,
    WARRANT,
    draft,
    logged,
    previewed,
    topics,
)
from tests.retrieval.api.keys import key_with
from tests.retrieval.api.refusals import assert_refused
from tests.rule_searches import ALWAYS, section
from tests.rule_sets import HIDES, SPARES, Judged, judged_sets

pytestmark = pytest.mark.django_db


# ruff: noqa: F401, F811 (fixtures)


# -- The API


# -- The page


@pytest.fixture
def enter(client):
    def sign_in(role: str, name: str = "") -> User:
        user, _ = User.objects.get_or_create(username=name or f"a {role}", defaults={"is_staff": True})
        user.groups.set(Group.objects.filter(name=role))
        client.force_login(user)
        return user

    return sign_in


def begin(client, made: Rule, **said):
    return client.post(reverse("admin_preview_rule", args=[made.pk]), said)


def test_each_group_sees_what_is_for_it(client, enter, topics):
    made = draft({"kind": "pin"}, targets=section(FIRST))
    answered = {}
    for role in ("", "Judge", "Curator", "Administrator"):
        enter(role)
        begun = begin(client, made)
        row = RulePreview.objects.order_by("pk").last()
        page = client.get(reverse("admin_rule_preview", args=[row.pk if row else 1]))
        answered[role] = (begun.status_code, page.status_code)
    assert answered == {
        "": (403, 403),
        "Judge": (403, 403),
        "Curator": (302, 200),
        "Administrator": (302, 200),
    }
    client.logout()
    assert "/login/" in begin(client, made).url
    assert client.get(reverse("admin_preview_rule", args=[made.pk])).status_code == 302


def test_the_page_shows_lists_side_by_side_and_what_is_hidden(client, enter, topics, logged):
    enter("Curator")
    made = draft("exclude", targets=section(FOURTH), name="No Fourth")
    page = client.get(begin(client, made).url).content.decode()
    assert "No Fourth" in page and "Of 6 logged questions it concerns 3; 3 would be" in page
    assert "Judged-relevant text that leaves the first page" in page and "not found" in page
    assert f"<del>{FOURTH}</del>" in page and "<mark>/us/const/" in page
    assert LOGGED[0] in page and "over 2 topics" in page and "private domains" in page
    form = client.get(reverse("admin:rules_rule_change", args=[made.pk])).content.decode()
    assert "Last preview of this version" in form and "Preview of retiring" not in form


def test_the_approver_reads_what_the_proposer_saw(client, enter, topics, logged):
    enter("Curator", "ann")
    at = begin(client, draft({"kind": "pin"}, targets=section(FIRST))).url
    enter("Curator", "bea")
    assert LOGGED[0] in client.get(at).content.decode()


def test_a_rule_of_a_hidden_domain_is_not_previewed_nor_its_preview_shown(client, enter, topics):
    granted = enter("Curator", "ann")
    file = a_case_file("Doe", "The client confessed.", granted_to=caller_for(granted))
    made = draft({"kind": "note", "text": "Doe"}, domains=[file.domain.slug], name="about Doe")
    at = begin(client, made).url
    assert "about Doe" in client.get(at).content.decode()
    enter("Curator", "bea")
    assert begin(client, made).status_code == 404 and client.get(at).status_code == 404


def test_one_that_cannot_be_published_is_told_so_on_its_page(client, enter, topics):
    enter("Curator")
    made = draft({"kind": "pin"}, targets=section("/us/const/amendment/XXX"))
    page = client.post(reverse("admin_preview_rule", args=[made.pk]), follow=True).content.decode()
    assert "Nothing matches the target" in page and not RulePreview.objects.exists()


def test_the_page_of_a_job_shows_how_far_it_is_and_why_it_failed(client, enter, topics, logged, monkeypatch):
    monkeypatch.setattr(previews, "AT_ONCE", 2)
    enter("Curator")
    at = begin(client, draft({"kind": "pin"}, targets=section(FIRST), criteria=ALWAYS)).url
    page = client.get(at).content.decode()
    assert "0 of 9 questions asked again" in page and 'http-equiv="refresh"' in page
    JobRun.objects.update(status=JobRun.Status.FAILED, error="It broke.")
    page = client.get(at).content.decode()
    assert "It broke." in page and 'http-equiv="refresh"' not in page


def published_by(made: Rule, ann, ben) -> Rule:
    workflow.propose(made, by=ann, caller=ANONYMOUS)
    return workflow.publish(made, by=ben, caller=ANONYMOUS)


def shape(answer: dict) -> dict:
    return {
        "locators": [(r["locator"], r["pin"]) for r in answer["results"]],
        "near": [r["locator"] for r in answer["near_misses"]],
        "abstained": answer["abstained"],
        "confident": answer["confident"],
        "notes": [note["text"] for note in answer["rules"]["notes"]],
        "redirect": (answer["rules"]["redirect"] or {}).get("locator"),
    }


def told_shape(page: dict) -> dict:
    return {
        "locators": [(r["locator"], r["pin"]) for r in page["results"]],
        "near": [r["locator"] for r in page["near_misses"]],
        "abstained": page["abstained"],
        "confident": page["confident"],
        "notes": page["notes"],
        "redirect": page["redirect"],
    }


def shape_now(q: ReplayedQuestion) -> dict:
    return shape(search(SearchRequest(q.text, q.domains, language=q.language or None), fresh=True))


@pytest.fixture(scope="module")
def without_rules() -> Callable[[ReplayedQuestion], dict]:
    """The answer while no rule is in force: each question is asked once."""
    known: dict[tuple, dict] = {}

    def answer(q: ReplayedQuestion) -> dict:
        asked = q.text, q.domains, q.language
        if asked not in known:
            known[asked] = shape_now(q)
        return known[asked]

    return answer


def assert_comes_true(row: RulePreview, take: Callable, now: Callable[[ReplayedQuestion], dict] = shape_now) -> None:
    """Before it is taken answers are as the preview says they are now, then as it says they will be."""
    told = {("log", c["log"]) if "log" in c else ("topic", c["topic"]): c for c in row.changes}
    asked = {tuple(previews.reference(q)): q for q in (*logged_questions(), *judged_questions())}
    before = {key: now(q) for key, q in asked.items()}
    take()
    after = {key: shape_now(q) for key, q in asked.items()}
    assert {key for key in asked if before[key] != after[key]} <= told.keys()
    for key, change in told.items():
        assert told_shape(change["before"]) == before[key]
        assert told_shape(change["after"]) == after[key]
    assert told, "it changes something"


KINDS = {
    "pin": dict(actions=[{"kind": "pin", "position": 1}], targets=section(FIRST)),
    "exclude": dict(actions=["exclude"], targets=section(FOURTH)),
    "restrict": dict(actions=["restrict"], targets=section(FIRST, FIFTH)),
    "boost and note": dict(
        actions=[{"kind": "boost", "factor": 50}, {"kind": "note", "text": "See a lawyer."}],
        targets=section(EIGHTH),
    ),
    "bury": dict(actions=[{"kind": "bury", "factor": 90}], targets=section(FOURTH)),
    "alias": dict(actions=["alias"], targets=section(FIRST)),
    "rewrite": dict(actions=[{"kind": "rewrite", "text": "freedom of speech"}]),
    "synonym": dict(actions=[{"kind": "synonym", "text": "religion speech press"}]),
    "redirect": dict(actions=[{"kind": "redirect", "locator": FOURTH}]),
    "abstain": dict(actions=["abstain"]),
    "always": dict(actions=[{"kind": "pin"}], targets=section(FIRST), criteria=ALWAYS),
}


@pytest.mark.parametrize("kind", KINDS)
def test_publishing_does_what_the_preview_said(kind, topics, logged, ann, ben, without_rules):
    said = dict(KINDS[kind])
    made = draft(*said.pop("actions"), **said)
    row = previews.of_draft(made, ANONYMOUS, principal="user:1")
    assert_comes_true(row, lambda: published_by(made, ann, ben), now=without_rules)


def test_an_edit_of_a_published_rule_is_previewed_against_the_version_in_force(
    topics,
    logged,
    rule,
    ann,
    ben,
):
    rule({"kind": "pin"}, targets=section(EIGHTH), criteria=ALWAYS, name="beside it")
    kept = rule({"kind": "pin"}, targets=section(FIRST), criteria=WARRANT)
    kept.criteria = [{"kind": "keywords", "value": ["war", "phone"]}]
    kept.actions = [{"kind": "pin", "position": 3}]
    workflow.save_draft(kept, by=ann)
    row = previews.of_draft(kept, ANONYMOUS, principal="user:1")
    assert_comes_true(row, lambda: published_by(kept, ann, ben))


def test_retiring_does_what_the_preview_said(topics, logged, rule, ann):
    kept = rule("exclude", targets=section(FOURTH), criteria=WARRANT)
    row = previews.of_retiring(kept, principal="user:1")
    assert_comes_true(row, lambda: workflow.retire(kept, by=ann))
    with pytest.raises(workflow.RuleRefused):
        previews.of_retiring(Rule.objects.get(), principal="user:1")


def test_a_rule_of_another_day_changes_nothing_and_says_so(topics, logged):
    tomorrow = timezone.localdate() + timedelta(days=1)
    told = previewed(draft({"kind": "pin"}, targets=section(FIRST), valid_from=tomorrow))
    assert told["changes"] == [] and any("not in force today" in lack for lack in told["lacks"])


def test_words_are_told_only_as_long_as_the_log_keeps_them(topics, logged):
    row = previews.of_draft(draft("exclude", targets=section(FOURTH)), ANONYMOUS, principal="user:1")
    assert not any(LOGGED[0] in str(getattr(row, field.name)) for field in RulePreview._meta.fields)
    assert LOGGED[0] in str(previews.account(row))
    SearchLog.objects.update(query_text="")
    told = previews.account(row)
    assert LOGGED[0] not in str(told) and told["logged"]["changed"] == 3
    assert {change["query"] for change in told["changes"] if not change["topic"]} == {None}


def test_what_the_log_lacks_is_told(topics, logged):
    SearchLog.objects.filter(query_text=LOGGED[1]).update(query_text="")
    told = " ".join(previewed(draft("exclude", targets=section(FOURTH)))["lacks"])
    assert "holds 5 public questions" in told and "1 search is older" in told
    assert "private domains" in told and "test split" in told


def test_many_questions_are_asked_by_a_job_in_steps(topics, logged, monkeypatch):
    monkeypatch.setattr(previews, "AT_ONCE", 2)
    monkeypatch.setattr(previews, "BATCH", 3)
    made = draft({"kind": "pin"}, targets=section(FIRST), criteria=ALWAYS)
    row = previews.of_draft(made, ANONYMOUS, principal="user:1")
    assert row.finished_at is None and previews.account(row)["status"] == "running"
    stepped = [(run.position, run.total) for run in jobs.run_here(row.job)]
    assert stepped == [(3, 9), (6, 9), (9, 9)]
    by_job = previews.account(RulePreview.objects.get(pk=row.pk))
    monkeypatch.setattr(previews, "AT_ONCE", 100)
    at_once = previewed(made)
    volatile = ("id", "created_at")
    assert {k: v for k, v in by_job.items() if k not in volatile} == {
        k: v for k, v in at_once.items() if k not in volatile
    }


def test_a_preview_begins_anew_where_rules_are_published_between_its_steps(
    topics,
    logged,
    rule,
    monkeypatch,
):
    monkeypatch.setattr(previews, "AT_ONCE", 2)
    monkeypatch.setattr(previews, "BATCH", 5)
    made = draft({"kind": "pin"}, targets=section(FIRST), criteria=ALWAYS)
    row = previews.of_draft(made, ANONYMOUS, principal="user:1")
    steps = jobs.run_here(row.job)
    next(steps)
    rule({"kind": "pin"}, targets=section(EIGHTH), criteria=ALWAYS, name="meanwhile")
    assert [run.position for run in steps] == [5, 9]
    row = RulePreview.objects.get(pk=row.pk)
    assert all(EIGHTH in str(change["before"]) for change in row.changes)
    assert not previews.account(row)["outdated"]


def test_old_previews_are_deleted(topics):
    row = previews.of_draft(draft({"kind": "pin"}, targets=section(FIRST)), ANONYMOUS, principal="user:1")
    assert previews.prune() == 0
    RulePreview.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(days=8))
    assert previews.prune() == 1


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
    monkeypatch.setattr("evaluation.rule_impact.previews.JUDGED", 5)
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
    assert sorted(question.text for question in logged_questions(domain="us_constitution")) == sorted(
        QUESTIONS
    )


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
