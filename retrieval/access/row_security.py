"""Tells PostgreSQL who reads; its row-level security (migration 0004) shows private rows to nobody else.

With nothing told, which is how every connection begins, there are public rows alone: anonymous callers cost no
statement, and a forgotten filter shows nothing. What is told ends with the transaction, so no connection that is
used again can carry it on. Migrations that touch private rows run inside `as_system`, like ingestion.
"""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from django.db import connection, transaction

from retrieval.access.caller import Caller

SETTING = "arf.principals"
NOBODY, EVERYTHING = "", "*"
PRINCIPAL = re.compile(r"(user|group|key|matter):[0-9]+")


def as_caller(caller: Caller) -> AbstractContextManager[None]:
    """Public rows, and the private ones granted to the caller; in a transaction unless the caller is anonymous."""
    return _reading_as(principals_of(caller))


def as_system() -> AbstractContextManager[None]:
    """Every row, in a transaction of its own: for ingestion, re-embedding and deletion, never for an answer."""
    return _reading_as(EVERYTHING)


def principals_of(caller: Caller) -> str:
    """As the policies read them: "group:2,user:5". Raises ValueError for what is no principal."""
    if strange := [name for name in caller.principals if not PRINCIPAL.fullmatch(name)]:
        raise ValueError(f"not a principal: {strange[0]!r}")
    return ",".join(sorted(caller.principals))


@contextmanager
def _reading_as(principals: str) -> Iterator[None]:
    before = getattr(connection, "arf_principals", NOBODY)
    if principals == before:
        yield
        return
    inside = connection.in_atomic_block  # then the end of our savepoint does not undo what is told here
    connection.arf_principals = principals
    try:
        with transaction.atomic():
            _tell(principals)
            yield
            if inside and not connection.needs_rollback:  # a rollback undoes it too
                _tell(before)
    finally:
        connection.arf_principals = before


def _tell(principals: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config(%s, %s, true)", [SETTING, principals])
