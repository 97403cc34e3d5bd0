"""The public page on quality shows what is measured of public law, and nothing else."""

import pytest
from django.core.cache import cache
from django.utils.timezone import now

from evaluation.measuring.public_quality import figures
from evaluation.models import RetrainingRun, Run
from retrieval.models import Domain, SearchLog
from tests.retrieval.pages.looking import look

pytestmark = pytest.mark.django_db
SUMMARY = {
    "topics": 173,
    "measures": {"nDCG@10": {"mean": 0.913, "low": 0.88, "high": 0.94}},
    "declined_answerable": 3, "unanswerable": 20, "declined_unanswerable": 17,
}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_kept():
    cache.clear()


def measured(topics, questions=173):
    summary = SUMMARY | {"topics": questions}
    return Run.objects.create(pipeline="default", stages="", topics=topics, summary=summary)


def test_it_shows_the_last_run_of_each_public_body(client):
    measured("us_constitution/test", questions=9)
    measured("us_constitution/test")
    page = look(client, "/quality")
    assert "the first ten results" in page.text and now().date().isoformat() not in page.text
    assert "173 questions" in page.text and "0.913" in page.text and "17 / 20" in page.text
    assert client.get("/quality.json").json()["correctness"][0]["questions"] == 173


def test_it_tells_how_the_same_questions_fare_with_no_body_named(client):
    measured("us_constitution/test")
    together = measured("us_constitution/test, no domain named")
    together.summary |= {"groups": {"us_constitution": {"right_body": 0.954}}}
    together.save()
    page = look(client, "/quality")
    assert "nDCG@10, all bodies of law searched together" in page.text and "0.954" in page.text
    assert client.get("/quality.json").json()["correctness"][0]["everywhere"]["right_body"] == 0.954


def test_it_says_where_a_part_failed_while_it_was_measured(client):
    run = measured("us_constitution/test")
    Run.objects.filter(pk=run.pk).update(summary=SUMMARY | {"degraded": {"Translate": 14}})
    page = look(client, "/quality")
    assert "in 14 questions" in page.text and "The translator did not answer" in page.text
    assert "Translate" not in page.text


def test_its_figures_are_json_whatever_is_asked_for(client):
    for asked in ("text/html", "application/xml", "nonsense"):
        assert client.get("/quality.json?format=xml", headers={"accept": asked}).json()["searches"]
    refused = client.post("/quality.json")
    assert refused.status_code == 405 and refused.json()["error"]["code"] == "method_not_allowed"


def test_it_is_rationed_as_other_pages(client, settings):
    settings.ARF_RATE_PER_MINUTE = 0
    for address in ("/quality", "/quality.json"):
        refused = client.get(address, REMOTE_ADDR="203.0.113.9")
        assert refused.status_code == 429
    assert refused.json()["error"]["code"]


def test_a_site_of_other_documents_holds_no_law(client):
    assert "The law it holds" in look(client, "/quality").text
    cache.clear()
    Domain.objects.update(holds_law=False)
    text = look(client, "/quality").text
    assert "What it holds" in text and "The law it holds" not in text


def test_private_bodies_of_law_are_not_in_it():
    measured("client_cases/test")
    told = figures()
    assert told["correctness"] == [] and "client_cases" not in str(told)


def test_it_counts_searches_and_tells_what_the_gate_decided(client):
    RetrainingRun.objects.create(outcome="kept", reason="topic q17 leaks")
    RetrainingRun.objects.create(outcome="kept", reason="Dry run", report={"dry_run": True})
    assert len(figures()["reranker"]) == 1
    cache.clear()
    for channel, abstained in (("page", True), ("api", False), ("command", False), ("admin", False)):
        SearchLog.objects.create(
            query_hash="0", query_text="my secret", language="en", pipeline="default", channel=channel,
            took_ms=7, abstained=abstained,
        )  # fmt: skip
    page = look(client, "/quality")
    assert "2 searches" in page.text and "50.0 percent were declined" in page.text
    assert "Champion kept" in page.text
    assert "secret" not in page.text and "q17" not in page.text


def test_before_anything_is_measured_it_says_so_in_spanish_too(client):
    client.cookies["django_language"] = "es"
    page = look(client, "/quality")
    assert "Todavía no se ha medido" in page.text


def test_reading_it_again_asks_the_database_nothing(client, django_assert_num_queries):
    look(client, "/quality")
    with django_assert_num_queries(0):
        client.get("/quality.json")
