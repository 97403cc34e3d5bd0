#!/usr/bin/env python
"""Django's command line; without DATABASE_URL it makes sure that the embedded PostgreSQL answers."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arf_site.settings")
    from arf_site import postgres

    if "DATABASE_URL" not in os.environ and not {"help", "--help", "--version"} & set(sys.argv):
        postgres.ensure_running(postgres.default_data_dir())
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
