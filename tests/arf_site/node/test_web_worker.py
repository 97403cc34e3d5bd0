"""Slow clients cannot keep others out: gunicorn with our worker, before an application of one word."""

import gc
import json
import runpy
import socket
import subprocess
import sys
import time
from contextlib import suppress
from unittest.mock import Mock

import pytest
from django.db import InterfaceError

from arf_site.node import web_worker
from arf_site.node.web_worker import TimedSocket, Worker
from tests.conftest import ROOT
from tests.running import free_port, wait_for

APPLICATION = """
import arf_site.node.web_worker as limits
limits.HEAD_LIMIT = limits.BODY_LIMIT = 0.2
limits.ANSWER_LIMIT = 0.5

def app(environ, start_response):
    if environ["PATH_INFO"] == "/large":
        start_response("200 OK", [("Content-Length", str(100 * 100_000))])
        return (b"a" * 100_000 for _ in range(100))
    if environ["PATH_INFO"].endswith("/refused"):
        start_response("413 Too Large", [("Content-Length", "4")])
        return [b"much"]
    said = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    start_response("200 OK", [("Content-Length", str(len(said)))])
    return [said]
"""
POST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Its address. What a test leaves open it closes in half a second."""
    folder = tmp_path_factory.mktemp("application")
    (folder / "application.py").write_text(APPLICATION)
    port = free_port()
    options = (f"--bind=127.0.0.1:{port}", "--worker-class=arf_site.node.web_worker.Worker", "--threads=2")
    command = [sys.executable, "-m", "gunicorn", "--no-control-socket", "--pythonpath", f"{ROOT},{folder}"]
    process = subprocess.Popen([*command, *options, "application:app"], stderr=subprocess.DEVNULL)
    address = ("127.0.0.1", port)
    wait_for(lambda: is_open(address))
    yield address
    process.terminate()
    process.wait()


def is_open(address):
    with suppress(OSError), socket.create_connection(address):
        return True
    return False


def answered(address, request=POST + b"four"):
    with socket.create_connection(address) as client:
        client.settimeout(60)
        client.sendall(request)
        return client.recv(100)


@pytest.mark.parametrize("beginning", [b"", b"GET / HTTP/1.1\r\nX-Slow: ", POST + b"fo"])
def test_clients_that_stop_in_the_middle_keep_nobody_out(server, beginning):
    slow = [socket.create_connection(server) for _ in range(8)]
    for client in slow:
        client.sendall(beginning)
    assert answered(server).startswith(b"HTTP/1.1 200")
    for client in slow:
        client.close()


def test_clients_that_read_slowly_keep_nobody_out_and_are_left_in_time(server):
    slow = [socket.socket() for _ in range(8)]
    for client in slow:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect(server)
        client.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert answered(server).startswith(b"HTTP/1.1 200")
    received = 0
    with suppress(OSError):
        while piece := slow[0].recv(50_000):
            received += len(piece)
            time.sleep(0.002)
    assert received < 10_000_000
    for client in slow:
        client.close()


UNREADABLE = [
    (b"GET /%b?q=" + b"a" * 5_000 + b" HTTP/1.1\r\n\r\n", 414, "too_large"),
    (b"GET /%b HTTP/1.1\r\nX-Long: " + b"a" * 9_000 + b"\r\n\r\n", 431, "too_large"),
    (b"GET /%b HTTP/1.1\r\nno header\r\n\r\n", 400, "bad_request"),
]


@pytest.mark.parametrize(("request_bytes", "status", "code"), UNREADABLE)
def test_what_cannot_be_read_is_answered_in_the_shape_of_the_api(server, request_bytes, status, code):
    head, body = wholly_answered(server, request_bytes % b"api/v1/search").split(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status) and b"application/json" in head
    assert json.loads(body)["error"]["code"] == code
    page = wholly_answered(server, request_bytes % b"search")
    assert page.startswith(b"HTTP/1.1 %d " % status) and b"text/html" in page


def wholly_answered(address, request):
    with socket.create_connection(address) as client, client.makefile("rb") as answer:
        client.settimeout(10)
        client.sendall(request)
        return answer.read()


def test_a_byte_now_and_then_buys_no_time():
    ours, theirs = socket.socketpair()
    timed = TimedSocket(fileno=ours.detach())
    timed.allow(0.5)
    theirs.sendall(b"a")
    assert timed.recv(1) == b"a"
    assert timed.recv(1) == b""
    theirs.sendall(b"b")
    assert timed.recv(1) == b""
    timed.allow(60)
    assert timed.recv(1) == b"", "what came too late is no new request"
    assert timed.gettimeout() == web_worker.ANSWER_LIMIT
    timed.close()
    theirs.close()


def test_one_connection_still_serves_several_requests(server):
    with socket.create_connection(server) as client:
        client.settimeout(60)
        for word in (b"four", b"five"):
            client.sendall(POST + word)
            answer = b""
            while not answer.endswith(word):
                answer += client.recv(1000)


def refused(client, length):
    """The head of the answer to a body of this length that is not read."""
    client.settimeout(60)
    client.sendall(b"POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % length)
    client.sendall(b"a" * min(length, 300_000))
    answer = b""
    while not answer.endswith(b"much"):
        answer += client.recv(1000)
    return answer


def test_a_connection_serves_on_after_a_body_that_was_refused_unread(server):
    with socket.create_connection(server) as client:
        assert b"Connection: keep-alive" in refused(client, 300_000)
        client.sendall(POST + b"four")
        assert client.recv(1000).startswith(b"HTTP/1.1 200")


def test_a_connection_whose_refused_body_is_too_long_to_be_read_past_is_said_to_close(server):
    with socket.create_connection(server) as client:
        assert b"Connection: close" in refused(client, web_worker.READ_PAST + 1)


def test_a_connection_that_is_to_close_ends_with_its_answer_whatever_of_its_body_is_to_come(server):
    head = b"POST /api/v1/documents/refused HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 5"
    assert wholly_answered(server, head + b"\r\n\r\n").endswith(b"much")


@pytest.fixture
def beginning(monkeypatch):
    """A worker that has not loaded its application yet."""
    monkeypatch.setattr(web_worker, "LISTING_PAUSE", 0)
    worker = Worker.__new__(Worker)
    worker.log, worker.app = Mock(), Mock()
    return worker


@pytest.mark.parametrize("times", [1, 3])
def test_a_static_file_that_goes_while_it_is_listed_ends_no_worker(beginning, times):
    beginning.app.wsgi.side_effect = [FileNotFoundError("main.css")] * times + ["the application"]
    beginning.load_wsgi()
    assert beginning.wsgi == "the application" and beginning.log.warning.call_count == times


def test_a_file_that_is_missing_for_good_is_told(beginning):
    beginning.app.wsgi.side_effect = FileNotFoundError("main.css")
    with pytest.raises(FileNotFoundError):
        beginning.load_wsgi()


def test_memory_goes_back_at_most_once_in_a_while_and_only_after_requests(beginning, monkeypatch):
    clock = Mock(return_value=100.0)
    monkeypatch.setattr(web_worker.time, "monotonic", clock)
    monkeypatch.setattr(web_worker, "give_back", given := Mock())
    beginning.tmp, told = Mock(), []
    for now, handled in ((100, 0), (101, 2), (102, 9), (130, 9), (131, 9), (190, 9), (191, 10)):
        clock.return_value, beginning.nr = float(now), handled
        beginning.notify()
        told.append(given.call_count)
    assert told == [0, 1, 1, 1, 2, 2, 3] and beginning.tmp.notify.call_count == 7


@pytest.mark.parametrize("problem", [InterfaceError("the connection is closed"), ValueError("a broken part")])
def test_a_first_search_that_fails_is_logged_and_ends_no_worker(monkeypatch, problem):
    """gunicorn stops the whole server for a worker that raises before it has begun."""
    config = runpy.run_path(str(ROOT / "arf_site" / "node" / "gunicorn.conf.py"))
    for name in ("collect", "freeze"):  # of all that tests have loaded
        monkeypatch.setattr(gc, name, lambda: None)
    monkeypatch.setattr("retrieval.search.service.in_scope", Mock(side_effect=problem))
    monkeypatch.setattr("retrieval.search.afterwards.write_in_a_thread", begun := Mock())
    worker = Mock()
    config["post_worker_init"](worker)
    worker.log.exception.assert_called_once()
    begun.assert_called_once()
