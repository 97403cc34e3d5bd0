"""The API as DESIGN's public surface has it: the shape of every answer, and what each address gives."""

import uuid
from datetime import date

import pytest

from retrieval.api import serializers
from retrieval.models import EmbeddingModel, Feedback, SearchLog, Section, Trace
from tests.test_api_parameters import assert_refused, post

pytestmark = pytest.mark.django_db

API = "/api/v1"
CONTRACT = {"query", "results", "abstained", "near_misses", "cached", "degraded", "page", "next", "previous"}
CONTRACT |= {"trace_id", "took_ms", "stages"}
RESULT = {
    "rank",
    "locator",
    "pin",
    "citation",
    "title",
    "breadcrumb",
    "snippet",
    "text",
    "score",
    "probability",
}
RESULT |= {"reasons", "url", "source_url", "valid_from"}


def found(client, q, **more):
    response = client.get(f"{API}/search", {"q": q, **more})
    assert response.status_code == 200, response.content
    return response.json()


def locators(answer):
    return [result["locator"] for result in answer["results"]]


def assert_shape(answer, shape):
    """An answer has exactly what the schema promises; what is not required may be absent."""
    fields = shape().get_fields()
    assert set(answer) <= set(fields)
    assert {name for name, field in fields.items() if field.required} <= set(answer)
    for name, value in answer.items():
        field = fields[name]
        inner = getattr(field, "child", field)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict) and hasattr(inner, "get_fields"):
                assert_shape(item, type(inner))


# -- Search


def test_a_search_answers_as_the_contract_says(client):
    answer = found(client, "can the police search my phone?")
    assert set(answer) >= CONTRACT
    assert set(answer["query"]) == {"text", "normalized", "language", "translated"}
    assert all(set(result) >= RESULT for result in answer["results"])
    assert all(set(stage) == {"name", "status", "ms", "in", "out", "note"} for stage in answer["stages"])
    assert_shape(answer, serializers.Answer)
    assert len(answer["results"]) == 10
    assert answer["cached"] is False and answer["page"] == 1 and answer["previous"] is None


def test_a_posted_question_gets_the_same_answer(client):
    asked = {"q": "double jeopardy", "domain": "us_constitution", "k": 3, "as_of": None}
    posted = post(client, asked).json()
    assert locators(posted) == locators(found(client, "double jeopardy", domain="us_constitution", k=3))
    assert len(posted["results"]) == 3


def test_a_citation_lands_first(client):
    assert locators(found(client, "14th amendment section 1"))[0] == "/us/const/amendment/XIV/section/1"


def test_pages_follow_each_other(client):
    first, second = found(client, "congress", k=2), found(client, "congress", k=2, page=2)
    assert first["next"] == 2 and second["previous"] == 1
    assert [result["rank"] for result in second["results"]] == [3, 4]


def test_an_abstaining_answer_has_no_results(client):
    answer = found(client, "recipe for sourdough pancakes with blueberries")
    assert answer["abstained"] is True and answer["results"] == []
    assert len(answer["near_misses"]) <= 5
    assert_shape(answer, serializers.Answer)


def test_the_second_answer_comes_from_the_cache(client):
    first, second = found(client, "who may declare war"), found(client, "Who may declare WAR")
    assert (first["cached"], second["cached"]) == (False, True)
    assert first["trace_id"] != second["trace_id"]
    assert locators(first) == locators(second)


def test_as_of_and_language_reach_the_search(client):
    old = found(client, "income tax", as_of="1900-01-01", k=100)
    assert "/us/const/amendment/XVI" not in locators(old)
    assert found(client, "jury", language="es")["query"]["language"] == "es"


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_ends_of_time_are_days_too(client, day):
    assert found(client, "jury trial", as_of=day)["degraded"] == []


def test_explain_adds_the_whole_trace(client):
    explanation = found(client, "bear arms", explain="true")["explanation"]
    assert_shape(explanation, serializers.TraceOfSearch)
    assert explanation["candidates"][0]["locator"] == "/us/const/amendment/II"


def test_a_cached_answer_is_explained_by_the_search_that_made_it(client):
    first = found(client, "bear arms")
    again = found(client, "bear arms", explain="1")
    assert again["explanation"]["cached_from"] == first["trace_id"]
    assert again["explanation"]["candidates"]


def test_an_explanation_without_its_trace_is_a_summary(client):
    found(client, "bear arms")
    Trace.objects.all().delete()
    explanation = found(client, "bear arms", explain="true")["explanation"]
    assert "candidates" not in explanation and explanation["cached"] is True


