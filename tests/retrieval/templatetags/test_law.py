"""Words of results and reasons, marked and escaped."""

import re
from datetime import date
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation

from retrieval.models import Section
from retrieval.search.response import wanted_stems
from retrieval.templatetags import law
from tests.retrieval.pages.looking import add_provision

pytestmark = pytest.mark.django_db


def test_found_words_are_marked(client):
    response = client.get("/search", {"q": "regulate commerce with foreign nations"})
    assert "<mark>Commerce</mark>" in response.content.decode()


def test_words_of_mere_grammar_are_not_marked():
    assert wanted_stems("Which troops would be quartered there, and when?") == {"troop", "quarter"}
    assert wanted_stems("Must no search happen without a warrant, under such law?") == {
        "search",
        "happen",
        "warrant",
        "law",
    }


def test_no_part_of_the_search_is_called_by_its_name_in_the_code():
    with translation.override("en"):
        said = law.shortcomings(["DenseRetriever", "Unknown", "EmbedQuery", "Other"])
    assert len(said) == 2 and said[1] == "A part of the search did not answer."


def test_every_reason_and_every_degraded_stage_has_its_sentence():
    sources = [
        *Path(settings.BASE_DIR, "retrieval").glob("*.py"),
        *Path(settings.BASE_DIR, "rules").glob("*.py"),
    ]
    codes = {code for path in sources for code in re.findall(r'Reason\(\s*"(\w+)"', path.read_text())}
    assert codes | {"dense", "lexical", "private"} <= law.REASONS.keys() | {"abstained"}


@pytest.mark.parametrize(("probability", "told"), [(0.0, "menos de 0,01"), (0.0049, "menos de 0,01"), (0.005, "0,01")])
def test_no_probability_is_told_as_nothing(probability, told):
    with translation.override("es"):
        assert law.rounded(probability) == told


ENDED = {"standing": "no_longer_in_force", "status": "", "valid_from": "1920-01-16", "valid_to": "1933-12-05"}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (None, "Not in force since Dec. 5, 1933"),
        (date(1925, 1, 1), "In force on Jan. 1, 1925; not in force since Dec. 5, 1933"),
        (date(1933, 12, 5), "Not in force since Dec. 5, 1933"),
    ],
)
def test_law_that_ended_after_the_day_asked_for_was_in_force_on_it(asked, told):
    with translation.override("en"):
        assert law.standing(ENDED, asked) == told


@pytest.mark.parametrize(
    ("asked", "told"),
    [(None, "Withdrawn on Dec. 5, 1933"), (date(1925, 1, 1), "In force on Jan. 1, 1925; withdrawn on Dec. 5, 1933")],
)
def test_law_that_ended_with_its_document_was_withdrawn(asked, told):
    with translation.override("en"):
        assert law.standing(ENDED | {"withdrawn_on": ENDED["valid_to"]}, asked) == told
        assert "withdrawn" not in law.standing(ENDED | {"withdrawn_on": "1950-01-01"}, asked).lower()


def test_levels_of_decisions_have_their_names_in_spanish():
    with translation.override("es"):
        assert law.label(Section(level="case", number="410 U.S. 113")) == "Caso 410 U.S. 113"
        assert law.label(Section(level="opinion")) == "Opinión"


def test_a_question_is_escaped_wherever_it_stands(client):
    body = client.get("/search", {"q": "<script>alert(1)</script> jury"}).content.decode()
    assert "<script>alert" not in body and "&lt;script&gt;" in body


def test_law_is_escaped_before_it_is_marked(client):
    words = "<img src=x onerror=alert(1)> Quartering of <b>soldiers</b> & horses."
    section = add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", words)
    result = {"snippet": words, "marks": [[15, 22], [45, 60]], "passage": [0, len(words)], "goes_on": False}
    marked = law.snippet(result)
    body = client.get(f"/law/{section.path}", {"q": "soldiers horses"}).content.decode()
    for html in (marked, body):
        assert "<img src=x" not in html and "<b>soldiers" not in html
        assert "&lt;img src=x" in html and "<mark" in html


def test_editions_and_groups_of_the_regulations_are_named_in_the_readers_language():
    with translation.override("es"):
        assert law.named_edition("Code of Federal Regulations, edition of 2016-07-01") == (
            "Código de Reglamentos Federales, edición del 1 de julio de 2016"
        )
        current = law.named_edition("eCFR, as amended to 2026-01-02")
        assert current == "eCFR, con las reformas hasta el 2 de enero de 2026"
        assert law.named_edition("Online@119-73") == "Online@119-73"
        assert law.label(Section(level="subject group")) == "Grupo temático"
