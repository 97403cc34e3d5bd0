"""Which process is a PostgreSQL server."""

import subprocess
import sys

import pytest

from arf_site.node.postgres.processes import is_postmaster, read_pid


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