def test_a_search_is_logged_by_its_door(client):
    log = SearchLog.objects.get(pk=found(client, "habeas corpus")["trace_id"])
    assert (log.door, log.caller) == ("api", "public")


def test_nothing_keeps_an_answer_and_no_cookie_is_set(client):
    response = client.get(f"{API}/search?q=jury")
    assert response["Cache-Control"] == "no-store"
    assert not response.cookies


def test_an_unknown_domain_and_an_unknown_pipeline_are_not_found(client):
    assert_refused(client.get(f"{API}/search?q=a&domain=mars"), 404, "not_found")
    assert_refused(client.get(f"{API}/search?q=a&pipeline=mars"), 404, "unknown_pipeline")


# -- Sections


def section(client, path, **query):
    response = client.get(f"{API}/sections/{path}", query)
    assert response.status_code == 200, response.content
    return response.json()


def test_a_provision_is_read_by_its_locator(client):
    answer = section(client, "us/const/amendment/I")
    assert_shape(answer, serializers.Provision)
    assert answer["text"].startswith("Congress shall make no law")
    assert answer["citation"] == "U.S. Const. amend. I"
    assert answer["next"]["locator"] == "/us/const/amendment/II"
    assert answer["domain"] == answer["document"]["domain"] == "us_constitution"


def test_a_node_above_the_result_level_reads_as_all_below_it(client):
    article = section(client, "us/const/article/III")
    assert [child["locator"][-1] for child in article["children"]] == ["1", "2", "3"]
    first = section(client, "us/const/article/III/section/1")
    last = section(client, "us/const/article/III/section/3/clause/2")
    assert article["text"].startswith(first["text"]) and article["text"].endswith(last["text"])
    assert article["next"]["locator"] == "/us/const/article/IV/section/1"
    assert article["previous"]["locator"] == "/us/const/article/II/section/4"
    assert first["parent"] == {key: article[key] for key in ("locator", "citation", "title")}


def test_an_anchor_reads_as_its_section_with_the_place_as_pin(client):
    second = Section.objects.get(locator="/us/const/amendment/II")
    second.anchors.create(locator=f"{second.locator}/a", level="paragraph", number="a", start=0, end=10)
    answer = section(client, "us/const/amendment/II/a")
    assert (answer["locator"], answer["pin"]) == (second.locator, f"{second.locator}/a")
    assert answer["anchors"][0]["end"] == 10


def test_citations_are_shown_both_ways(client):
    source = Section.objects.get(locator="/us/const/amendment/I")
    target = Section.objects.get(locator="/us/const/amendment/V")
    source.citations_made.create(
        target=target, target_locator=target.locator, text="the Fifth", start=0, end=9
    )
    made = section(client, source.path)["citations"]["made"]
    received = section(client, target.path)["citations"]["received"]
    assert (made[-1]["locator"], made[-1]["end"]) == (target.locator, 9)
    assert source.locator in [edge["locator"] for edge in received]


def test_a_provision_is_read_as_it_was_on_a_day(client):
    path = "us/const/amendment/XVI"
    assert section(client, path, as_of="2000-01-01")["valid_from"] == "1913-02-03"
    assert_refused(client.get(f"{API}/sections/{path}?as_of=1900-01-01"), 404, "not_found")


def test_an_old_version_is_read_with_its_own_neighbours(client):
    new = Section.objects.get(locator="/us/const/amendment/XXVII")
    Section.objects.filter(pk=new.pk).update(valid_to=date(2001, 1, 1))
    assert_refused(client.get(f"{API}/sections/{new.path}"), 404)
    assert section(client, new.path, as_of="2000-01-01")["valid_to"] == "2001-01-01"
    assert section(client, "us/const/amendment/XXVI/section/2")["next"] is None


@pytest.mark.parametrize(
    "path", ["us/const/amendment/XXX", "x", "a%00b", "%ff", "us//const", "a" * 400, "é", "%0a"]
)
def test_what_is_no_provision_is_not_found(client, path):
    assert_refused(client.get(f"{API}/sections/{path}"), 404, "not_found")


# -- Documents, citations


def test_documents_are_listed_in_pages(client):
    answer = client.get(f"{API}/documents").json()
    assert_shape(answer, serializers.DocumentPage)
    assert [document["locator"] for document in answer["documents"]] == ["/us/const"]
    beyond = client.get(f"{API}/documents?page=2&k=1").json()
    assert (beyond["documents"], beyond["total"], beyond["previous"]) == ([], 1, 1)


