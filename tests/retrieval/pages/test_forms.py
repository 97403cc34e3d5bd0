"""What the pages read from an address, and what is said beside a field."""

import pytest

from retrieval.errors import ArfError
from retrieval.models import SearchLog
from retrieval.pages.views import PROBLEMS
from retrieval.request import SearchRequest, check
from tests.retrieval.pages.looking import FOURTH, Page, add_provision, hits, look, look_for

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
        ({"q": "jury", "page": "0"}, "1"),
        ({"q": "jury", "as_of": "2024-02-30"}, "There is no such day. Write it like 1791-12-15."),
        ({"q": "a\x00b"}, "Null"),
    ],
)
def test_what_cannot_be_asked_is_said_and_the_question_kept(client, parameters, problem):
    response = client.get("/search", parameters)
    page = Page(response)
    assert response.status_code == 400
    assert problem in page.text and page.all("input", id="q", value=parameters["q"])
    assert any(attributes.get("role") == "alert" for _, attributes in page.elements)
    assert not SearchLog.objects.exists()


@pytest.mark.parametrize(("tag", "name"), [("select", "language"), ("input", "as_of")])
def test_a_filter_with_a_problem_is_described_by_it(client, tag, name):
    page = look(client, f"/search?q=jury&{name}=zz", status=400)
    [field] = page.all(tag, name=name)
    assert field["aria-invalid"] == "true"
    assert page.all("span", id=field["aria-describedby"], role="alert")


def test_what_no_field_catches_can_be_translated():
    with pytest.raises(ArfError) as problem:
        check(SearchRequest("??"))
    assert problem.value.message in PROBLEMS


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
