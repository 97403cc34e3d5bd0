"""`manage.py backup` and `restore` on a database of their own: everything comes back, or nothing changes."""

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from arf_site.node.postgres.server import Postgres
from tests.database import ROOT, another_copy, exported_embedder
from tests.spoiling import spoil

COUNTS = "SELECT (SELECT count(*) FROM rules_alias), (SELECT count(*) FROM retrieval_domain)"


@pytest.fixture(scope="module")
def scratch(tmp_path_factory, django_db_setup, django_db_blocker):
    """A copy of the suite's template, and commands that run on it: (its URL, environment)."""
    server = Postgres()
    server.start()
    name = f"scratch_{os.getpid()}"
    var = tmp_path_factory.mktemp("var")
    shutil.copytree(exported_embedder(), var / "onnx")
    environment = os.environ | {
        "ARF_VAR_DIR": str(var),
        "DATABASE_URL": server.app_url(name),
        "ARF_BACKUP_URL": server.owner_url(name),
    }
    with ExitStack() as until_the_end:
        with django_db_blocker.unblock():
            until_the_end.enter_context(another_copy(name))
        yield server.app_url(name), environment
        with django_db_blocker.unblock():
            until_the_end.close()


def manage(environment, *arguments):
    command = [sys.executable, "manage.py", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)


def ask(url, query):
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(query)
        return cursor.fetchall() if cursor.description else None


@pytest.mark.slow
def test_a_backup_brings_everything_back_and_the_index_is_rebuilt_though_it_was_damaged(scratch, tmp_path):
    url, environment = scratch
    assert manage(environment, "lexical_writer", "--once").returncode == 0
    before = ask(url, COUNTS)
    made = manage(environment, "backup", tmp_path / "law.backup")
    assert made.returncode == 0 and "Wrote" in made.stdout, made.stderr
    ask(url, "DELETE FROM rules_aliasvector; DELETE FROM rules_alias; UPDATE retrieval_section SET live = false")
    lexical = Path(environment["ARF_VAR_DIR"]) / "lexical"
    spoil(next(lexical.glob("*.fast")))
    done = manage(environment, "restore", tmp_path / "law.backup", "--yes")
    assert "the lexical index is rebuilt" in done.stdout, done.stderr
    assert ask(url, COUNTS) == before
    found = manage(environment, "search", "speedy trial", "--pipeline", "lexical").stdout
    assert "amend. VI" in found
    assert lexical.with_name("lexical.damaged").is_dir()


def test_restore_refuses_while_the_database_is_in_use(scratch, tmp_path):
    url, environment = scratch
    with psycopg.connect(url):
        refused = manage(environment, "restore", tmp_path / "any", "--yes")
    expected = "The database is in use by 1 other connection: stop the server first."
    assert refused.returncode == 1 and expected in refused.stderr


@pytest.mark.slow
def test_a_backup_older_than_the_code_is_migrated(scratch, tmp_path):
    _, environment = scratch
    assert manage(environment, "migrate", "rules", "0002").returncode == 0
    assert manage(environment, "backup", tmp_path / "old.backup").returncode == 0
    done = manage(environment, "restore", tmp_path / "old.backup", "--yes")
    assert done.returncode == 0, done.stderr
    assert manage(environment, "migrate", "--check").returncode == 0


def test_restore_asks_first_and_names_a_missing_file(scratch, tmp_path):
    _, environment = scratch
    command = [sys.executable, "manage.py", "restore", str(tmp_path / "none")]
    options = {"cwd": ROOT, "env": environment, "capture_output": True, "text": True}
    for answer in ("n\n", ""):
        assert (
            subprocess.run(command, input=answer, **options).stderr == "CommandError: Nothing was changed.\n"
        )
    assert "There is no file" in subprocess.run(command, input="y\n", **options).stderr


def test_after_a_new_log_every_index_is_rebuilt(db):
    from retrieval.indexes import lexical_sync
    from retrieval.models import IndexChange

    reached = IndexChange.objects.order_by("pk").last().pk
    lexical_sync.begin_log_anew()
    assert lexical_sync.must_rebuild(reached) and lexical_sync.must_rebuild(0)
    assert IndexChange.objects.get().pk > reached