def test_documents_are_filtered_by_domain(client):
    assert client.get(f"{API}/documents?domain=us_code").json()["total"] == 0
    assert client.get(f"{API}/documents?domain=us_code&domain=us_constitution").json()["total"] == 1
    assert_refused(client.get(f"{API}/documents?domain=mars"), 404, "not_found")


def resolve(client, q):
    answer = client.get(f"{API}/citations/resolve", {"q": q}).json()
    assert_shape(answer, serializers.ResolvedCitations)
    return answer["citations"]


def test_citations_in_a_text_are_resolved(client):
    text = "Compare U.S. Const. amend. XIV, § 1 with 8 U.S.C. § 1158(a)(2)(B)."
    fourteenth, asylum = resolve(client, text)
    assert fourteenth["locator"] == "/us/const/amendment/XIV/section/1" and fourteenth["resolved"] is True
    assert asylum["locator"] == "/us/usc/t8/s1158/a/2/B" and asylum["resolved"] is False
    assert text[asylum["start"] : asylum["end"]] == asylum["text"]


def test_a_lone_citation_may_be_written_loosely(client):
    assert resolve(client, "art 1 s 8 c 3")[0]["locator"] == "/us/const/article/I/section/8/clause/3"
    assert resolve(client, "no citation here") == []


def test_a_place_that_does_not_exist_is_not_resolved(client):
    assert [found["resolved"] for found in resolve(client, "U.S. Const. amend. XIV, § 9")] == [False]


def test_long_texts_are_resolved_by_post(client):
    sentence = "See 8 U.S.C. § 1182. "
    text = (sentence * 3100)[:64_000]
    answer = post(client, {"q": text}, url=f"{API}/citations/resolve").json()
    assert len(answer["citations"]) == 250
    assert_refused(post(client, {"q": "é" * 64_001}, url=f"{API}/citations/resolve"), 400, "bad_parameter")
    assert_refused(post(client, {"q": "a" * 800_000}, url=f"{API}/citations/resolve"), 413, "too_large")


# -- Traces, feedback


def test_a_trace_is_read_by_its_id(client):
    trace = client.get(f"{API}/traces/{found(client, 'quartering soldiers')['trace_id']}").json()
    assert_shape(trace, serializers.TraceOfSearch)
    assert trace["top_locators"][0] == "/us/const/amendment/III"


def test_an_unknown_trace_is_not_found(client):
    assert_refused(client.get(f"{API}/traces/{uuid.uuid4()}"), 404, "not_found")
    assert_refused(client.get(f"{API}/traces/{uuid.uuid4()}?full=1"), 400, "unknown_parameter")


def give(client, **said):
    return post(client, said, url=f"{API}/feedback")


def test_feedback_is_kept_and_may_be_changed(client):
    answer = found(client, "quartering soldiers")
    about = {"trace_id": answer["trace_id"], "locator": answer["results"][0]["locator"]}
    assert give(client, **about, verdict="helpful").status_code == 201
    kept = give(client, **about, verdict="unhelpful", comment="call me: 212-555-0100")
    assert_shape(kept.json(), serializers.KeptOpinion)
    assert Feedback.objects.get().comment == "call me: [phone]"


def test_feedback_may_be_on_any_result_of_the_page_or_on_all(client):
    answer = found(client, "congress", k=20)
    for locator in (answer["results"][-1]["locator"], ""):
        assert (
            give(client, trace_id=answer["trace_id"], locator=locator, verdict="helpful").status_code == 201
        )


def test_a_comment_that_grows_by_scrubbing_is_kept(client):
    trace = found(client, "congress")["trace_id"]
    assert give(client, trace_id=trace, verdict="helpful", comment="a@b.cd " * 140).status_code == 201


def test_feedback_needs_a_search_a_verdict_and_a_result_that_was_shown(client):
    trace = found(client, "quartering soldiers")["trace_id"]
    assert_refused(give(client, trace_id=str(uuid.uuid4()), verdict="helpful"), 404, "not_found")
    assert_refused(give(client, trace_id=trace, verdict="helpful", locator="/us/const/x"), 404, "not_found")
    assert_refused(give(client, trace_id="1", verdict="helpful"), 400, "bad_parameter")
    assert_refused(give(client, trace_id=trace, verdict="great"), 400, "bad_parameter")
    assert_refused(give(client, trace_id=trace), 400, "bad_parameter")
    assert_refused(give(client, trace_id=trace, verdict="helpful", comment="a" * 1001), 400, "bad_parameter")
    assert_refused(client.get(f"{API}/feedback"), 405)


# -- Health, schema, docs


