"""A transaction goes on after a statement in it failed."""

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
