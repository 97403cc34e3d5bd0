"""Connections to the embedded server are looked at without a statement."""

import pytest
from django.db import connection
from django.db.backends.postgresql import base

pytestmark = pytest.mark.django_db


@pytest.fixture
def another():
    """A connection of its own, outside of any transaction."""
    made = connection.copy()
    made.connect()
    yield made
    made.close()


def test_a_connection_that_waits_is_usable_without_a_statement(another, monkeypatch):
    monkeypatch.setattr(base.DatabaseWrapper, "is_usable", lambda _: pytest.fail("a statement"))
    assert another.is_usable()


def test_a_connection_that_its_server_has_ended_is_not_usable(another):
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [another.connection.info.backend_pid])
    assert not another.is_usable()


def test_after_an_error_the_server_is_asked(another, monkeypatch):
    monkeypatch.setattr(base.DatabaseWrapper, "is_usable", lambda _: False)
    another.errors_occurred = True
    assert not another.is_usable()
