"""A search as docs/api.md has it: the shape of every answer."""

import uuid

import pytest

from retrieval.api import serializers
from retrieval.api.search import SUMMARIES, KeptOpinion
from retrieval.models import ApiKey, Domain, Feedback, SearchLog, Section, Trace
from retrieval.search import log
from tests.builders import a_document, a_domain, a_section
from tests.retrieval.api.asking import API, assert_shape, found, locators, section
from tests.retrieval.api.refusals import assert_refused, post

pytestmark = pytest.mark.django_db
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
    "score",
    "probability",
}
RESULT |= {"reasons", "url", "source_url", "valid_from"}


def test_a_search_answers_as_the_contract_says(client):
    answer = found(client, "can the police search my phone?")
    assert set(answer) >= CONTRACT
    assert set(answer["query"]) == {"text", "normalized", "language", "translated"}
    assert all(set(result) >= RESULT for result in answer["results"])
    assert all(set(stage) == {"name", "status", "ms", "in", "out", "note"} for stage in answer["stages"])
    assert_shape(answer, serializers.Answer)
    assert len(answer["results"]) == 10
    assert answer["cached"] is False and answer["page"] == 1 and answer["previous"] is None


def test_results_hold_the_fields_asked_for(client):
    few = found(client, "jury", fields="citation,text")["results"][0]
    assert set(few) == {"rank", "locator", "citation", "text"}
    assert few["text"] == section(client, few["locator"].strip("/"))["text"]
    usual = found(client, "jury")["results"][0]
    assert set(serializers.Result().get_fields()) - set(usual) == {"text", "notes", *SUMMARIES}
    repeated = client.get(f"{API}/search?q=jury&fields=notes&fields=title").json()
    posted = post(client, {"q": "jury", "fields": ["notes", "title"]}).json()
    together = post(client, {"q": "jury", "fields": "notes,title"}).json()
    assert together["results"] == posted["results"]
    assert repeated["results"] == posted["results"]
    assert set(posted["results"][0]) == {"rank", "locator", "notes", "title"}


def test_near_misses_hold_the_fields_asked_for(client):
    asked = {"q": "recipe for sourdough pancakes with blueberries", "fields": "title"}
    assert all(set(miss) == {"rank", "locator", "title"} for miss in found(client, **asked)["near_misses"])


@pytest.mark.parametrize("fields", ["", "title,colour", "title,", "Title", "*"])
def test_an_unknown_field_is_refused_and_the_known_ones_named(client, no_stage, fields):
    refused = client.get(f"{API}/search", {"q": "jury", "fields": fields})
    assert "locator, pin, citation" in assert_refused(refused, 400, "bad_parameter")


def test_an_answer_stays_small_however_long_the_provisions(client):
    Section.objects.filter(locator="/us/const/article/II/section/1/clause/3").update(notes=["note " * 20_000])
    for question in ("congress", "powers of the president", "elections of senators"):
        answer = client.get(f"{API}/search", {"q": question, "k": 10})
        assert len(answer.json()["results"]) == 10 and len(answer.content) < 50_000


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


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("es-MX,es;q=0.9,en;q=0.8", "es"),
        ("en-US,es;q=0.9", "en"),
        ("fr,es;q=0.5", "es"),
        ("es;q=0,en", "en"),
        ("*", "en"),
    ],
)
def test_a_question_that_tells_no_language_is_read_in_the_accepted_one(client, accepted, language):
    posted = post(client, {"q": "visa"}, HTTP_ACCEPT_LANGUAGE=accepted).json()
    asked = client.get(f"{API}/search?q=visa", HTTP_ACCEPT_LANGUAGE=accepted).json()
    assert [answer["query"]["language"] for answer in (posted, asked)] == [language, language]


def test_a_question_that_tells_its_language_is_read_in_that(client):
    asked = client.get(f"{API}/search?q=who+can+declare+war", HTTP_ACCEPT_LANGUAGE="es").json()
    assert asked["query"]["language"] == "en"


def test_answers_of_two_languages_are_cached_apart(client):
    for language in ("es", "en"):
        asked = client.get(f"{API}/search?q=visa", HTTP_ACCEPT_LANGUAGE=language).json()
        assert asked["query"]["language"] == language and not asked["cached"]


def test_explain_adds_the_whole_trace(client):
    explanation = found(client, "bear arms", explain="true")["explanation"]
    assert_shape(explanation, serializers.TraceOfSearch)
    assert explanation["candidates"][0]["locator"] == "/us/const/amendment/II"


def test_a_cached_answer_is_explained_by_the_search_that_made_it(client):
    first = found(client, "bear arms")
    again = found(client, "bear arms", explain="1")
    assert again["cached"] and again["explanation"]["candidates"]
    assert again["explanation"]["cached_from"] is None  # somebody else's search
    _, secret = ApiKey.issue(name="staff", scopes=["staff"])
    staff = client.get(f"{API}/traces/{again['trace_id']}", headers={"authorization": f"Bearer {secret}"})
    assert staff.json()["cached_from"] == first["trace_id"]


def test_a_search_is_logged_by_its_channel(client):
    logged = SearchLog.objects.get(pk=found(client, "habeas corpus")["trace_id"])
    assert (logged.channel, logged.caller) == ("api", "public")


