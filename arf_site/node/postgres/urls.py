"""PostgreSQL URLs: as Django's settings, and apart from their password."""

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo


def django_database(url: str) -> dict[str, Any]:
    """Django's DATABASES entry for any libpq URL; parameters beyond the address become OPTIONS."""
    if not url.startswith(("postgresql://", "postgres://")):
        raise ValueError("DATABASE_URL must begin with postgresql://")
    try:
        options = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise ValueError("DATABASE_URL is not a well-formed PostgreSQL URL") from None  # it holds a password
    if not options.get("dbname"):
        raise ValueError("DATABASE_URL names no database")
    names = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
    address = {key: options.pop(name, "") for key, name in names.items()}
    return {"ENGINE": "django.db.backends.postgresql", **address, "OPTIONS": options}


def without_password(url: str) -> tuple[str, dict[str, str]]:
    """The address of `url` and, apart from it, the environment that carries its password."""
    address = conninfo_to_dict(url)
    password = address.pop("password", None)
    return make_conninfo(**address), {"PGPASSWORD": password} if password else {}
