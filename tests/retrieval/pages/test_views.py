"""What the pages read from an address, and what is said beside a field."""

from functools import cache
from urllib.parse import parse_qs

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from retrieval.engines import loaded
from retrieval.errors import NotRun
from retrieval.models import SearchLog
from retrieval.pages import reader, views
from retrieval.pages.views import EXAMPLES
from retrieval.search.service import search
from retrieval.stages.reranker import reranker
from retrieval.stages.reranker.artifact import BadArtifact
from tests.builders import a_document, a_domain, a_section
from tests.rerankers import publish_limits
from tests.retrieval.pages.looking import (
    ADDRESSES,
    FOURTH,
    HTMX,
    Page,
    add_provision,
    decline_everything,
    hits,
    look,
    look_for,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"q": "???"}, "Ask something: the query is empty."),
        ({"q": ""}, "Ask something: the query is empty."),
        ({"q": "x" * 2001}, "Ask in at most 2000 characters; these are 2001."),
        ({"q": "jury", "domain": "mars"}, "There is nothing to search under “mars”."),
        ({"q": "jury", "domain": "client_cases"}, "There is nothing to search under “client_cases”."),
        ({"q": "jury", "language": "de"}, "de"),
        ({"q": "jury", "page": "0"}, "Pages are numbered from 1 to"),
        ({"q": "jury", "as_of": "2024-02-30"}, "There is no such day. Write it like 1791-12-15."),
        ({"q": "a\x00b"}, "Null"),
    ],
)
def test_what_cannot_be_asked_is_said_and_the_question_kept(client, parameters, problem):
    response = client.get("/search", parameters)
    page = Page(response)
    assert response.status_code == 400
    assert problem in page.text
    assert page.all("input", id="q", value=parameters["q"].replace("\0", "\ufffd"))
    assert any(attributes.get("role") == "alert" for _, attributes in page.elements)
    assert not SearchLog.objects.exists()


def test_results_lead_to_an_answer_to_the_same_question(client):
    asked = {"q": "who can declare war", "domain": "us_constitution", "as_of": "1950-01-01"}
    (link,) = [link for link in Page(client.get("/search", asked | {"page": "1"})).links() if link.startswith("/ask?")]
    assert parse_qs(link.partition("?")[2]) == {name: [value] for name, value in asked.items()}
    within = Page(client.get("/search", asked | {"within": "/us/const/article/I"}))
    assert not [link for link in within.links() if link.startswith("/ask?")]  # answers are not restricted to places


@pytest.mark.parametrize("address", ["/search", "/ask"])
@pytest.mark.parametrize(("text", "language"), [("casino", "es"), ("tobacco", "en")])
def test_what_tells_no_language_is_read_in_that_of_the_page(client, address, text, language):
    client.get(address, {"q": text}, headers={"Accept-Language": "es"})
    assert SearchLog.objects.get().language == language


def test_every_page_leads_to_what_changed(client):
    assert "/changes/" in look(client, "/").links()


@pytest.mark.parametrize(("tag", "name"), [("select", "language"), ("input", "as_of")])
def test_a_filter_with_a_problem_is_described_by_it(client, tag, name):
    page = look(client, f"/search?q=jury&{name}=zz", status=400)
    [field] = page.all(tag, name=name)
    assert field["aria-invalid"] == "true"
    assert page.all("span", id=field["aria-describedby"], role="alert")


def test_the_law_of_a_day_is_searched_and_read_as_it_stood(client):
    page = look_for(client, "freedom of speech", as_of="1790-01-01")
    assert "The law as it stood on Jan. 1, 1790." in page.text
    assert "/us/const/amendment/I" not in hits(page)
    assert all("as_of=1790-01-01" in link for link in page.links() if "passage=" in link)


def test_a_domain_can_be_chosen(client):
    add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", "Trials are by jury.")
    offered = look_for(client, "trial by jury").all("input", name="domain")
    assert [box["value"] for box in offered] == ["us_constitution", "us_code"]
    chosen = look_for(client, "trial by jury", domain="us_constitution")
    assert [b["value"] for b in chosen.all("input", name="domain") if "checked" in b] == ["us_constitution"]
    assert hits(chosen)


