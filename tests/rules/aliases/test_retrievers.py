"""The legs that find provisions by their curated names."""

from dataclasses import replace
from datetime import date

import pytest
from django.core.exceptions import ValidationError

from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.statements import current_versions
from retrieval.models import Domain, Section, Version
from retrieval.ranking import Query
from retrieval.request import SearchRequest
from retrieval.search.service import query_of, search, visible_domains
from retrieval.targets import Part, Selection
from rules import published
from rules.aliases import embedding
from rules.aliases.retrievers import (
    AliasRetriever,
    LexicalAliasRetriever,
    NearestAliasRetriever,
    dense_ranks,
    named_sections,
    strength,
)
from rules.models import Alias
from rules.published import AliasTable
from tests.retrieval.stages.leg_contract import LegContract

pytestmark = pytest.mark.django_db


FIRST, THIRD = "/us/const/amendment/I", "/us/const/amendment/III"


@pytest.fixture
def query() -> Query:
    scopes = visible_domains(ANONYMOUS, ["us_constitution"])
    return query_of(SearchRequest("a question"), ANONYMOUS, scopes, current_versions(scopes))


def number(locator: str) -> int:
    return Section.objects.live().get(locator=locator).pk


def test_provisions_are_given_in_the_order_asked_and_unknown_ones_left_out(query):
    named = published.named_places(
        query.domains[0].id, query.versions["aliases"], query.domains[0].corpus_version
    )
    assert {FIRST, THIRD} <= named.keys()
    found = named_sections(query, [THIRD, "/us/const/amendment/XCIX", FIRST])
    assert found == [(THIRD, number(THIRD)), (FIRST, number(FIRST))]


def test_rules_decide_which_provisions_are_left(query):
    without = replace(query, exclude=Selection((Part("section", FIRST),)))
    assert named_sections(without, [FIRST, THIRD]) == [(THIRD, number(THIRD))]
    only = replace(query, include=Selection((Part("section", FIRST),)))
    assert named_sections(only, [FIRST, THIRD]) == [(FIRST, number(FIRST))]


def test_what_was_not_in_force_on_the_day_is_not_named(query):
    Section.objects.filter(locator=FIRST).update(valid_from="1791-12-15")
    assert named_sections(replace(query, as_of=date(1790, 1, 1)), [FIRST]) == []


class TestAliasRetriever(LegContract):
    leg = AliasRetriever()


@pytest.fixture
def domain():
    return Domain.objects.get(slug="us_constitution")


def ask(text: str, **fields) -> dict:
    return search(SearchRequest(text=text, **fields))


def test_a_long_name_of_one_provision_is_stronger_than_a_short_shared_one():
    table = AliasTable([("jury", "/a", "en"), ("jury", "/b", "en"), ("civil jury trial", "/c", "en")])
    (civil,) = table.matches("civil jury trial", "en")
    shared = table.matches("a jury", "en")
    assert strength(civil) > max(map(strength, shared))
    assert dense_ranks([0.5, 3.0, 0.5]) == [2, 1, 2]


def test_a_new_alias_is_found_by_the_next_search(domain):
    third = "/us/const/amendment/III"
    before = ask("flibbertigibbet rule")
    assert third not in [result["locator"] for result in before["results"][:1]]
    Alias.objects.create(domain=domain, text="flibbertigibbet rule", locator=third)
    embedding.embed_all()
    answer = ask("flibbertigibbet rule")
    assert answer["results"][0]["locator"] == third
    assert {"code": "alias", "alias": "flibbertigibbet rule"} in answer["results"][0]["reasons"]


def test_a_disabled_alias_is_not_found(domain):
    Alias.objects.create(
        domain=domain, text="flibbertigibbet", locator="/us/const/amendment/III", enabled=False
    )
    reasons = [reason["code"] for result in ask("flibbertigibbet")["results"] for reason in result["reasons"]]
    assert "alias" not in reasons


@pytest.mark.parametrize(
    "change",
    [
        lambda: Alias.objects.first().delete(),
        lambda: Alias.objects.filter(pk__lt=50).update(note="checked"),
        lambda: Alias.objects.bulk_create(
            [
                Alias(
                    domain=Domain.objects.get(slug="us_constitution"),
                    text="x y",
                    locator="/us/const/preamble",
                )
            ]
        ),
    ],
)
def test_every_way_of_changing_aliases_counts_their_version_up(change):
    before = Version.objects.get(name="aliases").number
    change()
    assert Version.objects.get(name="aliases").number > before


def test_an_alias_must_name_a_provision_that_exists(domain):
    with pytest.raises(ValidationError, match="No provision"):
        Alias(domain=domain, text="a name", locator="/us/const/amendment/XXX").full_clean()
    with pytest.raises(ValidationError, match="letter or digit"):
        Alias(domain=domain, text="¿?", locator="/us/const/amendment/I").full_clean()


class TestNearestAliasRetriever(LegContract):
    leg = NearestAliasRetriever()


def near(answer: dict) -> dict[str, str]:
    """The alias that brought each result by its meaning."""
    return {
        result["locator"]: reason["alias"]
        for result in answer["results"]
        for reason in result["reasons"]
        if reason["code"] == "alias_near"
    }


def test_an_alias_that_means_nearly_what_is_asked_brings_its_provision(domain):
    Alias.objects.create(domain=domain, text="zebras kept as pets", locator="/us/const/amendment/III")
    question = "I want to keep a zebra at home, is that allowed"
    assert near(ask(question)).get("/us/const/amendment/III") != "zebras kept as pets"
    assert embedding.embed_all() == 1
    assert near(ask(question))["/us/const/amendment/III"] == "zebras kept as pets"


def test_a_disabled_alias_is_not_near_either():
    question = "may cops look through the photos on my mobile"
    best = near(ask(question))["/us/const/amendment/IV"]
    Alias.objects.filter(text=best).update(enabled=False)
    assert near(ask(question))["/us/const/amendment/IV"] != best


class TestLexicalAliasRetriever(LegContract):
    leg = LexicalAliasRetriever()
