"""Which domains there are, as far as a caller may see them."""

import pytest

from retrieval.access.caller import Caller
from retrieval.api import serializers
from retrieval.models import Domain, Section
from tests.builders import a_case_file
from tests.retrieval.api.asking import API, assert_shape
from tests.retrieval.api.keys import key_with
from tests.retrieval.api.refusals import assert_refused

pytestmark = pytest.mark.django_db


def domains(client, headers=None):
    answer = client.get(f"{API}/domains", **(headers or {})).json()
    assert_shape(answer, serializers.DomainList)
    return {domain["slug"]: domain for domain in answer["domains"]}


def test_public_domains_are_listed_with_what_there_is_to_read(client):
    here = Section.objects.live().filter(domain__slug="us_constitution", valid_to=None)
    constitution = domains(client)["us_constitution"]
    assert (constitution["locator"], constitution["languages"]) == ("/us/const", ["en"])
    assert constitution["corpus_version"] == Domain.objects.get(slug="us_constitution").corpus_version
    assert constitution["documents"] == 1 and constitution["sections"] == here.count()
    assert constitution["results"] == here.results().count()


def test_a_private_domain_is_listed_to_who_may_read_in_it_with_what_that_caller_may_read(client):
    key, granted = key_with("search")
    a_case_file("Matter of A", "some words", "more words", granted_to=Caller((f"key:{key.pk}",)))
    a_case_file("Matter of B", "other words")
    cases = domains(client, granted)["client_cases"]
    assert (cases["private"], cases["documents"], cases["sections"]) == (True, 1, 2)
    assert cases["corpus_version"] is None
    assert "client_cases" not in domains(client)
    assert "client_cases" not in domains(client, key_with("search")[1])


def test_domains_take_no_parameters(client):
    assert_refused(client.get(f"{API}/domains?k=1"), 400, "unknown_parameter")
