"""Names of several provisions together: all of them, first and in order."""

from datetime import date

import pytest

from retrieval.models import Domain
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules import published
from rules.aliases import embedding
from rules.defaults import rows_of
from rules.models import Alias, AliasVector
from tests.retrieval.pages.looking import look_for

pytestmark = pytest.mark.django_db
TEN = "I II III IV V VI VII VIII IX X"


def amendments(text: str, **fields) -> str:
    results = search(SearchRequest(text=text, **fields))["results"]
    return " ".join(result["locator"].removeprefix("/us/const/amendment/") for result in results)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Reconstruction amendments", "XIII XIV XV"),
        ("What are the Civil War amendments?", "XIII XIV XV"),
        ("the first ten amendments", TEN),
        ("first 10 amendments to the Constitution", TEN),
        ("Bill of Rights", TEN),
        ("what does the Bill of Rights say", TEN),
        ("voting rights amendments", "XV XIX XXIV XXVI"),
        ("which amendments make up the Bill of Rights?", TEN),
        ("What are the 3 Reconstruction amendments called", "XIII XIV XV"),
        ("¿Cuáles son las primeras diez enmiendas?", TEN),
        ("Carta de Derechos", TEN),
        ("enmiendas de la Reconstrucción", "XIII XIV XV"),
        ("enmiendas de la guerra civil", "XIII XIV XV"),
        ("enmiendas sobre el derecho al voto", "XV XIX XXIV XXVI"),
    ],
)
def test_all_that_a_name_means_comes_in_order(question, wanted):
    assert amendments(question) == wanted


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("what replaced the fugitive slave clause", "amendment/XIII/section/1 article/IV/section/2/clause/3"),
        ("¿Qué enmienda derogó la ley seca?", "amendment/XXI/section/1 amendment/XVIII/section/1"),
        (
            "what superseded the three-fifths clause",
            "amendment/XIV/section/2 amendment/XVI article/I/section/2/clause/3",
        ),
    ],
)
def test_what_is_called_by_a_name_is_answered_by_what_changed_it(question, wanted):
    results = search(SearchRequest(text=question))["results"]
    assert " ".join(result["locator"].removeprefix("/us/const/") for result in results) == wanted
    assert results[-1]["reasons"][0]["code"] == "alias"


def test_a_name_of_what_never_changed_is_searched_for():
    assert len(search(SearchRequest(text="what changed double jeopardy"))["results"]) > 2


def test_on_a_day_only_what_was_law_by_then_comes():
    assert amendments("voting rights amendments", as_of=date(1950, 1, 1)) == "XV XIX"


def test_a_longer_question_is_searched_for():
    assert amendments("Is the Bill of Rights a complete list?").split()[0] == "IX"


def test_the_page_says_why(client):
    assert (
        "It is one of the provisions that “Bill of Rights” names together."
        in look_for(client, "bill of rights").text
    )


def test_every_shipped_name_is_in_order_and_without_gaps():
    places: dict[str, list[int]] = {}
    for row in rows_of("collective_names.csv"):
        places.setdefault(row["alias"], []).append(int(row["place"]))
    assert all(given == [*range(1, len(given) + 1)] and len(given) > 1 for given in places.values())


def test_curators_add_names_which_are_none_of_a_single_provision():
    domain = Domain.objects.get(slug="us_constitution")
    for place, number in ((2, "II"), (1, "V")):
        locator = f"/us/const/amendment/{number}"
        Alias.objects.create(domain=domain, text="flibbertigibbet pair", locator=locator, place=place)
    embedding.embed_all()
    assert amendments("the flibbertigibbet pair") == "V II"
    assert not AliasVector.objects.filter(alias__text="flibbertigibbet pair").exists()
    assert "flibbertigibbet" not in published.words_of_names(domain.pk, -1, "en")
    assert not published.alias_table(domain.pk, -1).matches("flibbertigibbet pair", "en")
