"""Pages on quality in the admin: over time, the last ablation, the preview of thresholds; each for those who may."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from evaluation import quality
from evaluation.models import Judgment, Run, Topic
from evaluation.preview import answers, logged_questions, preview
from retrieval.models import Domain, LLMCall, SearchLog
from retrieval.search import SearchRequest, search
from rules.models import DomainThreshold
from rules.thresholds import next_version, publish

pytestmark = pytest.mark.django_db


@pytest.fixture
def administrator(client):
    user = User.objects.create_user("admin", is_staff=True)
    user.groups.add(Group.objects.get(name="Administrator"))
    client.force_login(user)
    return user


@pytest.fixture
def domain():
    return Domain.objects.get(slug="us_constitution")


def a_run(value: float, *, days: int = 0, **fields) -> Run:
    estimate = {"mean": value, "low": value - 0.02, "high": value + 0.02}
    summary = {"measures": {"nDCG@10": estimate}, "by_kind": {"lay": {"topics": 9, "nDCG@10": value}}}
    summary["judged_at_10"] = {"mean": 0.4}
    defaults = {"pipeline": "default", "stages": "Pipeline()", "topics": "us_constitution, test"}
    moment = timezone.now() - timedelta(days=days)
    return Run.objects.create(created_at=moment, summary=summary, **defaults | fields)


def a_topic(domain: Domain, name: str, query: str, **fields) -> Topic:
    return Topic.objects.create(domain=domain, name=name, query=query, split="tune", **fields)


def pages(client) -> str:
    return client.get("/admin/quality/").content.decode()


# -- Quality over time


def test_pages_say_so_where_there_is_nothing_yet(client, administrator):
    assert "Nobody has searched yet." in pages(client)
    assert "No run is stored yet:" in pages(client)
    assert "Every topic has a judgment." in pages(client)
    assert "No ablation is stored yet:" in client.get("/admin/ablation/").content.decode()


def test_runs_of_one_set_and_pipeline_are_a_series_with_what_changed():
    a_run(0.7, days=2, versions={"aliases": 3, "rules": 1})
    a_run(0.8, days=1, versions={"aliases": 4, "rules": 1})
    a_run(0.6, pipeline="fusion")
    a_run(0.1, name="ablation dense")
    fusion, default = quality.series()
    assert (fusion.pipeline, default.pipeline) == ("fusion", "default")
    assert [point.value for point in default.points] == [0.7, 0.8]
    assert default.points[1].changed == (("aliases", 3, 4),)
    assert default.rows[0][1] == [0.8]
    assert default.plot.startswith("<svg") and fusion.plot == ""


def test_the_page_shows_series_slices_and_changes(client, administrator):
    a_run(0.7, days=2, versions={"aliases": 3})
    a_run(0.8, versions={"aliases": 4})
    page = pages(client)
    assert "aliases: 3 → 4" in page
    assert 'scope="col" class="number">lay' in page
    assert 'role="img"' in page


def test_a_run_shows_what_it_is_without_the_unjudged_and_what_it_took(client, administrator):
    run = a_run(0.8)
    run.summary |= {
        "condensed": {"nDCG@10": {"mean": 0.9, "low": 0.85, "high": 0.95}},
        "judged_at_10": {"mean": 0.4, "low": 0.3, "high": 0.5},
        "topics": 9, "declined_answerable": 1, "unanswerable": 3, "declined_unanswerable": 2,
        "ms": {"p50": 12.34}, "llm": {"share": 0.004}, "cost": {"per_1000": 0.25},
    }  # fmt: skip
    run.save()
    text = client.get(f"/admin/evaluation/run/{run.pk}/change/").content.decode()
    for shown in ("0.900 [0.850, 0.950]", "0.400 [0.300, 0.500]", "9, 1", "3, 2", "12.3 ms", "0.4%", "$0.250"):
        assert shown in text, shown


def test_cost_and_llm_share_are_those_of_the_calls_made():
    for n in range(4):
        SearchLog.objects.create(
            query_hash=str(n), language="en", pipeline="default", door="api", took_ms=10, cached=n == 0
        )
    for _ in range(3):
        LLMCall.objects.create(purpose="verify", model="m", outcome="answered", cost="0.002", log=uuid4())
    told = quality.serving()
    assert told.cost_per_1000 == pytest.approx(1.5)
    assert told.llm_share == pytest.approx(3 / 60)
    assert (told.llm_calls, told.llm_searches, told.searches.cached, told.llm_percent) == (3, 3, 1, 5)


def test_the_oldest_unjudged_topic_is_named(client, administrator, domain):
    now = timezone.now()
    judged = a_topic(domain, "a", "judged", created_at=now - timedelta(days=9))
    Judgment.objects.create(topic=judged, locator="/x", grade=2, judge="me")
    old = a_topic(domain, "b", "waits long", created_at=now - timedelta(days=5))
    Judgment.objects.create(topic=old, locator="/x", grade=2, judge="model", kind="llm")
    a_topic(domain, "c", "waits a day", created_at=now - timedelta(days=1))
    told = quality.unjudged(Topic.objects.all())
    assert (told.count, told.oldest) == (2, old)
    assert "waits long" in pages(client)


@pytest.mark.parametrize("address", ["/admin/quality/", "/admin/ablation/"])
def test_pages_are_for_staff_who_may_read_runs(client, address):
    client.force_login(User.objects.create_user("nobody", is_staff=True))
    assert client.get(address).status_code == 403
    client.logout()
    assert client.get(address).status_code == 302


def test_the_last_ablation_is_shown(client, administrator):
    step = {
        "id": "x",
        "label": "dense",
        "loses": False,
        "difference": None,
        "llm_share": 0.004,
        "cost_per_1000": 0,
        "topics": 40,
    }
    values = {"mean": 0.5, "low": 0.4, "high": 0.6}
    step["measures"] = dict.fromkeys(("MRR@10", "P@1", "P@5", "R@5", "nDCG@5", "nDCG@10"), values)
    step["ms"] = {"p50": 1, "p95": 2}
    lost = {"label": "+ lexical", "loses": True, "difference": {"mean": -0.1, "low": -0.2, "high": 0}}
    for number, told in enumerate((step, step | lost)):
        Run.objects.create(
            name="ablation",
            pipeline="dense",
            stages="",
            topics="t",
            summary={"ablation": {"step": number} | told},
        )
    page = client.get("/admin/ablation/").content.decode()
    assert "+ lexical" in page and "loses too much" in page and "<svg" in page
    assert "40 topics that have an answer" in page and "0.4 %" in page


# -- Preview of thresholds

QUESTIONS = [
    "who can declare war",
    "best pizza dough hydration",
    "can police search my car without a warrant",
]


@pytest.fixture
def asked(domain, monkeypatch):
    monkeypatch.setattr("evaluation.preview.JUDGED", 5)
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
        door="api",
        took_ms=1,
    )
    assert sorted(text for text, _ in logged_questions("us_constitution")) == sorted(QUESTIONS)


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
    promised = {change.question: change.after for change in told.changes}
    for (question, _), answer in zip(
        logged := logged_questions("us_constitution"), answers(logged, "us_constitution"), strict=True
    ):
        assert promised.get(question, answer) == answer
    for question, answer in promised.items():
        shown = search(SearchRequest(text=question, domains=("us_constitution",)))
        assert tuple(result["locator"] for result in shown["results"]) == answer.locators
        assert (shown["abstained"], shown["confident"]) == (answer.abstained, answer.confident)


def test_declining_what_was_answered_right_costs_measured_quality(asked):
    told = preview(draft_of(asked, answer_minimum=1.0))
    assert told.difference.mean < 0
    assert all(change.after.abstained for change in told.judged_changes)


def posted(domain: Domain, **changed) -> dict:
    row = domain.thresholds.get(active=True)
    names = (
        "answer_minimum",
        "minimum",
        "verify",
        "accept",
        "confident",
        "gap",
        "alias_search",
        "query_search",
    )
    names += ("mlp_low", "mlp_high", "blend", "llm_weight")
    same = {name: getattr(row, name) for name in names}
    return {"domain": domain.pk, "calibration": "{}", "reason": "a test"} | same | changed


def test_the_page_previews_and_publishes_what_was_posted(client, administrator, asked):
    page = client.post("/admin/preview/", posted(asked))
    text = page.content.decode()
    assert "of 3 logged questions" in text and "Publish" in text and "Change of nDCG@10:" in text
    assert asked.thresholds.count() == 1
    client.post("/admin/rules/domainthreshold/add/", dict(page.context["draft"]))
    assert asked.thresholds.count() == 2


def test_a_draft_that_cannot_be_published_is_not_previewed(client, administrator, asked):
    text = client.post("/admin/preview/", posted(asked, verify=0.9)).content.decode()
    assert "cannot be published" in text and "Accept" in text


def test_the_form_offers_a_preview_when_adding(client, administrator, domain):
    page = client.get("/admin/rules/domainthreshold/add/").content.decode()
    assert 'formaction="/admin/preview/"' in page
    assert client.get("/admin/preview/").status_code == 405
