#!/usr/bin/env python
"""Django's command line; without DATABASE_URL it makes sure that the embedded PostgreSQL answers."""

import os
import sys
from pathlib import Path

import environ

HELP = {"help", "--help", "--version"}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arf_site.settings")
    environ.Env.read_env(Path(__file__).with_name(".env"))
    from arf_site import postgres

    if not environ.FileAwareEnv().str("DATABASE_URL", default="") and not HELP & set(sys.argv):
        try:
            postgres.ensure_running(postgres.default_data_dir())
        except (postgres.PostgresError, OSError) as problem:
            sys.exit(f"The embedded PostgreSQL under ARF_VAR_DIR could not be started. {problem}")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
