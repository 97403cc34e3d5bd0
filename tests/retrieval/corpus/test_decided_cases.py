"""The names of decided cases are those of the public domain of cases, where it is searched."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from retrieval.access.caller import ANONYMOUS
from retrieval.citations.citation import Source
from retrieval.corpus import decided_cases
from retrieval.corpus.decided_cases import case_names, names_for
from retrieval.models import Domain, IndexChange, Section
from retrieval.ranking import Query
from retrieval.search.service import in_scope
from tests.builders import a_document, a_section

pytestmark = pytest.mark.django_db


@pytest.fixture
def roe():
    domain = Domain.objects.get(slug="supreme_court_cases")
    document = a_document(domain, locator="/us/scotus/410/113", title="Roe v. Wade")
    return a_section(
        document,
        locator=document.locator,
        level="case",
        heading="Roe v. Wade",
        plain_name="Roe; the abortion case",
    )


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(decided_cases, "_known", {})


def names(*domains):
    scopes, in_force = in_scope(ANONYMOUS, domains)
    return names_for(Query("", "", "", "en", scopes, versions=in_force))


@pytest.mark.parametrize("text", ["roe v wade", "the Roe decision"])
def test_cases_are_known_by_name_and_short_name(roe, text):
    found = names("supreme_court_cases").find(Source.of(text))
    assert [match.items[0].locator for match in found] == [roe.locator]


def test_cases_of_all_courts_are_known_together(roe):
    domain = Domain.objects.get(slug="court_cases")
    place = "/us/case/f3d/123/456"
    a_section(a_document(domain, locator=place), locator=place, level="case", heading="Smith v. Jones")
    for text, locator in (("roe v wade", roe.locator), ("smith v jones", place)):
        found = names("supreme_court_cases", "court_cases").find(Source.of(text))
        assert [match.items[0].locator for match in found] == [locator]
    assert not [*names("supreme_court_cases").find(Source.of("smith v jones"))]


def test_cases_are_known_only_where_they_are_searched(roe):
    assert names("us_constitution") is None
    assert names()


# -- Another version


def found_in(text: str, domain: int, version: int) -> list[str]:
    return [match.items[0].locator for match in case_names((domain,), (version,)).find(Source.of(text))]


def a_case(domain: Domain, page: int, name: str):
    place = f"/us/scotus/384/{page}"
    return a_section(a_document(domain, locator=place, title=name), locator=place, level="case", heading=name)


def test_a_new_case_is_read_alone_and_the_others_stay_known(roe, django_assert_num_queries, monkeypatch):
    domain = roe.document.domain
    assert found_in("roe v wade", domain.pk, 1) == [roe.locator]
    new = a_case(domain, 436, "Miranda v. Arizona")
    read = []
    monkeypatch.setattr(decided_cases, "written", lambda name: read.append(name[2]) or (name[2], name[3], []))
    with CaptureQueriesContext(connection) as asked:
        assert found_in("miranda v arizona", domain.pk, 2) == [new.locator]
    [of_sections] = [query["sql"] for query in asked if '"retrieval_section"' in query["sql"]]
    assert f'"id" IN ({new.pk})' in of_sections, "the others are not even looked through"
    assert read == [new.locator]
    with django_assert_num_queries(0):
        assert found_in("roe v wade", domain.pk, 2) == found_in("the Roe decision", domain.pk, 2) == [roe.locator]
        assert found_in("miranda v arizona", domain.pk, 2) == [new.locator]


def test_a_case_that_is_named_otherwise_is_known_by_that_name_alone(roe):
    domain = roe.document.domain
    assert found_in("roe v wade", domain.pk, 1) == [roe.locator]
    Section.objects.filter(pk=roe.pk).update(heading="Doe v. Bolton")
    assert found_in("doe v bolton", domain.pk, 2) == [roe.locator]
    assert found_in("roe v wade", domain.pk, 2) == []


def test_where_the_change_log_does_not_reach_back_all_are_read(roe):
    domain = roe.document.domain
    assert found_in("roe v wade", domain.pk, 1) == [roe.locator]
    new, _ = a_case(domain, 436, "Miranda v. Arizona"), a_case(domain, 437, "Smith v. Jones")
    IndexChange.objects.exclude(pk=IndexChange.objects.latest("pk").pk).delete()
    assert found_in("miranda v arizona", domain.pk, 2) == [new.locator]


def test_a_case_that_has_gone_is_known_no_more(roe):
    domain = roe.document.domain
    new = a_case(domain, 436, "Miranda v. Arizona")
    assert found_in("miranda v arizona", domain.pk, 1) == [new.locator]
    new.delete()
    assert found_in("miranda v arizona", domain.pk, 2) == []
    assert found_in("the Roe decision", domain.pk, 2) == [roe.locator]


def test_a_case_in_another_text_of_its_own_name_is_known_once(roe):
    domain = roe.document.domain
    old = a_case(domain, 436, "Miranda v. Arizona")
    before = len(case_names((domain.pk,), (1,)).cases)
    old.delete()
    again = a_section(old.document, locator=old.locator, level="case", heading=old.heading)
    assert found_in("miranda v arizona", domain.pk, 2) == [again.locator]
    assert len(case_names((domain.pk,), (2,)).cases) == before
