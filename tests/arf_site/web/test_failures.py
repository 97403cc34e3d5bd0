"""Failures before and beside any view have the shape of the API under its addresses."""

import pytest

from tests.retrieval.api.refusals import SEARCH, assert_refused

pytestmark = pytest.mark.django_db


def test_a_host_that_is_not_ours_is_refused_in_the_same_shape(client):
    assert_refused(client.get(f"{SEARCH}?q=a", headers={"host": "evil.example"}), 400, "bad_request")


def test_what_nobody_foresaw_is_logged_and_answered_in_the_same_shape(client, monkeypatch, caplog):
    monkeypatch.setattr("retrieval.api.search.search", lambda *args, **kwargs: 1 / 0)
    message = assert_refused(client.get(f"{SEARCH}?q=a"), 500, "error")
    assert "division" not in message
    assert "ZeroDivisionError" in caplog.text
