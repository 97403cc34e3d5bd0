"""The guard of the embedded PostgreSQL keeps it started, and stops it when the supervisor is gone."""

import os
import signal

import pytest

from arf_site.node import guard


class FakeServer:
    """Notes what is done to it. Its third start is interrupted: the supervisor has ended."""

    def __init__(self):
        self.done = []

    def start(self):
        self.done.append("start")
        if len(self.done) == 3:
            os.kill(os.getpid(), signal.SIGUSR1)

    def stop(self):
        self.done.append("stop")


def test_it_starts_the_server_again_and_again_and_stops_it_once_orphaned(monkeypatch):
    server, before = FakeServer(), signal.getsignal(signal.SIGUSR1)
    asked = []
    monkeypatch.setattr(guard, "Postgres", lambda: server)
    monkeypatch.setattr(guard, "EVERY", 0)
    monkeypatch.setattr(guard, "end_with_parent", lambda *given: asked.append(given))
    monkeypatch.setattr(guard.sys, "argv", ["guard", "123"])
    try:
        guard.main()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert asked == [(123, signal.SIGUSR1)]
    assert server.done == ["start", "start", "start", "stop"]


def test_no_ordinary_except_swallows_the_end_of_the_supervisor():
    assert not issubclass(guard.Orphaned, Exception)
    with pytest.raises(guard.Orphaned):
        guard.orphaned(signal.SIGUSR1, None)
