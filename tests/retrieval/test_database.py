"""A transaction goes on after a statement in it failed; triggers take no longer for each row than for one."""

import pytest
from django.db import DataError, OperationalError, connection, transaction

from retrieval.database import recover, recoverable


def ask(sql: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]


@pytest.mark.django_db
def test_what_a_failed_statement_broke_is_mended_and_what_was_said_before_stays():
    with transaction.atomic():
        ask("SELECT set_config('arf.test', 'kept', true)")
        with recoverable():
            with pytest.raises(DataError) as failed:
                ask("SELECT 1 / 0")
            recover(failed.value)
            assert ask("SELECT 2") == 2
        assert ask("SELECT current_setting('arf.test')") == "kept"


@pytest.mark.django_db
def test_any_other_failure_takes_nothing_back():
    with transaction.atomic(), recoverable():
        ask("SELECT set_config('arf.test', 'kept', true)")
        recover(ValueError("no statement failed"))
        assert ask("SELECT current_setting('arf.test')") == "kept"


def test_outside_of_a_transaction_nothing_is_asked():
    """Of no database: this test may use none."""
    with recoverable():
        recover(OperationalError("no"))


@pytest.mark.django_db
def test_triggers_that_join_the_rows_of_a_statement_plan_that_anew():
    """Else a session keeps the plan that was made for one row: each row is then compared with every other."""
    joining = "(after_rows|before_rows)[^;]* JOIN (after_rows|before_rows)"
    with connection.cursor() as cursor:
        cursor.execute("SELECT proname, prosrc FROM pg_proc WHERE prosrc ~ %s", [joining])
        found = dict(cursor.fetchall())
    assert "retrieval_count_published" in found
    few = "rules_count_visibility"  # of the table of domains
    assert [name for name, source in found.items() if "EXECUTE $plan$" not in source] == [few]
