"""Each check is made to fail and says exactly what is wrong."""

from django.core import checks as django_checks
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from retrieval import checks
from retrieval.engines import loaded
from retrieval.indexes.lexical import LexicalIndex
from retrieval.models import EmbeddingModel, IndexChange
from tests.messages import DEFAULT, only
from tests.spoiling import spoil


def test_everything_is_well_on_the_suites_database(reindex):
    reindex()  # an earlier test's changes were rolled back, which its index knows nothing of
    ours = [m for m in django_checks.run_checks(databases=["default"]) if (m.id or "").startswith("arf.")]
    assert ours == []


def test_another_embedder_than_that_of_the_vectors_is_named(db):
    EmbeddingModel.objects.filter(status="active").update(fingerprint="0123", name="old (onnx)")
    named = loaded.embedder_from(loaded.settings_spec())
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


def test_other_sites_need_an_address_and_hosts(settings):
    settings.ARF_EXTERNAL = settings.ARF_EXTERNAL | {"url": "http://localhost:8888/search", "hosts": []}
    expected = "Pages of other sites need both ARF_EXTERNAL_URL and ARF_EXTERNAL_HOSTS."
    assert only(checks.external_settings(None)) == ("arf.E012", expected)


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


def test_a_damaged_index_is_named(db, reindex, settings):
    reindex()
    file = next(settings.ARF_LEXICAL_DIR.glob("*.idx"))
    spoil(file)
    expected = f"The lexical index in {settings.ARF_LEXICAL_DIR} is damaged: {file.name}."
    assert only(checks.lexical_index(**DEFAULT)) == ("arf.W005", expected)
