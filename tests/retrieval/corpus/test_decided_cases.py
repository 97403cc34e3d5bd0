"""The names of decided cases are those of the public domain of cases, where it is searched."""

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.citations.citation import Source
from retrieval.corpus.decided_cases import case_names, names_for
from retrieval.models import Domain
from retrieval.ranking import Query
from retrieval.search.service import in_scope
from tests.builders import a_document, a_section

pytestmark = pytest.mark.django_db


@pytest.fixture
def roe():
    domain = Domain.objects.get(slug="supreme_court_cases")
    document = a_document(domain, locator="/us/scotus/410/113", title="Roe v. Wade")
    case_names.cache_clear()
    yield a_section(
        document,
        locator=document.locator,
        level="case",
        heading="Roe v. Wade",
        plain_name="Roe; the abortion case",
    )
    case_names.cache_clear()


def names(*domains):
    scopes, in_force = in_scope(ANONYMOUS, domains)
    return names_for(Query("", "", "", "en", scopes, versions=in_force))


@pytest.mark.parametrize("text", ["roe v wade", "the Roe decision"])
def test_cases_are_known_by_name_and_short_name(roe, text):
    found = names("supreme_court_cases").find(Source.of(text))
    assert [match.items[0].locator for match in found] == [roe.locator]


def test_cases_are_known_only_where_they_are_searched(roe):
    assert names("us_constitution") is None
    assert names()
