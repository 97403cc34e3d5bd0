"""What every view of the API shares."""

from uuid import uuid4

import pytest

from tests.retrieval.api.asking import found
from tests.retrieval.api.keys import key_with
from tests.retrieval.api.refusals import SEARCH, assert_refused, post

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("accepted", ["text/html", "application/xml", "nonsense"])
def test_the_answer_is_json_whatever_is_accepted(client, accepted):
    assert client.get(f"{SEARCH}?q=jury", HTTP_ACCEPT=accepted)["Content-Type"] == "application/json"


@pytest.mark.parametrize("address", ["docs/", "schema/", "nowhere"])
def test_no_address_takes_options(client, address):
    response = client.options(f"/api/v1/{address}")
    assert response.status_code in (404, 405) and response["Content-Type"] == "application/json"


@pytest.mark.parametrize("address", ["", "search/", "nothing", "sections", "sections/", "traces/1"])
def test_addresses_that_do_not_exist_answer_in_json(client, address):
    assert_refused(client.get(f"/api/v1/{address}"), 404, "not_found")
    assert_refused(client.post(f"/api/v1/{address}"), 404, "not_found")


def test_errors_do_not_follow_the_language_of_the_browser(client):
    response = client.delete(SEARCH, HTTP_ACCEPT_LANGUAGE="es")
    assert assert_refused(response, 405) == "This address does not take that method."
    response = post(client, {"q": "a", "rules": [{}]}, HTTP_ACCEPT_LANGUAGE="es")
    assert assert_refused(response, 400, "bad_rule") == "In rule 1 of this call: Say what it does."


@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_an_address_without_a_body_takes_none(client, method):
    address = {"get": "domains", "post": f"matters/{uuid4()}/close", "delete": "documents/leases/a"}[method]
    address = f"/api/v1/{address}"
    _, key = key_with("documents")
    sent = {"content_type": "application/json", **key}
    for body in ('{"x": 1}', "[]", "{}" + " " * 100):
        assert_refused(client.generic(method, address, body, **sent), 400, "bad_body")
    for body in ("", "{}", " {}\n"):  # as many clients send where nothing is to be said
        assert client.generic(method, address, body, **sent).status_code in (200, 404)


def test_a_number_in_an_address_may_have_capitals(client):
    trace = found(client, "jury")["trace_id"]
    assert client.get(f"/api/v1/traces/{trace.upper()}").json()["trace_id"] == trace
