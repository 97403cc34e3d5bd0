"""Gunicorn's threaded worker, whose threads no slow client can hold for long, and which answers what it cannot read as
the API does under its addresses.
"""

import json
import socket
import time
from contextlib import suppress
from http import HTTPStatus

from gunicorn import util
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine, ParseException
from gunicorn.workers.gthread import _DEFER, TConn, ThreadWorker

from arf_site.node.memory import give_back
from arf_site.web.uploads import DOCUMENTS

MUTE_LIMIT = 0.1  # seconds a thread waits for a first byte; the poller, which costs nothing, waits on
HEAD_LIMIT = 3.0  # seconds that a request line and its headers may take
BODY_LIMIT = 10.0  # seconds that a body may take; the longest, an import by staff, has some megabytes
FILE_LIMIT = 60.0  # seconds that a form with documents may take
READ_PAST = 2**23  # bytes of a body; a form that is a little too long is shorter
HEAD_START = 0.00025  # seconds for each connection already held, before another is taken
CROWD = 8  # connections beyond which a worker waits no longer
ANSWER_LIMIT = 60.0  # seconds that a client may take to receive what of an answer the kernel does not hold for it
LISTINGS = 20  # of the static files, before a file that is not there counts as missing
LISTING_PAUSE = 0.2  # seconds; `collectstatic` takes some
GIVING_BACK_PAUSE = 30.0  # seconds
TO_API = (b"GET /api/", b"POST /api/")
TOO_LARGE = {LimitRequestLine: 414, LimitRequestHeaders: 431}


class TimedSocket(socket.socket):
    """Past its deadline it is as if the client had gone for good, however often a byte arrived."""

    beginning = b""  # of the request that is read
    deadline = 0.0  # of time.monotonic()
    answer_by = 0.0  # likewise, from the first byte of an answer on
    is_over = False

    def allow(self, seconds: float) -> None:
        self.deadline = time.monotonic() + seconds

    def recv(self, *args) -> bytes:
        left = min(self.deadline - time.monotonic(), self.gettimeout() or float("inf"))
        if self.is_over or left <= 0:
            return self._end()
        self.settimeout(left)
        try:
            arrived = super().recv(*args)
        except TimeoutError:
            return self._end()
        finally:
            self.settimeout(ANSWER_LIMIT)
        self.beginning = self.beginning or arrived[:20]
        return arrived

    def sendall(self, *args) -> None:
        """The whole answer has one limit, in however many pieces it is written. Raises TimeoutError."""
        now = time.monotonic()
        self.answer_by = self.answer_by or now + ANSWER_LIMIT
        self.settimeout(max(self.answer_by - now, 0.001))
        try:
            super().sendall(*args)
        finally:
            self.settimeout(ANSWER_LIMIT)

    def _end(self) -> bytes:
        self.is_over = True
        return b""


class Worker(ThreadWorker):
    given_back = 0  # requests that had been handled when memory was last given back
    give_back_at = 0.0  # of time.monotonic()

    def notify(self) -> None:
        """Called at each turn of the loop that takes connections, at least once a second."""
        super().notify()
        now = time.monotonic()
        if self.nr > self.given_back and now >= self.give_back_at:
            self.given_back, self.give_back_at = self.nr, now + GIVING_BACK_PAUSE
            give_back()

    def load_wsgi(self) -> None:
        """Begins again where a static file went while the files were listed: gunicorn would end the whole server."""
        for _ in range(LISTINGS):
            try:
                return super().load_wsgi()
            except FileNotFoundError as problem:
                self.log.warning("A file went while the application was loaded: %s", problem)
                time.sleep(LISTING_PAUSE)
        return super().load_wsgi()

    def accept(self, listener: socket.socket) -> None:
        """Gives workers with fewer connections a head start: each stays with the worker that took it, and one worker
        computes on one core.
        """
        time.sleep(HEAD_START * min(self.nr_conns, CROWD))
        super().accept(listener)

    def enqueue_req(self, conn: TConn) -> None:
        if not isinstance(conn.sock, TimedSocket):
            conn.sock = TimedSocket(fileno=conn.sock.detach())
        super().enqueue_req(conn)

    def handle(self, conn: TConn):
        if not conn.initialized and not conn.wait_for_data(MUTE_LIMIT):
            return _DEFER
        conn.sock.beginning, conn.sock.answer_by = b"", 0.0
        conn.sock.allow(HEAD_LIMIT)
        return super().handle(conn)

    def handle_request(self, req, conn: TConn):
        """What the application left of a body is read past, so that the next request can be read; after a body too long
        for that, the answer says that none can. A connection that is to close is ended first, so that its client does
        not wait.
        """
        conn.sock.allow(FILE_LIMIT if req.path.startswith(tuple(DOCUMENTS)) else BODY_LIMIT)
        length = int(dict(req.headers).get("CONTENT-LENGTH", 0))
        if length > READ_PAST:
            req.force_close()
        goes_on = super().handle_request(req, conn)
        if length:
            if not goes_on:
                with suppress(OSError):  # the client has gone
                    conn.sock.shutdown(socket.SHUT_WR)
            conn.parser.finish_body(deadline=conn.sock.deadline, max_bytes=READ_PAST)
        return goes_on

    def handle_error(self, req, client: TimedSocket, addr: tuple, exc: Exception) -> None:
        """Every error of the API has one shape, also where the request cannot be read."""
        if req is None and isinstance(exc, ParseException) and client.beginning.startswith(TO_API):
            self.log.warning("Invalid request to the API from ip=%s: %s", addr[0], exc)
            with suppress(OSError):
                util.write_nonblock(client, unreadable(TOO_LARGE.get(type(exc), 400)))
        else:
            super().handle_error(req, client, addr, exc)


def unreadable(status: int) -> bytes:
    """The API's answer, whole: Django has seen nothing of the request."""
    code, reason = "bad_request" if status == 400 else "too_large", HTTPStatus(status).phrase
    body = json.dumps({"error": {"code": code, "message": f"This request cannot be read: {reason}."}})
    head = f"HTTP/1.1 {status} {reason}\r\nConnection: close\r\nCache-Control: no-store\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
