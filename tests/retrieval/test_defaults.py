"""The seven domains that ship."""

import pytest

from retrieval.defaults import load_domains
from retrieval.models import Domain

pytestmark = pytest.mark.django_db


def test_the_seven_domains_are_there_and_cases_of_clients_are_private():
    shipped = dict(Domain.objects.values_list("slug", "visibility"))
    assert set(shipped) >= {
        "us_constitution", "us_code", "code_of_federal_regulations", "uscis_policy", "supreme_court_cases",
        "court_cases", "client_cases",
    }  # fmt: skip
    assert shipped["client_cases"] == "private"


def test_loading_again_changes_nothing_that_staff_edited():
    Domain.objects.filter(slug="us_code").update(name="The Code")
    assert load_domains() == 0
    assert Domain.objects.get(slug="us_code").name == "The Code"


def test_a_domain_without_a_source_gets_the_one_that_ships():
    Domain.objects.filter(slug="supreme_court_cases").update(source="")
    Domain.objects.filter(slug="us_constitution").update(source="mine.xml")
    load_domains()
    sources = dict(Domain.objects.values_list("slug", "source"))
    assert sources["supreme_court_cases"] == "retrieval/corpora/supreme_court_cases.jsonl"
    assert sources["us_constitution"] == "mine.xml"