@pytest.mark.parametrize("passage", ["9-2", "0-999999", "x", "-1-4", "1e3-4"])
def test_a_mangled_passage_is_sought_anew(client, passage):
    assert look(client, f"{FOURTH}?q=warrants&passage={passage}").all("mark", id="passage")


def test_problems_are_told_in_spanish(client):
    response = client.get("/search", {"q": "??"}, HTTP_ACCEPT_LANGUAGE="es")
    assert "Pregunte algo: la consulta está vacía." in Page(response).text


def test_a_result_shows_its_citation_names_place_and_reasons(client):
    page = look_for(client, "commerce clause")
    assert hits(page)[0] == "/us/const/article/I/section/8/clause/3"
    for words in (
        "Commerce Clause", "U.S. Const. art. I, § 8, cl. 3", "Congress regulates trade between states",
        "US Constitution › Article I: The Legislative Branch › Section 8: Powers of Congress",
        "To regulate Commerce with foreign Nations", "It is known as “commerce clause”",
    ):  # fmt: skip
        assert words in page.text


def test_a_question_turns_nothing_around_it(client):
    page = client.get("/search", {"q": "\u202ejury"}).content.decode()
    assert 'answers to “<bdi lang="en">\u202ejury</bdi>”' in page.replace("Answers", "answers")
    assert '<bdi lang="en">&lt;b&gt; jury</bdi>' in client.get("/search", {"q": "<b> jury"}).content.decode()


@pytest.mark.parametrize(("language", "examples"), EXAMPLES.items())
def test_every_example_is_answered(client, language, examples):
    for _, _, question in examples:
        page = look_for(client, question)
        assert f"nswers to “{question}”" in page.text
        assert hits(page)


def test_the_home_page_offers_only_domains_that_hold_something(client):
    page = look(client, "/")
    assert "US Constitution" in page.text
    assert "USCIS Policy Manual" not in page.text and "Client cases" not in page.text
    assert "not legal advice" in page.text


def test_pages_of_results_lead_to_each_other(client):
    first = look_for(client, "power of congress", language="en")
    (following,) = first.all("a", rel="next")
    assert parse_qs(following["href"][1:]) == {"q": ["power of congress"], "language": ["en"], "page": ["2"]}
    second = look(client, f"/search{following['href']}")
    assert not set(hits(first)) & set(hits(second))
    assert second.all("ol", start="11")
    assert second.all("a", rel="prev")


def test_beyond_the_last_page_leads_back(client):
    page = look_for(client, "jury", page=50)
    assert "There are no more results" in page.text and "?q=jury" in page.links()


def test_an_empty_search_page_asks_and_gives_examples(client):
    assert "By citation" in look(client, "/search").text


def test_an_abstention_says_so_and_labels_what_came_near(client):
    decline_everything()
    page = look_for(client, "best pizza in Chicago")
    assert "No provision here seems to answer this" in page.text
    assert "Near misses" in page.text and "None of these is likely to be the answer." in page.text
    assert 1 <= len(hits(page)) <= 5


UNSURE = "It is not certain that any of these answers the question"


def unsure(limit: float) -> None:
    publish_limits(confident=limit, answer_minimum=0.0)


def folds(page: Page) -> int:
    return len(page.all("details", **{"class": "fold"}))


def test_what_is_certain_is_an_answer(client):
    unsure(0.6)
    page = look_for(client, "commerce clause")
    assert "Answers to “commerce clause”" in page.text and UNSURE not in page.text
    assert not page.all("ol", **{"class": "hits possible"})


@pytest.mark.parametrize(
    ("language", "heading", "sentence"),
    [
        ("en", "Possible answers to “who may search my house”", UNSURE),
        (
            "es",
            "Respuestas posibles a «who may search my house»",
            "No es seguro que alguna de estas responda",
        ),
    ],
)
def test_what_is_not_certain_says_so_in_words_and_form(client, language, heading, sentence):
    unsure(1.0)
    headers = {"accept-language": language}
    page = Page(client.get("/search", {"q": "who may search my house"}, headers=headers))
    assert heading in page.text and sentence in page.text
    assert page.all("ol", **{"class": "hits possible"})


