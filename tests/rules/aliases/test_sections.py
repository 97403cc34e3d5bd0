"""The sections that aliases name, from memory where everything is searched and else from the database."""

from dataclasses import replace
from datetime import date

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.statements import current_versions
from retrieval.models import Section
from retrieval.ranking import Query
from retrieval.request import SearchRequest
from retrieval.search.service import query_of, visible_domains
from retrieval.targets import Part, Selection
from rules import published
from rules.aliases.sections import named_sections

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
