"""A summary of a decision is nowhere shown as the words of the court."""

import json
from datetime import date

import pytest

from retrieval.models import Domain
from tests.builders import a_document, a_section, embedded
from tests.retrieval.api.asking import API, found, section
from tests.retrieval.pages.looking import look

pytestmark = pytest.mark.django_db
PLACE, OPINION = "/us/scotus/900/1", "/us/scotus/900/1/opinion/majority"
BADGE = "summary, not the opinion’s words"
NOTICE = "This is a summary of the decision, not the words of the opinion"
ASKED = "May a state tax purple zebras?"


@pytest.fixture(autouse=True)
def decided():
    domain = Domain.objects.get(slug="supreme_court_cases")
    document = a_document(domain, locator=PLACE, title="Zebra v. State")
    words = "Facts. Zebras grazed.\nHeld. A state may not tax purple zebras."
    known = {"valid_from": date(2010, 3, 4), "is_leaf": False, "heading": "Zebra v. State"}
    case = a_section(document, words, locator=PLACE, level="case", citation="900 U.S. 1", **known)
    held = {"level": "majority", "citation": "900 U.S. 1 (majority)", "valid_from": date(2010, 3, 4)}
    a_section(document, "We hold that giraffes roam.", locator=OPINION, parent=case, **held)
    embedded(case)


def test_its_page_says_so_once_and_the_opinion_does_not(client):
    assert look(client, f"/law{PLACE}").text.count(NOTICE) == 1
    assert NOTICE not in look(client, f"/law{OPINION}").text
    assert NOTICE in look(client, f"/changes{PLACE}").text
    spanish = look(client, f"/law{PLACE}", HTTP_ACCEPT_LANGUAGE="es").text
    assert "no las palabras de la sentencia: no lo cite como palabras del tribunal" in spanish


def test_it_is_cited_by_name_and_year(client):
    page = look(client, f"/law{PLACE}").text
    opinion = look(client, f"/law{OPINION}").text
    assert "Cite as Zebra v. State, 900 U.S. 1 (2010) Copy" in page
    assert "Cite as Zebra v. State, 900 U.S. 1 (2010) (majority)" in opinion
    assert "Decided on March 4, 2010" in page and "Decided on March 4, 2010" in opinion


def test_a_shelf_tells_decisions_of_one_name_apart(client):
    assert "Zebra v. State, 900 U.S. 1 (2010)" in look(client, "/law/").text
    assert "State 1 provision" not in look(client, "/law/us/scotus").text


def test_results_and_answers_say_so(client):
    assert BADGE in look(client, f"/search?q={ASKED}&domain=supreme_court_cases").text
    assert BADGE in look(client, f"/ask?q={ASKED}&domain=supreme_court_cases").text
    assert BADGE not in look(client, "/ask?q=Who+can+declare+war%3F").text


def test_the_api_says_so(client):
    assert [section(client, place[1:])["summary_of_decision"] for place in (PLACE, OPINION)] == [True, False]
    (first, *_) = found(client, ASKED, domain="supreme_court_cases")["results"]
    assert first["summary_of_decision"]
    made = client.get(f"{API}/answer", {"q": ASKED, "domain": "supreme_court_cases"}).json()
    assert made["answer"] and all(one["summary_of_decision"] for one in made["answer"])
    assert not any(one["summary_of_decision"] for one in found(client, "double jeopardy")["results"])


def test_a_download_says_so(client):
    sent = client.get(f"{API}/domains/supreme_court_cases/download").getvalue().splitlines()
    told = {row["locator"]: row.get("summary_of_decision") for row in map(json.loads, sent)}
    assert (told[PLACE], told[OPINION]) == (True, None)