@pytest.mark.parametrize(
    ("likely", "confident", "shown"), [(2, True, 2), (0, True, 1), (0, False, 3), (12, True, 10)]
)
def test_results_end_where_relevance_ends(client, monkeypatch, likely, confident, shown):
    def answering(request, caller, **options):
        return search(request, caller, **options) | {"likely": likely, "confident": confident}

    monkeypatch.setattr(views, "search", answering)
    page = look_for(client, "power of congress")
    folded = 10 - shown
    assert len(hits(page)) == 10
    assert folds(page) == (folded > 0)
    if folded:
        assert f"{folded} more that are less likely" in page.text
        assert page.all("ol", start=f"{shown + 1}")
    assert page.all("a", rel="next")


def test_later_pages_fold_nothing_and_say_that_they_are_less_likely(client):
    publish_limits(confident=1.0, answer_minimum=0.0)
    page = look_for(client, "power of congress", page=9)
    assert "Less likely results for “power of congress”" in page.text
    assert hits(page) and not folds(page)


def test_near_misses_are_folded(client):
    decline_everything()
    page = look_for(client, "best pizza in Chicago")
    assert folds(page) == 1 and page.all("ol", **{"class": "hits near-misses"})


def test_a_spanish_question_shows_what_was_searched_for(client):
    page = look_for(client, "¿Cuándo puede la policía registrar mi casa?")
    assert "Searched in English for" in page.text and hits(page)[0] == "/us/const/amendment/IV"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "There is no U.S. Const. amend. XXVIII among the law here."),
        ("es", "U.S. Const. amend. XXVIII no figura en la legislación disponible aquí."),
    ],
)
def test_a_page_says_that_what_was_cited_is_not_here(client, language, said):
    page = client.get(
        "/search", {"q": "28th amendment"}, headers={"accept-language": language}
    ).content.decode()
    assert said in page
    assert "Leave out names" not in page


def test_a_degraded_search_says_what_it_lacks(client, monkeypatch):
    def gone(*args):
        raise NotRun("the embedder is gone")

    monkeypatch.setattr(loaded, "active_embedder", gone)
    assert "Search by meaning did not answer" in look_for(client, "grand jury").text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "The order learned from judgments is missing at present"),
        ("es", "Por ahora falta el orden aprendido de las valoraciones"),
    ],
)
def test_a_reranker_that_cannot_be_read_is_told_of_in_words(client, monkeypatch, language, said):
    def of_another_release(*args):
        raise BadArtifact("The reranker was trained on other features: run `manage.py retrain`.")

    monkeypatch.setattr(reranker, "serving", of_another_release)
    page = client.get("/search", {"q": "grand jury"}, headers={"accept-language": language}).content.decode()
    assert said in page and "LearnedReranker" not in page


def test_htmx_gets_the_results_alone(client):
    response = client.get("/search", {"q": "jury"}, **HTMX)
    page = Page(response)
    assert b"<html" not in response.content and page.all("section", id="results")
    assert page.all("p", id="said", role="status")
    assert "HX-Request" in response["Vary"]


def test_going_back_gets_the_whole_page(client):
    response = client.get("/search", {"q": "jury"}, HTTP_HX_HISTORY_RESTORE_REQUEST="true", **HTMX)
    assert Page(response).all("html")


def test_a_search_costs_few_queries(client):
    client.get("/search", {"q": "jury"})
    for question, most in (("power of the senate to impeach", 15), ("jury", 5)):
        with CaptureQueriesContext(connection) as captured:
            client.get("/search", {"q": question})
        queries = [query["sql"] for query in captured if "SAVEPOINT" not in query["sql"]]
        assert len(queries) <= most, queries


def trace_of(client, question="jury"):
    client.get("/search", {"q": question})
    return f"/trace/{SearchLog.objects.latest('created_at').pk}"


def test_staff_are_led_to_the_trace(admin_client, client):
    page = look_for(admin_client, "double jeopardy")
    (address,) = [link for link in page.links() if link.startswith("/trace/")]
    trace = look(admin_client, address)
    for words in ("ResolveCitations", "DenseRetriever", "/us/const/amendment/V", "Candidates dropped"):
        assert words in trace.text
    assert trace.all("progress")
    assert not [link for link in look_for(client, "double jeopardy").links() if "/trace/" in link]


