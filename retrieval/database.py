"""What is done about a database that fails: one that is away ends a search, a statement that fails does not, and what
can wait is not written where its disk is nearly full.
"""

import shutil
from contextlib import AbstractContextManager, nullcontext

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction

AWAY = (OperationalError, InterfaceError)  # without the database nothing can be done
ROOM = 128 * 2**20  # bytes free on this machine's disk, or only what must be is written: PostgreSQL ends without room


def has_room() -> bool:
    return shutil.disk_usage(settings.VAR_DIR).free >= ROOM


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
