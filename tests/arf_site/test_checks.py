"""Each check of the database, the queue and the proxy is made to fail and says exactly what is wrong."""

import psycopg
import pytest
from django.db import connection

from arf_site import checks as ground
from arf_site.node.postgres.server import Postgres
from tests.messages import DEFAULT, only


def test_the_suite_runs_as_the_applications_role(db):
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == (False, False)


def test_a_missing_extension_is_named(db, monkeypatch):
    monkeypatch.setattr(ground, "answer_of", lambda query: None)
    name = connection.settings_dict["NAME"]
    expected = f"The extension vector is missing from the database {name}."
    assert only(ground.pgvector(**DEFAULT)) == ("arf.E001", expected)


@pytest.mark.parametrize(
    ("found", "is_good"), [("0.8.3", False), ("0.7.10", False), ("0.8.4", True), ("0.10", True)]
)
def test_an_old_extension_is_named(db, monkeypatch, found, is_good):
    monkeypatch.setattr(ground, "answer_of", lambda query: (found,))
    messages = list(ground.pgvector(**DEFAULT))
    if is_good:
        assert messages == []
    else:
        expected = f"The extension vector is {found}; at least 0.8.4 is needed."
        assert only(messages) == ("arf.E001", expected)


@pytest.mark.parametrize(
    ("powers", "words"),
    [
        ((True, False), "it is a superuser."),
        ((False, True), "it has BYPASSRLS."),
        ((True, True), "it is a superuser and has BYPASSRLS."),
    ],
)
def test_a_role_too_strong_is_named(monkeypatch, powers, words):
    monkeypatch.setattr(ground, "answer_of", lambda query: ("arf", *powers))
    expected = f"The database role arf is too strong: {words}"
    assert only(ground.role(**DEFAULT)) == ("arf.E002", expected)


@pytest.mark.parametrize("retry", [60, 120])
def test_a_retry_within_the_timeout_is_refused(settings, retry):
    settings.Q_CLUSTER = {"retry": retry, "timeout": 120}
    expected = f"Q_CLUSTER: retry ({retry} s) must be longer than timeout (120 s)."
    assert only(ground.queue_limits(None)) == ("arf.E003", expected)


@pytest.mark.parametrize(("tls", "proxies"), [(True, 0), (True, 1), (False, 0)])
def test_a_proxy_that_is_not_counted_is_named(settings, tls, proxies):
    settings.BEHIND_TLS, settings.NUM_PROXIES = tls, proxies
    messages = list(ground.limit_behind_a_proxy(None))
    if tls and not proxies:
        told = (
            "ARF_BEHIND_TLS is set, but ARF_PROXIES is 0: every page would be sent on to itself."
        )
        assert only(messages) == ("arf.E008", told)
    else:
        assert messages == []


def test_the_embedded_servers_superuser_would_be_refused(monkeypatch):
    server = Postgres()
    server.start()

    def as_owner(query):
        with psycopg.connect(server.owner_url()) as connection:
            return connection.execute(query).fetchone()

    monkeypatch.setattr(ground, "answer_of", as_owner)
    expected = "The database role arf_owner is too strong: it is a superuser and has BYPASSRLS."
    assert only(ground.role(**DEFAULT)) == ("arf.E002", expected)


def test_a_variable_that_nothing_reads_is_named_with_the_nearest(monkeypatch):
    monkeypatch.setenv("ARF_RATE_PER_MINUT", "5")
    expected = (
        "The variable ARF_RATE_PER_MINUT is set, but nothing reads it; the nearest is ARF_RATE_PER_MINUTE."
    )
    assert only(ground.unknown_variables(None)) == ("arf.W011", expected)


def test_a_variable_that_is_like_none_is_named_alone(monkeypatch):
    monkeypatch.setenv("ARF_XYZ", "5")
    assert only(ground.unknown_variables(None)) == (
        "arf.W011",
        "The variable ARF_XYZ is set, but nothing reads it.",
    )


@pytest.mark.parametrize("name", ["ARF_PORT", "ARF_LLM_KEY_FILE", "ARF_DB_PASSWORD", "ARF_CORS_ORIGINS"])
def test_variables_that_are_read_are_none_of_these(monkeypatch, name):
    monkeypatch.setenv(name, "1")
    assert list(ground.unknown_variables(None)) == []
