"""What the schema says of the key and of each operation."""

import jsonschema
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


@pytest.fixture
def schema(client):
    return client.get(f"{API}/schema/?format=json").json()


@pytest.mark.parametrize(
    "body",
    [
        {"q": "arms", "domain": "us_constitution", "explain": True},
        {"q": "arms", "domain": ["us_constitution"], "within": "/us/const", "fields": "snippet,score"},
        {"q": "arms", "fields": ["snippet"], "rules": [12, {"actions": [{"kind": "restrict"}]}]},
        {"q": "arms", "rules": 12, "language": None, "coverage": None},
    ],
)
def test_a_body_that_is_taken_fits_its_schema(schema, body):
    question = {"$ref": "#/components/schemas/Question", "components": schema["components"]}
    jsonschema.validate(body, question)


def test_what_may_be_left_out_may_be_null_in_a_body_but_not_in_an_address(schema):
    shapes = schema["components"]["schemas"]
    for name, fields in {"QuestionToAnswer": ("domain", "as_of"), "PatchedMatterEdit": ("client",)}.items():
        assert all(may_be_null(shapes[name]["properties"][field]) for field in fields)
    assert not may_be_null(shapes["Question"]["properties"]["q"])
    asked = schema["paths"][f"{API}/search"]["get"]["parameters"]
    assert not any(may_be_null(each["schema"]) for each in asked)


def may_be_null(shape):
    return shape.get("nullable", False) or any(may_be_null(one) for one in shape.get("anyOf", ()))


def test_every_body_may_be_too_long_or_of_a_kind_that_is_not_taken(schema):
    operations = [one for path in schema["paths"].values() for one in path.values() if "requestBody" in one]
    assert all({"413", "415"} <= set(one["responses"]) for one in operations)
