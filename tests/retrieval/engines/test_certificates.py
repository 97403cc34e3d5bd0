"""All clients of a process check certificates, against one list."""

import ssl

import pytest

from retrieval.engines.certificates import trusted
from retrieval.engines.llm.conversation import client_of
from retrieval.engines.llm.requests import Endpoint
from retrieval.fetching.http import Site


@pytest.mark.parametrize("by_environment", [True, False])
def test_it_is_made_once_and_checks_certificates_and_names(by_environment):
    context = trusted(by_environment=by_environment)
    assert context is trusted(by_environment=by_environment)
    assert context.verify_mode == ssl.CERT_REQUIRED and context.check_hostname


def test_clients_share_it():
    one, other = (Site(f"https://{name}.gov").client for name in ("one", "other"))
    model = client_of(Endpoint("https://model.example/v1", "m", 5.0), 0)._client
    for client, context in ((one, trusted(by_environment=False)), (model, trusted(by_environment=True))):
        assert client._transport._pool._ssl_context is context
    assert other._transport._pool._ssl_context is one._transport._pool._ssl_context
