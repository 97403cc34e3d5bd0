"""System checks of the ground everything stands on: the database's extension and role, the queue's limits, the names of
variables.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connection

OLDEST_PGVECTOR = "0.8.4"
OF_COMPOSE = {"ARF_DB_PASSWORD"}  # read by compose.yaml alone, often from the same .env


@register(Tags.database)
def pgvector(app_configs, databases: Sequence[str] | None = None, **kwargs) -> Iterator[CheckMessage]:
    if "default" not in (databases or ()):
        return
    found = answer_of("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    if found is None:
        yield Error(
            f"The extension vector is missing from the database {connection.settings_dict['NAME']}.",
            hint="As its superuser: CREATE EXTENSION vector;",
            id="arf.E001",
        )
    elif as_numbers(found[0]) < as_numbers(OLDEST_PGVECTOR):
        yield Error(
            f"The extension vector is {found[0]}; at least {OLDEST_PGVECTOR} is needed.",
            hint="Install a newer pgvector, then as superuser: ALTER EXTENSION vector UPDATE;",
            id="arf.E001",
        )


@register(Tags.database)
def role(app_configs, databases: Sequence[str] | None = None, **kwargs) -> Iterator[CheckMessage]:
    """Row-level security, which guards private documents, does not bind such a role."""
    if "default" not in (databases or ()):
        return
    name, is_super, bypasses = answer_of(
        "SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
    )
    powers = [power for power, has in (("is a superuser", is_super), ("has BYPASSRLS", bypasses)) if has]
    if powers:
        yield Error(
            f"The database role {name} is too strong: it {' and '.join(powers)}.",
            hint=f"As superuser: ALTER ROLE {name} NOSUPERUSER NOBYPASSRLS; or use another role.",
            id="arf.E002",
        )


@register(Tags.compatibility)
def queue_limits(app_configs, **kwargs) -> Iterator[CheckMessage]:
    retry, timeout = settings.Q_CLUSTER["retry"], settings.Q_CLUSTER["timeout"]
    if retry <= timeout:
        yield Error(
            f"Q_CLUSTER: retry ({retry} s) must be longer than timeout ({timeout} s).",
            hint="Otherwise a slow step is handed out again while it still runs.",
            id="arf.E003",
        )


@register(Tags.security)
def limit_behind_a_proxy(app_configs, **kwargs) -> Iterator[CheckMessage]:
    """No proxy is believed that a request came by TLS: it is sent to the same address for ever. Nor is anybody limited,
    since this machine's own requests are not, and a proxy on it sends everybody's.
    """
    if settings.BEHIND_TLS and not settings.NUM_PROXIES:
        yield Error(
            "ARF_BEHIND_TLS is set, but ARF_PROXIES is 0: every page would be sent on to itself.",
            hint="Set ARF_PROXIES to how many proxies stand before this server, usually 1.",
            id="arf.E008",
        )


@register(Tags.compatibility)
def unknown_variables(app_configs, **kwargs) -> Iterator[CheckMessage]:
    """A misspelt variable changes nothing, which nobody would notice."""
    known = settings.ARF_VARIABLES | OF_COMPOSE
    for name in sorted(name for name in os.environ if name.startswith("ARF_")):
        if name.removesuffix("_FILE") not in known:
            yield Warning(
                f"The variable {name} is set, but nothing reads it{nearest(name, known)}.",
                hint="All variables are listed in .env.example.",
                id="arf.W011",
            )


def nearest(name: str, known: Collection[str]) -> str:
    found = get_close_matches(name.removesuffix("_FILE"), known, n=1)
    return f"; the nearest is {found[0]}" if found else ""


def answer_of(query: str) -> tuple | None:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchone()


def as_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
