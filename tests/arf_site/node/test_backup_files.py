"""A backup holds everything but what people keep for themselves, and what is none changes nothing."""

import stat

import psycopg
import pytest

from arf_site.node.backup import BackupError, backup, restore
from tests.arf_site.node.servers import ask

KNOWN = {("retrieval", "0001_initial")}
LAW = """
CREATE TABLE django_migrations (id int PRIMARY KEY, app text, name text, applied timestamptz DEFAULT now());
INSERT INTO django_migrations VALUES (1, 'retrieval', '0001_initial');
CREATE TABLE retrieval_document (id int PRIMARY KEY, title text, embedding halfvec(2));
CREATE TABLE retrieval_chunk (id int PRIMARY KEY, document int REFERENCES retrieval_document);
ALTER TABLE retrieval_chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE retrieval_chunk FORCE ROW LEVEL SECURITY;
CREATE POLICY granted ON retrieval_chunk USING (current_setting('arf.everything', true) = 'yes');
CREATE INDEX ON retrieval_document USING hnsw (embedding halfvec_cosine_ops);
INSERT INTO retrieval_document VALUES (1, 'Constitución', '[1,2]');
SET arf.everything = 'yes';
INSERT INTO retrieval_chunk VALUES (7, 1);
"""


@pytest.fixture
def law(server):
    """An application's database of its own on the shared server: (application's URL, superuser's URL)."""
    ask(server.app_url(), "CREATE DATABASE law")
    ask(server.app_url("law"), LAW)
    yield server.app_url("law"), server.owner_url("law")
    ask(server.app_url(), "DROP DATABASE law WITH (FORCE)")


def contents(url):
    with psycopg.connect(url) as connection:
        connection.execute("SET arf.everything = 'yes'")
        titles = connection.execute("SELECT id, title, embedding::text FROM retrieval_document").fetchall()
        return titles, connection.execute("SELECT * FROM retrieval_chunk").fetchall()


def test_a_backup_restores_everything_rows_under_row_security_too(law, tmp_path):
    app, owner = law
    before = contents(app)
    backup(owner, tmp_path / "law.backup")
    ask(app, "TRUNCATE retrieval_document CASCADE")
    ask(app, "INSERT INTO retrieval_document VALUES (2, 'later', NULL)")
    restore(app, tmp_path / "law.backup", KNOWN)
    assert contents(app) == before == ([(1, "Constitución", "[1,2]")], [(7, 1)])
    assert ask(app, "SELECT * FROM retrieval_chunk") == []
    assert stat.S_IMODE((tmp_path / "law.backup").stat().st_mode) == 0o600


def test_questions_that_people_keep_for_themselves_are_in_no_backup(law, tmp_path):
    app, owner = law
    ask(app, "CREATE TABLE retrieval_keptquestion (text text)")
    ask(app, "INSERT INTO retrieval_keptquestion VALUES ('How old?')")
    backup(owner, tmp_path / "law.backup")
    restore(app, tmp_path / "law.backup", KNOWN)
    assert ask(app, "SELECT * FROM retrieval_keptquestion") == []


def test_a_backup_restores_into_an_empty_database(law, server, tmp_path):
    app, owner = law
    backup(owner, tmp_path / "law.backup")
    ask(server.app_url(), "CREATE DATABASE fresh")
    restore(server.app_url("fresh"), tmp_path / "law.backup", KNOWN)
    assert contents(server.app_url("fresh")) == contents(app)
    ask(server.app_url(), "DROP DATABASE fresh")


def test_a_role_that_cannot_see_every_row_makes_no_backup(law, tmp_path):
    with pytest.raises(BackupError, match="Row-level security hides rows from the role arf: set ARF_BACKUP_URL"):
        backup(law[0], tmp_path / "law.backup")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_foreign_or_torn_backup_changes_nothing(law, server, tmp_path):
    app, owner = law
    before = contents(app)
    backup(owner, tmp_path / "whole")
    backup(server.owner_url("postgres"), tmp_path / "foreign")
    (tmp_path / "text").write_text("DROP TABLE retrieval_document;")
    (tmp_path / "empty").touch()
    whole = (tmp_path / "whole").read_bytes()
    (tmp_path / "torn").write_bytes(whole[: len(whole) * 9 // 10])
    for name in ("missing", "foreign", "text", "empty", "torn"):
        with pytest.raises(BackupError):
            restore(app, tmp_path / name, KNOWN)
    assert contents(app) == before


def test_a_damaged_backup_is_told_as_such(law, tmp_path):
    app, owner = law
    ask(app, "INSERT INTO retrieval_document SELECT n, md5(n::text) FROM generate_series(2, 2000) AS n")
    backup(owner, tmp_path / "law.backup")
    whole = (tmp_path / "law.backup").read_bytes()
    for part in (1, 5, 9):
        at = len(whole) * part // 10
        spoilt = bytes(255 - byte for byte in whole[at : at + 2000])
        (tmp_path / "spoilt").write_bytes(whole[:at] + spoilt + whole[at + 2000 :])
        with pytest.raises(BackupError, match="spoilt is damaged, incomplete or .*: pg_restore failed: "):
            restore(app, tmp_path / "spoilt", KNOWN)


def test_a_table_the_backup_does_not_know_is_named(law, tmp_path):
    app, owner = law
    backup(owner, tmp_path / "law.backup")
    ask(app, "CREATE TABLE retrieval_later ()")
    with pytest.raises(BackupError, match="retrieval_later. Restore it into an empty database"):
        restore(app, tmp_path / "law.backup", KNOWN)


def test_a_backup_with_migrations_that_this_arf_does_not_know_is_refused_with_them(law, tmp_path):
    app, owner = law
    ask(app, "INSERT INTO django_migrations VALUES (2, 'retrieval', '0999_future')")
    backup(owner, tmp_path / "law.backup")
    ask(app, "DELETE FROM django_migrations WHERE id = 2")
    with pytest.raises(BackupError, match="does not know: retrieval.0999_future; restore it with the ARF that made it"):
        restore(app, tmp_path / "law.backup", KNOWN)
    assert len(ask(app, "SELECT * FROM django_migrations")) == 1


def test_a_folder_is_refused_before_anything_is_written(law, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(BackupError, match="is no file"):
        backup(law[0], tmp_path / "folder")  # as a role that no dump can be made as
