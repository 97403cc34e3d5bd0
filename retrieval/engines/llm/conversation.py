"""The requests of one search to an OpenAI-compatible endpoint, with retries and plainer forms of request."""

import logging
import math
import queue
import threading
import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from os import getpid

from retrieval.engines.certificates import trusted
from retrieval.engines.llm.answers import Unusable, content_of, counted
from retrieval.engines.llm.budget import estimated
from retrieval.engines.llm.options import options_of, refused_by
from retrieval.engines.llm.pieces import MEDIA_TYPE, Pieces
from retrieval.engines.llm.requests import Attempt, Endpoint, Form, Heard, Messages
from retrieval.text import strict_json

logger = logging.getLogger(__name__)
MAX_ANSWER = 256 * 1024  # bytes; an answer of some hundred tokens is far smaller
MAX_IN_PIECES = 2**20  # of the same, of which each token comes with the names of everything
RETRIED = ("rate_limited", "unavailable")
PAUSE = 0.2  # s before a retry where the server names no time


class Conversation:
    """The requests of one search: one for each prompt and, of all together, `more` retries and plainer forms.

    `refused`: the options that are not sent; those that the server refuses meanwhile are added. `stream`: whether the
    answers are asked for in pieces.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        form: Form,
        *,
        more: int,
        refused: Set[str] = frozenset(),
        stream: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ):
        import openai  # noqa: F401 - before the clock runs: it takes a while the first time

        self.endpoint, self.form, self.sleep = endpoint, form, sleep
        self.deadline = time.monotonic() + endpoint.timeout
        self.more, self.lock = more, threading.Lock()
        self.refused, self.stream = frozenset(refused), stream

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def hear(self, prompts: Sequence[Messages]) -> Generator[Heard, None, list[list[Attempt]]]:
        """The attempts of each prompt. What does not end in time is left to its thread, and forgotten. What comes in
        pieces is handed out as an object of it may be whole.
        """
        news = queue.SimpleQueue()
        histories: list[list[Attempt]] = [[] for _ in prompts]
        for n, prompt in enumerate(prompts):
            work = (n, prompt, histories[n], news)
            threading.Thread(target=self._ask, args=work, daemon=True, name="llm").start()
        yield from self._until_ended(news, len(prompts))
        return [
            list(history) or [self._late(prompt)] for prompt, history in zip(prompts, histories, strict=True)
        ]

    def _until_ended(self, news: queue.SimpleQueue, count: int) -> Iterator[Heard]:
        """Until all have ended, or there is no time left."""
        with suppress(queue.Empty):
            while count:
                heard = news.get(timeout=max(0.0, self.seconds_left))
                if heard is None:
                    count -= 1
                else:
                    yield heard

    def _late(self, prompt: Messages) -> Attempt:
        return Attempt("timeout", tokens_in=estimated(prompt), ms=self.endpoint.timeout * 1000)

    def _allowed(self) -> bool:
        with self.lock:
            self.more -= 1
            return self.more >= 0

    def _ask(self, n: int, prompt: Messages, history: list[Attempt], news: queue.SimpleQueue) -> None:
        """Asks until there is an answer, or no reason, time or allowance to ask again. An attempt counts as late
        until it ends.
        """
        retries = 1
        while True:
            history.append(self._late(prompt))
            attempt, wait = self._request(prompt, teller(news, n, len(history)))
            history[-1] = attempt
            if attempt.outcome in RETRIED:
                retries -= 1
            elif attempt.outcome != "unsupported":
                break
            if retries < 0 or wait >= self.seconds_left or not self._allowed():
                break
            self.sleep(wait)
        news.put(None)

    def _request(self, prompt: Messages, tell: Callable[[str], None]) -> tuple[Attempt, float]:
        """One request and the seconds to wait before another. Any failure of library or server is an outcome."""
        started = time.monotonic()
        options = options_of(self.form, self.refused, stream=self.stream)
        try:
            content = self._post(prompt, options, tell)
            attempt, wait = self._attempt_of(content, prompt), 0.0
        except Exception as error:  # libraries raise many kinds; none may reach a search
            outcome, wait = self._outcome_of(error, options, prompt)
            logger.warning("The language model did not answer: %s (%s).", outcome, type(error).__name__)
            attempt = Attempt(outcome, tokens_in=estimated(prompt) if outcome == "timeout" else 0)
        ms = round((time.monotonic() - started) * 1000, 2)
        return replace(attempt, ms=ms), wait

    def _post(
        self, prompt: Messages, options: Mapping[str, dict], tell: Callable[[str], None]
    ) -> bytes:
        """The answer's body, within the deadline and MAX_ANSWER bytes; whole, though it may come in pieces."""
        client = client_of(self.endpoint, getpid())
        body = {"model": self.endpoint.model, "messages": list(prompt)}
        for added in options.values():
            body |= added
        seconds = max(0.01, self.seconds_left)
        content, pieces = b"", Pieces()
        with client.chat.completions.with_streaming_response.create(**body, timeout=seconds) as response:
            in_pieces = response.headers.get("content-type", "").startswith(MEDIA_TYPE)
            for part in response.iter_bytes():
                content += part
                if len(content) > (MAX_IN_PIECES if in_pieces else MAX_ANSWER):
                    raise Unusable
                if self.seconds_left <= 0:
                    raise TimeoutError
                if in_pieces and pieces.take(part):
                    tell(pieces.content)
        return pieces.completion if in_pieces else content

    def _outcome_of(self, error: Exception, sent: Collection[str], prompt: Messages) -> tuple[str, float]:
        """What an exception means, and the seconds to wait before a retry."""
        import openai

        if isinstance(error, Unusable):
            return error.outcome, 0.0
        if isinstance(error, TimeoutError | openai.APITimeoutError):
            return "timeout", 0.0
        if isinstance(error, openai.APIStatusError):
            named = refused_by(error.status_code, str(error), sent, prompt)
            with self.lock:
                self.refused |= named
            if named:
                return "unsupported", 0.0
        if isinstance(error, openai.RateLimitError):
            return "rate_limited", wait_named(error.response.headers.get("retry-after"))
        if isinstance(error, openai.APIConnectionError | openai.InternalServerError):
            return "unavailable", PAUSE
        return "error", 0.0

    def _attempt_of(self, content: bytes, prompt: Messages) -> Attempt:
        """Reads the answer strictly; its tokens were spent whatever it says."""
        tokens_in, tokens_out = estimated(prompt), self.form.tokens
        try:
            completion = strict_json.loads(content)
            tokens_in = counted(completion, "prompt_tokens", tokens_in)
            tokens_out = counted(completion, "completion_tokens", tokens_out)
            value = self.form.read(strict_json.loads(content_of(completion)))
        except Unusable as problem:
            return Attempt(problem.outcome, None, tokens_in, tokens_out)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return Attempt("malformed", None, tokens_in, tokens_out)
        return Attempt("answered", value, tokens_in, tokens_out)


def teller(news: queue.SimpleQueue, prompt: int, attempt: int) -> Callable[[str], None]:
    return lambda content: news.put(Heard(prompt, attempt, content))


@lru_cache(maxsize=4)
def client_of(endpoint: Endpoint, pid: int):  # noqa: ANN201 - half a second to import, for those who use it
    """One client a process: a forked child must not share its parent's connections. It follows no redirect, so
    that neither key nor question goes anywhere else.
    """
    from openai import DefaultHttpxClient, OpenAI

    return OpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.api_key or "none",
        max_retries=0,
        http_client=DefaultHttpxClient(follow_redirects=False, verify=trusted(by_environment=True)),
    )


def wait_named(header: str | None) -> float:
    """Seconds of a Retry-After; what is no plain number is longer than any search."""
    if header is None:
        return PAUSE
    try:
        seconds = float(header)
    except ValueError:
        return math.inf
    return seconds if 0 <= seconds < math.inf else math.inf
