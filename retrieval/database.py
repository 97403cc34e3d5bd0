"""What a search does about a database that fails: one that is away ends it, a statement that fails does not."""

from contextlib import AbstractContextManager, nullcontext

from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction

AWAY = (OperationalError, InterfaceError)  # without the database nothing can be done


def recoverable() -> AbstractContextManager:
    """Inside a transaction a place to go back to: two statements. Outside of one each statement stands alone."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


def recover(problem: BaseException) -> None:
    """After a failure inside `recoverable`: a transaction that a failed statement broke is usable again. What was
    written since then is lost.
    """
    if isinstance(problem, DatabaseError) and connection.in_atomic_block:
        connection.savepoint_rollback(connection.savepoint_ids[-1])
        connection.needs_rollback = False
