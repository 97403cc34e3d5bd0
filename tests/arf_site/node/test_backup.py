"""`manage.py backup` and `restore` on a database of their own: everything comes back, or nothing changes."""

import os
import signal
import sys
from io import StringIO
from uuid import uuid4

import psycopg
import pytest
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.management import CommandError, call_command
from django.db import connections

from arf_site.management.commands.restore import application_url
from arf_site.management.commands.up import STOPPING
from arf_site.node import backup
from retrieval.access import matters
from retrieval.access.caller import Caller
from retrieval.access.row_security import as_system
from retrieval.ingestion import erasing
from retrieval.models import Matter
from tests.database import another_copy, lead_to
from tests.spoiling import spoil

COUNTS = "SELECT (SELECT count(*) FROM rules_alias), (SELECT count(*) FROM retrieval_domain)"


@pytest.fixture(scope="module")
def copy(django_db_setup, django_db_blocker):
    """The name of a copy of the suite's template."""
    with django_db_blocker.unblock(), another_copy(f"scratch_{os.getpid()}"):
        yield f"scratch_{os.getpid()}"


@pytest.fixture
def scratch(copy, django_db_blocker, tmp_path):
    """Commands run on the copy, with an index of its own; gives the copy's URL."""
    before = settings.DATABASES["default"]["NAME"], settings.ARF_LEXICAL_DIR
    handlers = {signum: signal.getsignal(signum) for signum in STOPPING}
    with django_db_blocker.unblock():
        lead_to(copy, tmp_path / "lexical")
        yield application_url()
        lead_to(*before)
        ContentType.objects.clear_cache()  # migrations may number them anew
    for signum, handler in handlers.items():
        signal.signal(signum, handler)


def manage(*arguments, **options):
    """What the command prints. It runs on a connection of its own, as in a process of its own."""
    connections.close_all()
    printed = StringIO()
    call_command(*map(str, arguments), stdout=printed, **options)
    connections.close_all()
    return printed.getvalue()


def ask(url, query):
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(query)
        return cursor.fetchall() if cursor.description else None


@pytest.mark.slow
def test_a_backup_brings_everything_back_and_the_index_is_rebuilt_though_it_was_damaged(scratch, tmp_path):
    manage("lexical_writer", "--once")
    before = ask(scratch, COUNTS)
    assert "Wrote" in manage("backup", tmp_path / "law.backup")
    ask(
        scratch,
        "DELETE FROM rules_aliasvector; DELETE FROM rules_alias; UPDATE retrieval_section SET live = false",
    )
    lexical = settings.ARF_LEXICAL_DIR
    spoil(next(lexical.glob("*.fast")))
    assert "the lexical index is rebuilt" in manage("restore", tmp_path / "law.backup", "--yes")
    assert ask(scratch, COUNTS) == before
    assert "amend. VI" in manage("search", "speedy trial", "--pipeline", "lexical")
    assert lexical.with_name("lexical.damaged").is_dir()


def test_restore_refuses_while_the_database_is_in_use(scratch, tmp_path):
    expected = "The database is in use by 1 other connection: stop the server first."
    with psycopg.connect(scratch), pytest.raises(CommandError, match=expected):
        manage("restore", tmp_path / "any", "--yes")


@pytest.mark.slow
def test_a_matter_that_was_erased_since_the_backup_is_erased_again(scratch, tmp_path, settings):
    settings.ARF_ERASURES = tmp_path / "erasures"
    lead = Caller(("user:987",))
    matter = matters.open_matter("Vermilion-77", "Xiomara Quetzalcoatlus", lead)
    kept = matters.open_matter("Another", "", lead)
    manage("backup", tmp_path / "law.backup")
    erasing.erase(matter, "Vermilion-77", lead)
    assert "Erased again: 1 matter " in manage("restore", tmp_path / "law.backup", "--yes")
    with as_system():
        assert [each.pk for each in Matter.objects.all()] == [kept.pk]
    assert ask(scratch, "SELECT public_id FROM retrieval_erasure") == [(matter.public_id,)]


