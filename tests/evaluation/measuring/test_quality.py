"""Figures of quality over time."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from evaluation.measuring import quality
from evaluation.models import Judgment, Run, Topic
from retrieval.models import Domain, LLMCall, SearchLog

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


def test_hierarchy_is_compared_with_flat_on_the_last_topics_run_by_both(client, administrator):
    assert quality.hierarchy() is None and "No topics have been run both ways" in pages(client)
    for days, pipeline, recalls in ((3, "learned", (0.2, 0.4)), (2, "gathered", (0.5, 0.5, 0.9))):
        run = a_run(0.7, days=days, pipeline=pipeline, topics="file broad.jsonl")
        for number, recall in enumerate(recalls):
            run.measurements.create(topic=f"broad-{number}", measures={"R@20": recall})
    a_run(0.7, pipeline="gathered", topics="run in one way")
    told = quality.hierarchy()
    assert (told.topics, told.run.topics) == (2, "file broad.jsonl")
    assert told.flat.mean == pytest.approx(0.3) and told.gain.mean == pytest.approx(0.2)
    assert "0.200 [0.100, 0.300]" in pages(client)


def test_a_run_in_which_a_stage_failed_says_so(client, administrator):
    run = a_run(0.8)
    assert "did not answer" not in pages(client)
    Run.objects.filter(pk=run.pk).update(summary=run.summary | {"degraded": {"Translate": 14}})
    assert "Topics in which this did not answer: Translate: 14" in pages(client)


def test_cost_and_llm_share_are_those_of_the_calls_made():
    logs = [
        SearchLog.objects.create(
            query_hash=str(n), language="en", pipeline="default", channel=channel, took_ms=10, cached=n == 0
        )
        for n, channel in enumerate(("api", "api", "page", "api", "admin", "command"))
    ]
    for log in (*logs[1:], None):
        known = {"log": log.pk} if log else {}
        LLMCall.objects.create(purpose="verify", model="m", outcome="answered", cost="0.002", **known)
    told = quality.serving()
    assert told.cost_per_1000 == pytest.approx(1.5)
    assert (told.llm_calls, told.searches.cached, told.llm_percent) == (3, 1, 5)
    assert told.volumes[0] == (1_000, pytest.approx(1_000 * 10 / 3_600_000), pytest.approx(1.5))
    assert told.volumes[-1][2] == pytest.approx(1_500) and told.cost_plot.startswith("<svg")


def test_strategies_and_corrections_are_shares_of_the_searches_that_ran(client, administrator):
    for strategy, corrected, cached in [
        ("hybrid", ["Respelled"], False), ("hybrid", [], False), ("citation", [], False), ("", [], False),
        ("", ["Respelled"], True),
    ]:  # fmt: skip
        SearchLog.objects.create(
            language="en", pipeline="default", channel="api", took_ms=5, cached=cached, strategy=strategy,
            corrected=corrected,
        )  # fmt: skip
    told = quality.serving()
    assert told.strategies == (("hybrid", pytest.approx(200 / 3)), ("citation", pytest.approx(100 / 3)))
    assert told.searches.corrected_percent == 25 and told.cost_plot == ""
    shown = pages(client)
    assert "Best searched by: words and meaning together" in shown and "66.7" in shown and "Cost by volume" in shown
    spanish = client.get("/admin/quality/", headers={"accept-language": "es"}).content.decode()
    assert "Mejor buscada por: palabras y significado a la vez" in spanish and "$0,00" in spanish
    assert "$0.00" not in spanish


def test_the_oldest_unjudged_topic_is_named(client, administrator, domain):
    now = timezone.now()
    judged = a_topic(domain, "a", "judged", created_at=now - timedelta(days=9))
    Judgment.objects.create(topic=judged, locator="/x", grade=2, judge="me")
    old = a_topic(domain, "b", "waits long", created_at=now - timedelta(days=5))
    Judgment.objects.create(topic=old, locator="/x", grade=2, judge="model", kind="llm")
    a_topic(domain, "c", "waits a day", created_at=now - timedelta(days=1))
    assert quality.unjudged(Topic.objects.all()) == (2, old)
    assert "waits long" in pages(client)