def test_a_trace_is_for_its_caller_and_staff(client, admin_client, case):
    _, owner = case
    client.force_login(owner)
    address = trace_of(client)
    look(client, address)
    look(admin_client, address)
    look(Client(), address, status=404)
    look(client, "/trace/00000000-0000-4000-8000-000000000000", status=404)


def test_a_cached_answer_has_a_trace(admin_client):
    for _ in range(2):
        address = trace_of(admin_client, "grand jury")
    assert "Cached yes" in look(admin_client, address).text


def test_searches_and_traces_stay_out_of_search_engines(admin_client):
    for address in ("/search", "/search?q=jury", trace_of(admin_client)):
        response = admin_client.get(address)
        assert response["X-Robots-Tag"] == "noindex"
        assert Page(response).all("meta", name="robots", content="noindex")


def test_law_may_be_indexed_and_searches_may_not(client):
    assert "X-Robots-Tag" not in client.get(FOURTH)
    robots = client.get("/robots.txt")
    assert robots["Content-Type"].startswith("text/plain")
    assert b"Disallow: /search" in robots.content and b"Disallow: /law" not in robots.content


@cache
def visited(address, language="en"):
    """What somebody is answered who has been nowhere before: asked once, for the tests that look at one side each."""
    return Client().get(address, HTTP_ACCEPT_LANGUAGE=language)


@pytest.mark.parametrize("address", ADDRESSES)
def test_nothing_is_inline(address):
    response = visited(address)
    assert "script-src 'self'" in response["Content-Security-Policy"]
    page = Page(response)
    assert not page.all("style") and all("src" in script for script in page.all("script"))
    assert not [a for _, a in page.elements if "style" in a or any(name.startswith("on") for name in a)]


@pytest.mark.parametrize("address", [a for a in ADDRESSES if a != "/search?q=jury"])
def test_visitors_get_no_cookie_where_no_form_needs_one(address):
    assert not visited(address).client.cookies


@pytest.mark.usefixtures("one_minute")
def test_searches_are_limited(client, settings):
    settings.ARF_RATE_PER_MINUTE = 1
    away = {"REMOTE_ADDR": "203.0.113.9"}
    assert client.get("/search", {"q": "jury"}, **away).status_code == 200
    response = client.get("/search", {"q": "jury"}, **away)
    assert (response.status_code, response["Retry-After"]) == (429, "45")
    assert "Please wait 45 seconds" in Page(response).text
    assert client.get("/search", {"q": "jury"}).status_code == 200  # this machine itself


def test_the_browser_s_language_is_spoken(client):
    page = look(client, "/", HTTP_ACCEPT_LANGUAGE="es-MX,es;q=0.9")
    assert page.all("html", lang="es")
    assert "¿Qué disposición lo dice?" in page.text and "Constitución de los EE. UU." in page.text


def test_results_are_named_in_spanish_first(client):
    page = look_for(client, "commerce clause")
    spanish = Page(client.get("/search", {"q": "commerce clause"}, HTTP_ACCEPT_LANGUAGE="es"))
    assert "Cláusula de comercio" in spanish.text and "Cláusula de comercio" not in page.text
    assert "Artículo I: El Poder Legislativo › Sección 8: Facultades del Congreso" in spanish.text
    assert "Se la conoce como «commerce clause»" in spanish.text
    assert [p for p in spanish.all("p", lang="en") if p.get("class") == "snippet"]


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_can_be_heard_and_walked_by_keyboard(address, language):
    page = Page(visited(address, language))
    assert page.all("html", lang=language)
    assert len(page.all("h1")) == 1 and len(page.all("main")) == 1
    assert page.all("header") and page.all("footer") and page.all("search")
    assert page.links()[0] == "#main"
    labelled = {label.get("for") for label in page.all("label")}
    for kind in ("input", "select"):
        for field in page.all(kind):
            assert field.get("type") in ("hidden", "checkbox") or field["id"] in labelled
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        for pointer in ("aria-labelledby", "aria-describedby"):
            assert attributes.get(pointer, ids[0]) in ids
    assert all("alt" in image for image in page.all("img"))
    assert all(svg.get("aria-hidden") == "true" for svg in page.all("svg"))


