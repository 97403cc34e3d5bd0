"""Pages as they are heard: what screen readers say of headings, languages, names and errors."""

import pytest

from retrieval.templatetags.law import heading_level
from tests.builders import a_document, a_domain, a_section
from tests.retrieval.pages.looking import Page, look

pytestmark = pytest.mark.django_db


def test_parts_of_a_page_are_headed_by_their_depth_and_apart_from_their_names(client):
    page = look(client, "/law/us/const/article/I")
    assert "Section 1 Legislative" in page.text
    assert len(page.all("h2", **{"class": "heading"})) == 10 < len(page.all("h3", **{"class": "heading"}))
    assert heading_level(9) == 6


def test_notes_are_named_after_what_they_stand_beside(client):
    document = a_document(a_domain())
    top = a_section(document, "Top.", notes=["Of all."], is_leaf=False)
    under = {"parent": top, "is_result": False, "depth": 1}
    parts = [a_section(document, "Part.", locator=f"{top.locator}/{n}", notes=[f"Of {n}."], **under) for n in (1, 2)]
    names = [aside["aria-label"] for aside in look(client, f"/law{top.locator}").all("aside")]
    assert names == ["Notes", *(f"Notes: {part.citation}" for part in parts)]


def test_a_question_is_said_in_its_own_language(client):
    asked = "¿Qué edad debe tener el presidente?"
    assert look(client, f"/ask?q={asked}").all("h1", lang="es")
    assert look(client, f"/ask?q={asked} ¿Y un senador?").all("h2", lang="es")
    assert look(client, f"/search?q={asked}").all("bdi", lang="es")


def described(page):
    """Names of the fields that an error is told of."""
    ids = {a["id"] for _, a in page.elements if "problem" in a.get("class", "").split() and "id" in a}
    return [a.get("name", tag) for tag, a in page.elements if ids & set(a.get("aria-describedby", "").split())]


def test_an_error_is_told_of_its_field(client):
    assert described(look(client, "/search?q=jury&domain=mars", status=400)) == ["fieldset"]
    assert described(look(client, f"/ask?q=x&about={'a' * 2001}", status=400)) == ["about"]
    assert described(Page(client.post("/check/", {"text": " "}))) == ["text"]
    assert described(Page(client.post("/login", {"username": "ann", "password": "no"}))) == ["username", "password"]
