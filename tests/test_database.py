"""The template that test databases are copied from."""

from pathlib import Path

from django.conf import settings
from django.db import connection

from tests.database import MIGRATIONS, ROOT, SOURCES, hash_of, own_number, run_sql, templates


def test_everything_that_the_template_is_made_from_is_there():
    assert [source for source in SOURCES if not (ROOT / source).exists()] == []
    assert hash_of(SOURCES) == hash_of(SOURCES) != hash_of(MIGRATIONS)


def test_each_process_has_a_number_of_its_own(tmp_path):
    with own_number(tmp_path) as first, own_number(tmp_path) as second:
        assert (first, second) == (1, 2)
    with own_number(tmp_path) as again:
        assert again == 1


def test_templates_come_last_used_first_and_unfinished_ones_never(tmp_path):
    for name in ("arf_old", "arf_recent", "arf_half_new", "other_one"):
        (tmp_path / name).mkdir()
    (tmp_path / "arf_old").touch()
    assert [folder.name for folder in templates(tmp_path, "arf")] == ["arf_old", "arf_recent"]


def test_the_copy_keeps_the_bounds_of_private_rows_and_the_extension(db):
    """Row-level security binds the owner too, and vectors have their type."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity")
        assert ("retrieval_chunk",) in cursor.fetchall()
        cursor.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'")
        assert cursor.fetchone()
    assert connection.settings_dict["NAME"].startswith("test_arf_")


def test_the_index_is_a_copy_outside_the_installation(db):
    assert not Path(settings.ARF_LEXICAL_DIR).is_relative_to(settings.VAR_DIR)
    assert (1,) in run_sql("SELECT 1")
