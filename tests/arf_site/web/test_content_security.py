"""The Content-Security-Policy of every answer."""

import pytest

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address", ["/", "/nowhere", "/search?q=a&page=0", "/api/v1/nowhere", "/admin/login/"]
)
def test_every_answer_carries_a_content_security_policy_without_inline_scripts(client, address):
    policy = client.get(address)["Content-Security-Policy"]
    directives = dict(directive.split(maxsplit=1) for directive in policy.split("; "))
    assert "'unsafe-inline'" not in directives["script-src"]
    assert directives["frame-ancestors"] == directives["base-uri"] == directives["default-src"] == "'none'"