def test_health_tells_the_parts(client, reindex):
    reindex()  # an earlier test's changes were rolled back, which its index knows nothing of
    answer = client.get(f"{API}/health").json()
    assert_shape(answer, serializers.Health)
    assert answer["status"] == "ok", answer
    assert answer["lexical_index"] == {"exists": True, "behind": 0, "current": True}
    assert answer["embedder"]["kind"] == "onnx" and answer["embedder"]["ready"] is True
    chunks = {corpus["domain"]: corpus["chunks"] for corpus in answer["corpora"]}
    assert chunks["us_constitution"] > 100 and "client_cases" not in chunks


def test_health_counts_the_chunks_of_a_corpus_that_has_changed_anew(client):
    def chunks() -> int:
        corpora = client.get(f"{API}/health").json()["corpora"]
        return next(corpus["chunks"] for corpus in corpora if corpus["domain"] == "us_constitution")

    before = chunks()
    Section.objects.filter(locator="/us/const/amendment/III").update(valid_to=date(2001, 1, 1))
    assert before == chunks() + 1


def test_health_is_degraded_when_the_embedder_is_another(client):
    EmbeddingModel.objects.update(fingerprint="another")
    response = client.get(f"{API}/health")
    assert (response.status_code, response.json()["status"]) == (200, "degraded")


def test_health_is_degraded_without_an_index(client, settings, tmp_path, monkeypatch):
    from retrieval import serving
    from retrieval.lexical import LexicalIndex

    monkeypatch.setattr(serving, "lexical_index", lambda: LexicalIndex(tmp_path / "none"))
    answer = client.get(f"{API}/health").json()
    assert answer["status"] == "degraded" and answer["lexical_index"]["exists"] is False


@pytest.mark.parametrize("remote", ["127.0.0.1", "203.0.113.9"])
def test_health_is_down_when_the_database_does_not_answer(client, monkeypatch, remote):
    from django.db import OperationalError, connection

    def refused(*args, **kwargs):
        raise OperationalError("connection refused at /secret/path")

    monkeypatch.setattr(connection, "cursor", refused)
    response = client.get(f"{API}/health", REMOTE_ADDR=remote)
    assert response.status_code == 503
    assert_shape(response.json(), serializers.Health)
    assert b"secret" not in response.content
    assert_refused(client.get(f"{API}/search?q=a"), 503, "unavailable")


def test_the_schema_is_valid_and_complete(tmp_path):
    from django.core.management import call_command

    call_command("spectacular", validate=True, fail_on_warn=True, file=str(tmp_path / "schema.yaml"))
    described = (tmp_path / "schema.yaml").read_text()
    paths = [
        "search",
        "sections/{path}",
        "documents",
        "citations/resolve",
        "traces/{trace_id}",
        "feedback",
        "health",
    ]
    assert all(f"  {API}/{path}:" in described for path in paths)


def test_the_schema_says_in_a_line_what_each_operation_does_and_does_not_follow_the_browser(client):
    described = client.get(f"{API}/schema/?format=json")
    operations = [o for path in described.json()["paths"].values() for o in path.values()]
    assert all(10 < len(operation["summary"]) < 110 for operation in operations)
    assert client.get(f"{API}/schema/?format=json", HTTP_ACCEPT_LANGUAGE="es").json() == described.json()


def test_the_schema_lets_a_reason_hold_the_values_it_speaks_of(client):
    shapes = client.get(f"{API}/schema/?format=json").json()["components"]["schemas"]
    reason = shapes["Result"]["properties"]["reasons"]["items"]
    assert reason["required"] == ["code"] and reason["additionalProperties"] == {}


def test_the_schema_is_served(client):
    assert b"openapi: 3" in client.get(f"{API}/schema/").content
    assert client.get(f"{API}/schema/?format=json").json()["info"]["title"] == "ARF"
    assert_refused(client.get(f"{API}/schema/?version=%0a"), 400, "unknown_parameter")


@pytest.fixture
def plain_static(settings):
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }


@pytest.mark.parametrize("page", ["schema", "docs"])
def test_what_people_read_is_found_without_the_last_slash(client, page):
    assert client.get(f"{API}/{page}")["Location"] == f"{API}/{page}/"


def test_the_docs_run_no_inline_script(client, plain_static):
    response = client.get(f"{API}/docs/")
    assert b"<script>" not in response.content
    policy = response["Content-Security-Policy"].split("; ")
    assert "script-src 'self'" in policy and "style-src 'self' 'unsafe-inline'" in policy
    script = client.get(f"{API}/docs/?script=")
    assert b"/api/v1/schema/" in script.content and script["Content-Type"].startswith(
        "application/javascript"
    )
    assert_refused(client.get(f"{API}/docs/?lang=en"), 400, "unknown_parameter")
