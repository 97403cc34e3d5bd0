"""What waits until the answer is sent: a reader does not wait for what is only kept.

A web process writes it in a thread of its own, so that the next request on the same connection does not wait for it
either; where that is too busy, a request writes its own. What is handed to the thread is written before the process
ends; a killed process loses it. Where no request is answered, in commands and jobs, everything is written at once.
"""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from threading import BoundedSemaphore

from django.conf import settings
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse

View = Callable[[HttpRequest], HttpResponse]
Write = Callable[[], None]

MOST = 32  # answers whose writes may wait: about a tenth of a second of work
LONGEST = 5.0  # seconds that who reads what is written waits for the thread

logger = logging.getLogger(__name__)
_waiting: ContextVar[list[Write] | None] = ContextVar("arf_after_the_answer", default=None)


class Writer:
    """A thread that writes what answers left, in their order. Python ends no process before it is done."""

    def __init__(self):
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="afterwards")
        self.places = BoundedSemaphore(MOST)

    def take(self, writes: list[Write]) -> bool:
        """Whether the thread will write these: not where as many wait as may, nor where the process ends."""
        if not self.places.acquire(blocking=False):
            return False
        try:
            self.thread.submit(self._write, writes)
        except RuntimeError:
            self.places.release()
            return False
        return True

    def finish(self) -> None:
        """Waits until all that was taken is written. Raises TimeoutError."""
        with suppress(RuntimeError):  # it takes nothing more, and has written all or is about to
            self.thread.submit(lambda: None).result(LONGEST)

    def _write(self, writes: list[Write]) -> None:
        try:
            close_old_connections()
            _run(writes)
        finally:
            self.places.release()


_writer: Writer | None = None  # of a web process


def write_in_a_thread() -> None:
    """From now on this process writes in a thread of its own. Called by each web process once it has begun."""
    global _writer
    _writer = Writer()


def after_answer(write: Write) -> None:
    """Runs it once the answer to this request is sent, after what was asked for before; at once outside a request."""
    waiting = _waiting.get()
    if waiting is None:
        write()
    else:
        waiting.append(write)


def write_after_answer(get_response: View) -> View:
    """The outermost middleware, so that no transaction of a request holds what is written after it."""

    def answer(request: HttpRequest) -> HttpResponse:
        waiting: list[Write] = []
        token = _waiting.set(waiting)
        try:
            response = get_response(request)
        finally:
            _waiting.reset(token)
        if waiting:
            response._resource_closers.append(lambda: _hand_over(waiting))  # run by close(), called last
        return response

    return answer


def write_now() -> None:
    """Writes what waits of this request, and waits for what this process has not yet written of others, for who
    reads it. Raises TimeoutError.
    """
    _run(_waiting.get() or [])
    if _writer:
        _writer.finish()


def _hand_over(waiting: list[Write]) -> None:
    writes, waiting[:] = waiting[:], []
    if _writer is None or not _writer.take(writes):
        _run(writes)


def _run(waiting: list[Write]) -> None:
    """Once each. A failure is reported and changes nothing: the answer stands."""
    while waiting:
        try:
            waiting.pop(0)()
        except Exception:
            logger.exception("What was to be kept of an answer was not written.")
            with suppress(OSError):
                _failed_first().touch(exist_ok=False)
        else:
            with suppress(OSError):
                _failed_first().unlink(missing_ok=True)


def failing_since() -> datetime | None:
    """When something was not written first, if nothing was written on this machine since then."""
    with suppress(FileNotFoundError):
        return datetime.fromtimestamp(_failed_first().stat().st_mtime, UTC)
    return None


def _failed_first() -> Path:
    """A file tells all processes of this machine, also where the database is away."""
    return settings.VAR_DIR / "unwritten"
