"""Servers of PostgreSQL in folders of their own."""

import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings

from arf_site.node.backup import backup
from arf_site.node.postgres.server import Postgres
from arf_site.node.postgres.system import service_account
from tests.arf_site.node.servers import ROOT, remove


@pytest.fixture(scope="package")
def room():
    """A folder that the server's user can enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="arf-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def make(room):
    """Builds servers under `room` and takes them away again."""
    with ExitStack() as cleanup:

        def build(name, **options):
            server = Postgres(room / name, fallback=room / "fallback", **options)
            cleanup.callback(remove, server)
            return server

        yield build


@pytest.fixture
def stranger():
    """A living process of the server's user that is no server."""
    user = {"user": service_account().uid} if ROOT else {}
    with subprocess.Popen(["sleep", "600"], **user) as process:
        yield process
        process.kill()


@pytest.fixture(scope="package")
def server(room):
    server = Postgres(Path(room, *["a long name with spaces " * 8] * 3, "data"), fallback=room / "fallback")
    server.start()
    yield server
    remove(server)


@pytest.fixture(scope="session")
def dump(django_db_setup, tmp_path_factory):
    """A backup of the database that the tests of this process share."""
    path = tmp_path_factory.mktemp("dump") / "shared.backup"
    backup(Postgres().owner_url(settings.DATABASES["default"]["NAME"]), path)
    return path
