"""Every failure has one shape, whatever caused it and whatever language is asked for."""

import pytest

from tests.retrieval.api.refusals import SEARCH, assert_refused

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
def test_other_methods_are_refused(client, method):
    response = getattr(client, method)(SEARCH)
    assert_refused(response, 405, "method_not_allowed")
    assert "GET" in response["Allow"] and "OPTIONS" not in response["Allow"]
    assert response["Cache-Control"] == "no-store"
