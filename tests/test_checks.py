"""Each check is made to fail and says exactly what is wrong."""

import psycopg
import pytest
from django.core import checks as django_checks
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from arf_site import checks as ground
from arf_site import postgres
from retrieval import checks, serving
from retrieval.lexical import LexicalIndex
from retrieval.models import EmbeddingModel, IndexChange

DEFAULT = {"app_configs": None, "databases": ["default"]}


def only(messages):
    [message] = messages
    return message.id, message.msg


def test_everything_is_well_on_the_suites_database(reindex):
    reindex()  # an earlier test's changes were rolled back, which its index knows nothing of
    ours = [m for m in django_checks.run_checks(databases=["default"]) if (m.id or "").startswith("arf.")]
    assert ours == []


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
    messages = ground.pgvector(**DEFAULT)
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
    messages = ground.limit_behind_a_proxy(None)
    if tls and not proxies:
        told = (
            "ARF_BEHIND_TLS is set, but ARF_PROXIES is 0: behind a proxy on this machine nobody is limited."
        )
        assert only(messages) == ("arf.W008", told)
    else:
        assert messages == []


def test_another_embedder_than_that_of_the_vectors_is_named(db):
    EmbeddingModel.objects.filter(status="active").update(fingerprint="0123", name="old (onnx)")
    named = serving.embedder_from(serving.settings_spec())
    expected = (
        f"The settings name the embedder {named.name} ({named.fingerprint}), "
        "but the stored vectors are by old (onnx) (0123)."
    )
    assert only(checks.embedder_of_the_vectors(**DEFAULT)) == ("arf.W004", expected)


def test_an_embedder_that_cannot_be_loaded_is_named(db, settings, tmp_path):
    settings.ARF_EMBEDDER = settings.ARF_EMBEDDER | {"kind": "torch", "model_dir": str(tmp_path)}
    code, message = only(checks.embedder_of_the_vectors(**DEFAULT))
    assert code == "arf.W004" and message.startswith("The embedder that the settings name cannot be loaded: ")


def test_an_endpoint_without_address_or_model_is_refused(settings):
    settings.ARF_EMBEDDER = settings.ARF_EMBEDDER | {"kind": "openai"}
    expected = "ARF_EMBEDDER is openai, but not set: ARF_EMBEDDER_URL, ARF_EMBEDDER_MODEL."
    assert only(checks.embedder_settings(None)) == ("arf.E006", expected)


def test_an_unknown_kind_of_embedder_is_refused(settings):
    settings.ARF_EMBEDDER = settings.ARF_EMBEDDER | {"kind": "magic"}
    expected = "ARF_EMBEDDER is “magic”; it must be onnx, torch or openai."
    assert only(checks.embedder_settings(None)) == ("arf.E006", expected)


def test_a_missing_index_is_named(db, settings, tmp_path):
    settings.ARF_LEXICAL_DIR = tmp_path
    expected = f"There is no lexical index in {tmp_path}."
    assert only(checks.lexical_index(**DEFAULT)) == ("arf.W005", expected)


def test_an_index_of_another_format_is_named(db, settings, tmp_path):
    settings.ARF_LEXICAL_DIR = tmp_path
    (tmp_path / "format").write_text("0")
    expected = f"The lexical index in {tmp_path} has format 0; this version reads format {checks.FORMAT}."
    assert only(checks.lexical_index(**DEFAULT)) == ("arf.W005", expected)


def test_an_index_that_is_behind_is_named(db, settings):
    IndexChange.objects.bulk_create([IndexChange(chunk_id=1), IndexChange(chunk_id=2)])
    expected = f"The lexical index in {settings.ARF_LEXICAL_DIR} lacks 2 changes of the corpus."
    assert only(checks.lexical_index(**DEFAULT)) == ("arf.W005", expected)


def test_an_index_of_another_database_is_named(db, settings, tmp_path):
    settings.ARF_LEXICAL_DIR = tmp_path
    (tmp_path / "format").write_text(checks.FORMAT)
    (tmp_path / "position").write_text("999999999")
    expected = f"The lexical index in {tmp_path} does not belong to this database."
    assert checks.problem_of(LexicalIndex(tmp_path)) == expected


def test_database_checks_wait_for_migrations_and_for_being_asked(db, monkeypatch):
    monkeypatch.setattr(connection.introspection, "table_names", lambda *args: [])
    assert not checks.migrated(["default"])
    assert not checks.migrated(None)


def test_database_checks_wait_for_the_last_migration_too(db):
    assert checks.migrated(["default"])
    recorder = MigrationRecorder(connection)
    last = max(name for app, name in recorder.applied_migrations() if app == "rules")
    recorder.record_unapplied("rules", last)
    assert not checks.migrated(["default"])


def test_the_embedded_servers_superuser_would_be_refused(monkeypatch):
    server = postgres.Postgres(postgres.default_data_dir())
    server.start()

    def as_owner(query):
        with psycopg.connect(server.owner_url()) as connection:
            return connection.execute(query).fetchone()

    monkeypatch.setattr(ground, "answer_of", as_owner)
    expected = "The database role arf_owner is too strong: it is a superuser and has BYPASSRLS."
    assert only(ground.role(**DEFAULT)) == ("arf.E002", expected)
