"""The statements of every search, each written once and then sent as it is: Django's compiler takes longer over such
a query than PostgreSQL does.

What a caller may see is said by the QuerySets alone (`Section.objects.readable`); their SQL goes into the statements
as a sub-select.
"""

from collections.abc import Callable, Hashable, Sequence
from datetime import date
from functools import cache, lru_cache
from typing import Any

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.expressions import RawSQL
from psycopg import Cursor
from psycopg.pq import Format

from retrieval.access.caller import Caller
from retrieval.models import Domain, Section
from retrieval.ranking import DomainScope

Statement = tuple[str, tuple]  # SQL and its parameters


def rows(sql: str, parameters: Sequence[Any] = ()) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchall()


def rows_of_bytes(sql: str, parameters: Sequence[Any] = ()) -> list[tuple]:
    """As `rows`; columns of bytes come as they are stored, not as text, which takes twice the room and the time."""
    connection.ensure_connection()
    binary = Cursor(connection.connection)  # Django's own puts parameters into the text, which is answered by text
    binary.format = Format.BINARY
    with (connection.make_debug_cursor if connection.queries_logged else connection.make_cursor)(binary) as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchall()


@lru_cache(maxsize=1_000)
def written(query: Callable[..., QuerySet], *arguments: Hashable) -> Statement:
    """What Django writes for a query that these arguments alone determine."""
    return query(*arguments).query.sql_with_params()


def visible_domains(caller: Caller) -> Statement:
    return written(_visible_domains, caller.principals)


def _visible_domains(principals: tuple[str, ...]) -> QuerySet:
    columns = ("id", "slug", "corpus_version", "visibility", "languages", "locator_prefix", "always_searched")
    versions = RawSQL("SELECT json_object_agg(name, number)::text FROM retrieval_version", ())
    visible = Domain.objects.visible_to(Caller(principals))
    return visible.values_list(*columns, "holds_law", "citation_style", "name", "name_es", versions)


def readable(caller: Caller, day: date | None, *columns: str) -> Statement:
    """These columns of the sections that the caller may read on that day, in no order."""
    return written(_readable, caller.principals, day, *columns)


def _readable(principals: tuple[str, ...], day: date | None, *columns: str) -> QuerySet:
    return Section.objects.readable(Caller(principals), day).order_by().values_list(*columns)


def insert(*rows: Model) -> None:
    """Adds rows that bring their keys, all or none, by one statement; no signal is sent."""
    values = [
        field.get_db_prep_save(getattr(row, field.attname), connection)
        for row in rows
        for field in row._meta.concrete_fields
    ]
    with connection.cursor() as cursor:
        cursor.execute(_insertions(*map(type, rows)), values)


@cache
def _insertions(*models: type[Model]) -> str:
    *first, last = map(_insertion, models)
    before = ", ".join(f"row{n} AS ({one})" for n, one in enumerate(first))
    return f"WITH {before} {last}" if before else last


def _insertion(model: type[Model]) -> str:
    fields = model._meta.concrete_fields
    columns = ", ".join(f'"{field.column}"' for field in fields)
    values = ", ".join(
        field.get_placeholder(None, None, connection) if hasattr(field, "get_placeholder") else "%s"
        for field in fields
    )
    return f'INSERT INTO "{model._meta.db_table}" ({columns}) VALUES ({values})'


# Of what is private alone; each has its public name after "private_", grants apart.
PRIVATE_VERSIONS = ("grants", "private_rules", "private_aliases", "private_thresholds")
VERSIONS = "SELECT name, number FROM retrieval_version"


def current_versions() -> dict[str, int]:
    """Every version of what curators change: {"aliases": 12, "rules": 3, …}."""
    return dict(rows(VERSIONS))


def versions_for(domains: Sequence[DomainScope], curated: dict[str, int]) -> dict[str, int]:
    """With those of these domains: {"corpus:us_constitution": 3, "aliases": 12, …}. What counts private things is
    none of a public answer's.
    """
    versions = curated | {f"corpus:{domain.slug}": domain.corpus_version for domain in domains}
    if any(domain.private for domain in domains):
        return versions
    return {name: number for name, number in versions.items() if name not in PRIVATE_VERSIONS}
