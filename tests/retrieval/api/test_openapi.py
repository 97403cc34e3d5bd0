"""What the schema says of the key and of each operation."""

import pytest

from tests.retrieval.api.asking import API

pytestmark = pytest.mark.django_db


def test_the_schema_says_in_a_line_what_each_operation_does_and_does_not_follow_the_browser(client):
    described = client.get(f"{API}/schema/?format=json")
    operations = [o for path in described.json()["paths"].values() for o in path.values()]
    assert all(10 < len(operation["summary"]) < 110 for operation in operations)
    assert client.get(f"{API}/schema/?format=json", HTTP_ACCEPT_LANGUAGE="es").json() == described.json()


def test_a_key_is_named_and_never_asked_for(client):
    described = client.get(f"{API}/schema/?format=json").json()
    assert described["components"]["securitySchemes"]["ApiKey"]["scheme"] == "bearer"
    assert {} in described["paths"][f"{API}/search"]["get"]["security"]