def test_nothing_keeps_an_answer_and_no_cookie_is_set(client):
    response = client.get(f"{API}/search?q=jury")
    assert response["Cache-Control"] == "no-store"
    assert not response.cookies


def test_an_unknown_domain_and_an_unknown_pipeline_are_not_found(client):
    assert_refused(client.get(f"{API}/search?q=a&domain=mars"), 404, "not_found")
    assert_refused(client.get(f"{API}/search?q=a&pipeline=mars"), 404, "unknown_pipeline")


def test_an_explanation_without_its_trace_is_a_summary(client):
    found(client, "bear arms")
    Trace.objects.all().delete()
    explanation = found(client, "bear arms", explain="true")["explanation"]
    assert "candidates" not in explanation and explanation["cached"] is True


def test_a_search_that_could_not_be_logged_is_answered_without_its_explanation(client, monkeypatch):
    monkeypatch.setattr(log, "has_room", lambda: False)
    monkeypatch.setattr(log, "PAUSES", ())
    answer = found(client, "bear arms", explain="true")
    assert answer["results"] and "explanation" not in answer


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
    assert_shape(kept.json(), KeptOpinion)
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


ARTICLE = "/us/const/article/I"


def test_a_search_is_restricted_to_places_and_to_all_that_stands_below_them(client):
    asked = {"q": "jury trial of crimes", "k": 50}
    everywhere, inside = found(client, **asked), found(client, **asked, within=ARTICLE)
    assert any(not place.startswith(ARTICLE) for place in locators(everywhere))
    assert inside["total"] and all(place.startswith(ARTICLE) for place in locators(inside))
    both = found(client, **asked, within=[ARTICLE, "/us/const/amendment/VI"])
    assert "/us/const/amendment/VI" in locators(both)
    assert locators(found(client, **asked, within="/us/const")) == locators(everywhere)


def test_trace_and_log_tell_the_restriction_and_the_cache_knows_it(client):
    asked = {"q": "the vice president"}
    assert not found(client, **asked)["cached"]
    inside = found(client, **asked, within=ARTICLE)
    assert not inside["cached"]
    assert client.get(f"{API}/traces/{inside['trace_id']}").json()["query"]["within"] == [ARTICLE]
    again = found(client, **asked, within=ARTICLE)
    assert again["cached"] and SearchLog.objects.get(pk=again["trace_id"]).within == [ARTICLE]


def test_what_is_cited_outside_the_places_searched_is_no_answer(client):
    assert locators(found(client, "article II", within="/us/const/amendment/I")) == []
    for question in ("commerce clause", "Reconstruction amendments", "what repealed the 18th amendment?"):
        answer = found(client, question, within="/us/const/amendment/I")
        assert {*locators(answer), *(miss["locator"] for miss in answer["near_misses"])} <= {"/us/const/amendment/I"}


def test_a_search_within_a_domain_is_one_of_that_domain(client):
    asked = {"q": "jury trial of crimes", "k": 50}
    domain = Domain.objects.get(slug="supreme_court_cases").locator_prefix
    assert locators(found(client, **asked, within=domain)) == []
    inside = found(client, **asked, within="/us/const")
    assert locators(inside) == locators(found(client, **asked, domain="us_constitution"))


@pytest.mark.parametrize("place", ["/us/const/article/X", "/client_cases", "us/const", ""])
def test_a_place_that_is_not_there_is_not_searched(client, place):
    assert client.get(f"{API}/search", {"q": "jury", "within": place}).status_code == 404


def test_too_many_places_are_refused(client):
    places = "&".join(f"within=/{n}" for n in range(21))
    assert_refused(client.get(f"{API}/search?q=jury&{places}"), 400, "bad_query")


def test_notes_are_told_beside_the_results_where_they_are_asked_for(client, reindex):
    section = a_section(a_document(a_domain(slug="manual")), "Rules.", notes=["A zyzzyva was free.", "Of 1997."])
    reindex()
    assert "in_notes" not in found(client, "zyzzyva", domain="manual")
    (note,) = found(client, "zyzzyva", domain="manual", notes="true")["in_notes"]
    assert (note["locator"], note["note"], note["snippet"], note["marks"]) == (
        section.locator, 1, "A zyzzyva was free.", [[2, 9]],
    )  # fmt: skip
    assert note["url"] == f"/law{section.locator}"


def test_facets_count_the_first_candidates_where_they_are_asked_for(client):
    assert "facets" not in found(client, "jury")
    answer = found(client, "jury", facets="true", k=100)
    assert_shape(answer, serializers.Answer)
    facets = answer["facets"]
    assert facets["among"] == min(answer["total"], 100)
    [domain] = facets["domain"]
    named = {"name": "US Constitution", "name_es": "Constitución de los EE. UU."}
    assert domain == {"value": "us_constitution", "count": facets["among"]} | named
    assert facets["document"][0]["name_es"] == named["name_es"]
    assert all(part["name_es"] != part["name"] for part in facets["part"])
    for part in facets["part"]:
        assert all(place.startswith(part["value"]) for place in locators(found(client, "jury", within=part["value"])))
    counts = [part["count"] for part in facets["part"]]
    assert len(counts) > 1 and counts == sorted(counts, reverse=True)
