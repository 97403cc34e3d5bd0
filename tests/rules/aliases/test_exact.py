"""Provisions by their curated names."""

import pytest
from django.core.exceptions import ValidationError

from retrieval.models import Domain, Version
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.aliases import embedding
from rules.aliases.exact import AliasRetriever, dense_ranks, strength
from rules.models import Alias
from rules.published import AliasTable
from tests.retrieval.stages.leg_contract import LegContract

pytestmark = pytest.mark.django_db


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