@pytest.mark.slow
def test_a_restore_that_is_to_stop_once_the_database_is_replaced_still_erases_again(
    scratch, tmp_path, settings, monkeypatch
):
    settings.ARF_ERASURES = tmp_path / "erasures"
    lead = Caller(("user:987",))
    matter = matters.open_matter("Vermilion-77", "Xiomara Quetzalcoatlus", lead)
    manage("backup", tmp_path / "law.backup")
    erasing.erase(matter, "Vermilion-77", lead)
    restore = backup.restore

    def stopped(*arguments):
        restore(*arguments)
        for signum in STOPPING:
            os.kill(os.getpid(), signum)

    monkeypatch.setattr(backup, "restore", stopped)
    assert "Erased again: 1 matter " in manage("restore", tmp_path / "law.backup", "--yes")


@pytest.mark.slow
def test_what_only_the_database_knows_as_erased_is_noted_before_it_is_replaced(
    scratch, tmp_path, settings, monkeypatch
):
    settings.ARF_ERASURES = tmp_path / "erasures"
    ask(scratch, f"INSERT INTO retrieval_erasure (public_id, erased_at) VALUES ('{uuid4()}', now())")
    numbers = {number for (number,) in ask(scratch, "SELECT public_id FROM retrieval_erasure")}
    monkeypatch.setattr(backup, "restore", lambda *_: sys.exit("killed"))
    with pytest.raises(SystemExit):
        manage("restore", tmp_path / "law.backup", "--yes")
    ask(scratch, "DELETE FROM retrieval_erasure")
    assert erasing.recorded() == numbers


@pytest.mark.slow
@pytest.mark.parametrize(
    ("migration", "anew"),
    [
        ("0019", set()),
        # Migrations since add versions, and delete the vectors of names, which are embedded anew.
        pytest.param("0002", {"retrieval_version", "rules_aliasvector"}, marks=pytest.mark.full),
    ],
)
def test_a_backup_older_than_the_code_is_migrated_and_keeps_its_rows(scratch, tmp_path, migration, anew):
    manage("migrate", "rules", migration)
    before = columns(scratch)
    kept = {table: rows_of(scratch, table, names) for table, names in before.items() if table not in anew}
    manage("backup", tmp_path / "old.backup")
    manage("restore", tmp_path / "old.backup", "--yes")
    manage("migrate", "--check")  # or it would exit
    assert {table: rows_of(scratch, table, before[table]) for table in kept} == kept


# What migrating writes, and the log that a restore begins anew.
NO_ROWS_OF_A_BACKUP = {"django_migrations", "django_content_type", "auth_permission", "retrieval_indexchange"}


def columns(url):
    """Those of each table."""
    found = ask(
        url,
        "SELECT table_name, array_agg(quote_ident(column_name) ORDER BY ordinal_position) "
        "FROM information_schema.columns "
        "JOIN information_schema.tables USING (table_schema, table_name) "
        "WHERE table_schema = 'public' AND table_type = 'BASE TABLE' GROUP BY table_name",
    )
    return {table: names for table, names in found if table not in NO_ROWS_OF_A_BACKUP}


def rows_of(url, table, names):
    """How many rows a table has, and a hash of what these columns of them hold."""
    row = f"md5(row({', '.join(names)})::text)"
    return ask(url, f"SELECT count(*), md5(string_agg({row}, '' ORDER BY {row})) FROM {table}")[0]


def test_restore_asks_first_and_names_a_missing_file(scratch, tmp_path, monkeypatch):
    for answer, refusal in (
        ("n\n", "Nothing was changed"),
        ("", "Nothing was changed"),
        ("y\n", "There is no file"),
    ):
        monkeypatch.setattr(sys, "stdin", StringIO(answer))
        with pytest.raises(CommandError, match=refusal):
            manage("restore", tmp_path / "none")


def test_after_a_new_log_every_index_is_rebuilt(db):
    from retrieval.indexes import lexical_sync
    from retrieval.models import IndexChange

    reached = IndexChange.objects.order_by("pk").last().pk
    lexical_sync.begin_log_anew()
    assert lexical_sync.must_rebuild(reached) and lexical_sync.must_rebuild(0)
    assert IndexChange.objects.get().pk > reached
