"""What waits until the answer is sent: a reader does not wait for what is only kept.

What a killed process had not yet written is lost with it. Where no request is answered, in commands and jobs,
everything is written at once.
"""

import logging
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

View = Callable[[HttpRequest], HttpResponse]
Write = Callable[[], None]

logger = logging.getLogger(__name__)
_waiting: ContextVar[list[Write] | None] = ContextVar("arf_after_the_answer", default=None)


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
            response._resource_closers.append(lambda: _run(waiting))  # run by close(), called last
        return response

    return answer


def write_now() -> None:
    """Writes what waits of this request, for who reads it in the same request."""
    _run(_waiting.get() or [])


def _run(waiting: list[Write]) -> None:
    """Once each. A failure is reported and changes nothing: the answer stands."""
    while waiting:
        try:
            waiting.pop(0)()
        except Exception:
            logger.exception("What was to be kept of an answer was not written.")
