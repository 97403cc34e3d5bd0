"""Values offered while one types."""

import pytest
from django.urls import reverse

from tests.rule_searches import THIRD

pytestmark = pytest.mark.django_db


def test_places_are_offered_while_one_types(client, curators):
    places = reverse("admin:rules_rule_places")
    offered = client.get(places, {"targets-0-kind": "section", "targets-0-value": "quartering"})
    assert THIRD in offered.content.decode()
    assert "us_constitution" in client.get(places, {"criteria-3-kind": "domain"}).content.decode()
    assert client.get(places, {"criteria-3-kind": "regex", "criteria-3-value": "a"}).content == b""