def test_a_failure_has_a_page_of_its_own(monkeypatch):
    monkeypatch.setattr(reader, "library", lambda caller: 1 / 0)
    careless = Client(raise_request_exception=False)
    response = careless.get("/law/", HTTP_ACCEPT_LANGUAGE="es")
    assert response.status_code == 500 and "Algo ha fallado aquí" in Page(response).text


def test_a_part_of_the_law_has_a_box_that_searches_within_it(client):
    page = look(client, "/law/us/const/article/I")
    assert page.all("input", name="within", value="/us/const/article/I", type="hidden")
    assert "Search within Article I" in page.text
    assert look(client, "/law/us/const").all("input", name="within", value="/us/const")
    assert not look(client, FOURTH).all("input", name="within")


def test_results_tell_what_they_are_restricted_to_and_lead_out_of_it(client):
    page = look_for(client, "jury", within=["/us/const/article/III", "/us/const/amendment/VI"])
    assert "Searched only within U.S. Const. art. III." in page.text
    assert "?q=jury&within=%2Fus%2Fconst%2Famendment%2FVI" in page.links()
    kept = page.all("input", name="within", type="hidden")
    assert [field["value"] for field in kept] == ["/us/const/article/III", "/us/const/amendment/VI"]
    assert all(place.startswith(("/us/const/article/III", "/us/const/amendment/VI")) for place in hits(page))


def test_a_restriction_to_nothing_is_said_beside_the_question(client):
    response = client.get("/search", {"q": "jury", "within": "/us/const/article/X"})
    page = Page(response)
    assert response.status_code == 400 and "There is no such provision." in page.text
    assert "?q=jury" in page.links()
    client.cookies["django_language"] = "es"
    assert "No hay tal disposición." in Page(client.get("/search", {"q": "jury", "within": "/x"})).text


def test_notes_are_shown_as_notes_where_the_box_is_checked(client, reindex):
    section = a_section(a_document(a_domain()), "Rules.", notes=["A zyzzyva was free."])
    reindex()
    plain, with_notes = (look_for(client, "zyzzyva", **asked) for asked in ({}, {"notes": "on"}))
    assert "In the notes" not in plain.text and plain.all("input", name="notes")
    (box,) = with_notes.all("input", name="notes")
    assert "checked" in box
    assert with_notes.all("a", href=f"/law{section.locator}#notes")
    assert "In the notes: A zyzzyva was free." in " ".join(with_notes.text.split())
    assert "No note has all the words." in look_for(client, "jury", domain="us_constitution", notes="on").text


def test_facets_are_told_in_the_readers_language(client):
    client.cookies["django_language"] = "es"
    page = look_for(client, "congress", page=2)
    assert "Facultades del Congreso" in page.text and "Powers of Congress" not in page.text


def test_facets_lead_to_narrower_searches(client):
    page = look_for(client, "congress", page=2)
    narrower = [link for link in page.links() if "within=" in link]
    assert "Counted among the first" in page.text and narrower
    assert all(link.startswith("?q=congress&within=") for link in narrower)
    inside = look(client, f"/search{narrower[0]}")
    assert hits(inside) and "Searched only within" in inside.text


@pytest.mark.parametrize("path", [FOURTH, "/law/us/const"])
def test_a_provision_is_not_read_on_what_is_no_day(client, path):
    page = look(client, f"{path}?as_of=zzz", status=400)
    assert "There is no such day. Write it like 1791-12-15." in page.text
    look(client, f"{path}?matter=zzz", status=404)


def test_staff_is_offered_to_whom_it_may_concern(client, django_user_model):
    staff, reader = (django_user_model.objects.create_user(name, is_staff=name == "staff") for name in ("staff", "ann"))
    assert "/admin/" in look(client, "/").links()
    client.force_login(reader)
    assert "/admin/" not in look(client, "/").links()
    client.force_login(staff)
    assert "/admin/" in look(client, "/").links()
