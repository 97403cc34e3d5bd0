#!/usr/bin/env python
"""Django's command line; without DATABASE_URL it makes sure that the embedded PostgreSQL answers."""

import gc
import os
import sys
from pathlib import Path


def asks_for_help(arguments: list[str]) -> bool:
    first = next(iter(arguments), "help")
    return first in ("help", "version", "--version") or not {"-h", "--help"}.isdisjoint(arguments)


def main() -> None:
    gc.disable()  # nothing that is imported is garbage: to look it through took a third of a command's start
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arf_site.settings")
    from django.core.exceptions import ImproperlyConfigured

    try:
        run()
    except ImproperlyConfigured as problem:
        sys.exit(str(problem))


def run() -> None:
    """Raises ImproperlyConfigured."""
    from arf_site.environment import Environment, read_file

    read_file(Path(__file__).with_name(".env"))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # our matrices are small: its threads wait for each other
    # scikit-learn's threads would spin for cores that others use: on a busy machine boosting took six times as long.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from arf_site.node.postgres.server import Postgres
    from arf_site.node.postgres.system import PostgresError

    if not (asks_for_help(sys.argv[1:]) or Environment().text("DATABASE_URL")):
        try:
            Postgres().start()
        except (PostgresError, OSError) as problem:
            sys.exit(f"The embedded PostgreSQL under ARF_VAR_DIR could not be started. {problem}")
    import django
    from django.core.management import execute_from_command_line

    django.setup()
    gc.freeze()
    gc.enable()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
