"""The shapes of answers, as the schema promises them."""

import pytest

from retrieval.api import serializers
from tests.retrieval.api.asking import API

pytestmark = pytest.mark.django_db


def test_the_schema_lets_a_reason_hold_the_values_it_speaks_of(client):
    shapes = client.get(f"{API}/schema/?format=json").json()["components"]["schemas"]
    reason = shapes["Result"]["properties"]["reasons"]["items"]
    assert reason["required"] == ["code"] and reason["additionalProperties"] == {}


def test_a_stage_has_a_field_that_python_cannot_name():
    assert {"in", "out", "name"} <= set(serializers.StageLine().get_fields())
    assert "in" in serializers.TraceStage().get_fields()


def test_every_shape_that_is_part_of_another_is_written_once():
    """A page of results and an answer have the same places, an edge is a reference that was made."""
    assert issubclass(serializers.Answer, serializers.Page)
    assert set(serializers.Shown().get_fields()) < set(serializers.Provision().get_fields())
    assert set(serializers.Reference().get_fields()) <= set(serializers.EdgeMade().get_fields())
