"""What boxes for locators offer, to whom, and what they show of what they hold."""

import pytest
from django.contrib.auth.models import User

from retrieval.access.row_security import as_system
from retrieval.admin.picker import LocatorField, LocatorInput
from retrieval.models import Domain
from retrieval.models.access import caller_for
from tests.builders import grant

pytestmark = pytest.mark.django_db
URL = "/admin/places/"
FOURTEENTH = "/us/const/amendment/XIV"


def asked(client, words, **more):
    return client.get(URL, {"box": "locator", "locator": words, **more}).content.decode()


def test_staff_alone_are_offered_places(client):
    client.force_login(User.objects.create_user("reader"))
    assert client.get(URL).status_code == 302


def test_a_place_is_offered_with_its_citation_and_its_first_words(client, judge):
    shown = asked(client, "14th amendment")
    assert f'data-value="{FOURTEENTH}/section/1"' in shown
    assert "U.S. Const. amend. XIV, § 1" in shown and "All persons born" in shown and 'lang="en"' in shown


def test_a_form_may_name_a_domain_by_key_or_slug(client, curator):
    number = Domain.objects.get(slug="us_constitution").pk
    for domain in (number, "us_constitution", ""):
        assert "data-value" in asked(client, "jury", domain=domain)
    for domain in ("nowhere", "²"):
        assert "data-value" not in asked(client, "jury", domain=domain)


def test_staff_are_offered_private_places_by_grants_alone(client, curator, private_section):
    assert "secret" not in asked(client, "secret").lower()
    domain = str(private_section.domain_id)
    assert asked(client, "secret", domain=domain) == asked(client, "nothing such", domain="nowhere")
    with as_system():
        grant(private_section.document, caller_for(curator))
    assert f'data-value="{private_section.locator}"' in asked(client, "secret")


def test_a_box_shows_what_it_holds_to_whom_may_read_it(private_section):
    box = LocatorInput()
    assert "U.S. Const. amend. XIV" in box.render("locator", FOURTEENTH)
    assert "A secret heading" not in box.render("locator", private_section.locator)


def test_a_typed_citation_is_taken_as_its_locator():
    assert LocatorField().clean(" 14th amendment ") == FOURTEENTH
    assert LocatorField().clean(FOURTEENTH) == FOURTEENTH
