"""Starts the embedded PostgreSQL before pytest-django reads the settings, which hold its address."""

import os

from arf_site import postgres

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arf_site.settings")
if "DATABASE_URL" not in os.environ:
    postgres.ensure_running(postgres.default_data_dir())
