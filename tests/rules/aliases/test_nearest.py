"""Provisions whose curated names mean nearly what is asked."""

import pytest

from retrieval.models import Domain
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.aliases import embedding
from rules.aliases.nearest import NearestAliasRetriever
from rules.models import Alias
from tests.retrieval.stages.leg_contract import LegContract

pytestmark = pytest.mark.django_db


class TestNearestAliasRetriever(LegContract):
    leg = NearestAliasRetriever()


@pytest.fixture
def domain():
    return Domain.objects.get(slug="us_constitution")


def ask(text: str, **fields) -> dict:
    return search(SearchRequest(text=text, **fields))


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
