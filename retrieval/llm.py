"""The one door to a language model: an OpenAI-compatible endpoint, asked for JSON in parallel, within one time
limit, a daily budget and a circuit breaker. Every request is recorded with its cost; a failure is never an answer.
"""

import json
import logging
import math
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from os import getpid
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Sum

from retrieval.errors import NotRun
from retrieval.models import LLMCall, LLMPolicy, LLMVerdict

logger = logging.getLogger(__name__)

MAX_ANSWER = 256 * 1024  # bytes; an answer of some hundred tokens is far smaller
MAX_TOKENS = 300  # of an answer
CHARS_PER_TOKEN = 3  # low for English, so that an estimate errs on the dear side
BELIEVED_TOKENS = 1_000_000  # a server that counts more for one call is not believed
RETRIED = ("rate_limited", "unavailable")
PAUSE = 0.2  # s before a retry where the server names no time
OPENS_AFTER = 3  # failures in a row
REST = 60.0  # s that an open breaker keeps the model unasked

# What servers are known to refuse in a request, by the words of their refusal; a plainer form follows.
REFUSABLE = {
    "response_format": ("response_format", "json_schema", "json schema", "structured output"),
    "temperature": ("temperature",),
    "max_completion_tokens": ("max_completion_tokens",),
}

Messages = tuple[Mapping[str, str], ...]


class LLMUnavailable(NotRun):
    """No language model may, or can, be asked now; `reason` is a short code."""

    code = "llm_unavailable"

    def __init__(self, reason: str, message: str):
        super().__init__(message, degrades=False)
        self.reason = reason


class Unusable(ValueError):
    """An answer that says nothing we may use: malformed, refused or injected."""

    def __init__(self, outcome: str = "malformed"):
        super().__init__(outcome)
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the model is, and the seconds that one search may wait for it."""

    base_url: str
    model: str
    timeout: float
    api_key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Form:
    """What is wanted: a JSON schema by name, what reads an answer, raising ValueError for a wrong one, and the tokens
    that an answer may have.
    """

    name: str
    schema: Mapping[str, Any]
    read: Callable[[Any], Any]
    tokens: int = MAX_TOKENS


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request. `outcome`: answered, timeout, rate_limited, unavailable, unsupported, refused, malformed,
    injected or error; tokens as the server counts them, estimated where it does not.
    """

    outcome: str
    value: Any = None
    tokens_in: int = 0
    tokens_out: int = 0
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of the prompts: the last attempt of each, in their order, and all requests with their cost."""

    answers: tuple[Attempt, ...]
    requests: int
    cost: Decimal

    @property
    def problem(self) -> str:
        """The first outcome that is no answer; empty when all were answered."""
        return next((answer.outcome for answer in self.answers if answer.outcome != "answered"), "")


class Breaker:
    """Leaves a failing model alone for a while; after the rest one more failure opens it again."""

    def __init__(
        self,
        *,
        opens_after: int = OPENS_AFTER,
        rest: float = REST,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.opens_after, self.rest, self.clock = opens_after, rest, clock
        self.failures, self.open_until = 0, -math.inf
        self.lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        return self.clock() < self.open_until

    def saw(self, *, well: bool) -> None:
        with self.lock:
            self.failures = 0 if well else self.failures + 1
            if self.failures >= self.opens_after:
                self.open_until = self.clock() + self.rest


breaker = Breaker()
_refused: set[tuple[str, str, str]] = set()  # (base URL, model, option) that this process saw refused


def endpoint() -> Endpoint | None:
    """The model that the settings name; None is the default."""
    return Endpoint(**settings.ARF_LLM) if settings.ARF_LLM["model"] else None


def ask_all(
    prompts: Sequence[Messages], form: Form, *, purpose: str, requests: int, log: UUID | None = None
) -> Asked:
    """Asks everything at once and waits as long as the endpoint's timeout for all of it together. `log`: the search
    that is served, if one is.

    1. Nothing is asked while switched off, resting or out of budget: raises LLMUnavailable.
    2. What it may cost at most is put down before asking, so that searches at the same time share one budget. Searches
       of signed-in callers are transactions and see each other's only once answered: what they ask in that moment may
       exceed the budget.
    3. `requests` bounds them all, retries and plainer forms included.
    4. What was put down is replaced by what it did cost, by the server's own count.
    """
    asked = endpoint()
    policy = LLMPolicy.objects.order_by("pk").first() or LLMPolicy()
    if asked is None:
        raise LLMUnavailable("off", "no language model is configured")
    if not policy.enabled or policy.daily_budget <= 0:
        raise LLMUnavailable("off", "language models are switched off")
    if breaker.is_open:
        raise LLMUnavailable("resting", "the language model failed and rests")
    rows = reserve(prompts, asked.model, policy, purpose, log, tokens=form.tokens)
    histories = Conversation(asked, form, more=requests - len(prompts)).run(prompts)
    settle(rows, histories, policy)
    attempts = [attempt for history in histories for attempt in history]
    for attempt in attempts:
        if attempt.outcome != "unsupported":
            breaker.saw(well=attempt.outcome in ("answered", "refused", "injected"))
    return Asked(
        tuple(history[-1] for history in histories),
        requests=len(attempts),
        cost=sum((cost_of(attempt, policy) for attempt in attempts), Decimal(0)),
    )


# -- What it costs


def estimated(prompt: Messages) -> int:
    """Tokens of a prompt, on the high side."""
    return sum(len(message["content"]) for message in prompt) // CHARS_PER_TOKEN + 1


def price(policy: LLMPolicy, tokens_in: int, tokens_out: int) -> Decimal:
    """US dollars; the prices are for a million tokens."""
    dear = policy.price_in * tokens_in + policy.price_out * tokens_out
    return min(Decimal(dear) / 1_000_000, Decimal("9999"))  # what the column holds


def cost_of(attempt: Attempt, policy: LLMPolicy) -> Decimal:
    return price(policy, attempt.tokens_in, attempt.tokens_out)


def midnight() -> datetime:
    """Where the budget's day began, UTC."""
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def spent_today() -> Decimal:
    return LLMCall.objects.filter(created_at__gte=midnight()).aggregate(sum=Sum("cost"))["sum"] or Decimal(0)


def reserve(
    prompts: Sequence[Messages],
    model: str,
    policy: LLMPolicy,
    purpose: str,
    log: UUID | None = None,
    *,
    tokens: int = MAX_TOKENS,
) -> list[LLMCall]:
    """Puts the calls down at their highest cost, then looks at the sum: of two searches that reach for the last
    of the budget, the later one sees the other's. Raises LLMUnavailable.
    """
    rows = LLMCall.objects.bulk_create(
        LLMCall(
            purpose=purpose,
            model=model[:120],
            outcome="asked",
            cost=price(policy, estimated(prompt), tokens),
            log=log,
        )
        for prompt in prompts
    )
    if spent_today() > policy.daily_budget:
        LLMCall.objects.filter(pk__in=[row.pk for row in rows]).delete()
        raise LLMUnavailable("over_budget", "today's budget for language models is spent")
    return rows


def settle(rows: Sequence[LLMCall], histories: Sequence[Sequence[Attempt]], policy: LLMPolicy) -> None:
    """Each reserved row becomes its prompt's last attempt; earlier attempts get rows of their own."""
    for row, history in zip(rows, histories, strict=True):
        *earlier, last = history
        for attempt in earlier:
            told = recorded(attempt, policy)
            LLMCall.objects.create(purpose=row.purpose, model=row.model, log=row.log, **told)
        for name, value in recorded(last, policy).items():
            setattr(row, name, value)
        row.save(update_fields=list(recorded(last, policy)))


def recorded(attempt: Attempt, policy: LLMPolicy) -> dict:
    return {
        "outcome": attempt.outcome,
        "tokens_in": attempt.tokens_in,
        "tokens_out": attempt.tokens_out,
        "cost": cost_of(attempt, policy),
        "ms": attempt.ms,
    }


def prune() -> dict[str, int]:
    """Deletes old calls, never one of today's budget, and old verdicts, as the settings say; gives how many of each."""
    calls = LLMCall.objects.filter(created_at__lt=midnight() - timedelta(days=settings.ARF_LLM_CALL_DAYS))
    verdicts = LLMVerdict.objects.filter(
        created_at__lt=midnight() - timedelta(days=settings.ARF_VERDICT_DAYS)
    )
    return {"llm_calls": calls.delete()[0], "verdicts": verdicts.delete()[0]}


# -- Asking


class Conversation:
    """The requests of one search: one for each prompt and, of all together, `more` retries and plainer forms."""

    def __init__(
        self,
        endpoint: Endpoint,
        form: Form,
        *,
        more: int,
        sleep: Callable[[float], None] = time.sleep,
    ):
        import openai  # noqa: F401 - before the clock runs: it takes a while the first time

        self.endpoint, self.form, self.sleep = endpoint, form, sleep
        self.deadline = time.monotonic() + endpoint.timeout
        self.more, self.lock = more, threading.Lock()

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def run(self, prompts: Sequence[Messages]) -> list[list[Attempt]]:
        """The attempts of each prompt. What does not end in time is left to its thread, and forgotten."""
        ended = queue.SimpleQueue()
        histories: list[list[Attempt]] = [[] for _ in prompts]
        for n, prompt in enumerate(prompts):
            work = (prompt, histories[n], ended)
            threading.Thread(target=self._ask, args=work, daemon=True, name="llm").start()
        self._wait(ended, len(prompts))
        return [
            list(history) or [self._late(prompt)] for prompt, history in zip(prompts, histories, strict=True)
        ]

    def _wait(self, ended: queue.SimpleQueue, count: int) -> None:
        """Until all have ended, or there is no time left."""
        with suppress(queue.Empty):
            for _ in range(count):
                ended.get(timeout=max(0.0, self.seconds_left))

    def _late(self, prompt: Messages) -> Attempt:
        return Attempt("timeout", tokens_in=estimated(prompt), ms=self.endpoint.timeout * 1000)

    def _allowed(self) -> bool:
        with self.lock:
            self.more -= 1
            return self.more >= 0

    def _ask(self, prompt: Messages, history: list[Attempt], ended: queue.SimpleQueue) -> None:
        """Asks until there is an answer, or no reason, time or allowance to ask again. An attempt counts as late
        until it ends.
        """
        retries = 1
        while True:
            refused = {option for option in REFUSABLE if self._key(option) in _refused}
            history.append(self._late(prompt))
            attempt, wait = self._request(prompt, refused)
            history[-1] = attempt
            if attempt.outcome in RETRIED:
                retries -= 1
            elif attempt.outcome != "unsupported":
                break
            if retries < 0 or wait >= self.seconds_left or not self._allowed():
                break
            self.sleep(wait)
        ended.put(None)

    def _key(self, option: str) -> tuple[str, str, str]:
        return self.endpoint.base_url, self.endpoint.model, option

    def _request(self, prompt: Messages, refused: set[str]) -> tuple[Attempt, float]:
        """One request and the seconds to wait before another. Any failure of library or server is an outcome."""
        started = time.monotonic()
        try:
            content = self._post(prompt, refused)
            attempt, wait = self._attempt_of(content, prompt), 0.0
        except Exception as error:  # libraries raise many kinds; none may reach a search
            outcome, wait = self._outcome_of(error, refused)
            logger.warning("The language model did not answer: %s (%s).", outcome, type(error).__name__)
            attempt = Attempt(outcome, tokens_in=estimated(prompt) if outcome == "timeout" else 0)
        ms = round((time.monotonic() - started) * 1000, 2)
        return (
            Attempt(attempt.outcome, attempt.value, attempt.tokens_in, attempt.tokens_out, ms),
            wait,
        )

    def _post(self, prompt: Messages, refused: set[str]) -> bytes:
        """The answer's body, within the deadline and MAX_ANSWER bytes."""
        client = client_of(self.endpoint, getpid())
        body = {"model": self.endpoint.model, "messages": list(prompt), **self._options(refused)}
        seconds = max(0.01, self.seconds_left)
        content = b""
        with client.chat.completions.with_streaming_response.create(**body, timeout=seconds) as response:
            for part in response.iter_bytes():
                content += part
                if len(content) > MAX_ANSWER:
                    raise Unusable
                if self.seconds_left <= 0:
                    raise TimeoutError
        return content

    def _options(self, refused: set[str]) -> dict:
        schema = {"name": self.form.name, "strict": True, "schema": self.form.schema}
        strict = {"type": "json_schema", "json_schema": schema}
        plain = "response_format" in refused
        limit = "max_tokens" if "max_completion_tokens" in refused else "max_completion_tokens"
        return {
            "response_format": {"type": "json_object"} if plain else strict,
            limit: self.form.tokens,
            **({} if "temperature" in refused else {"temperature": 0}),
        }

    def _outcome_of(self, error: Exception, refused: set[str]) -> tuple[str, float]:
        """What an exception means, and the seconds to wait before a retry."""
        import openai

        if isinstance(error, Unusable):
            return error.outcome, 0.0
        if isinstance(error, TimeoutError | openai.APITimeoutError):
            return "timeout", 0.0
        if isinstance(error, openai.RateLimitError):
            return "rate_limited", wait_named(error.response.headers.get("retry-after"))
        if isinstance(error, openai.APIConnectionError | openai.InternalServerError):
            return "unavailable", PAUSE
        if isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError):
            return ("unsupported" if self._learns(str(error), refused) else "error"), 0.0
        return "error", 0.0

    def _learns(self, complaint: str, refused: set[str]) -> bool:
        """Remembers what the server refuses; whether that is anything new."""
        told = {
            option
            for option, words in REFUSABLE.items()
            if option not in refused and any(word in complaint.lower() for word in words)
        }
        _refused.update(self._key(option) for option in told)
        return bool(told)

    def _attempt_of(self, content: bytes, prompt: Messages) -> Attempt:
        """Reads the answer strictly; its tokens were spent whatever it says."""
        tokens_in, tokens_out = estimated(prompt), self.form.tokens
        try:
            completion = parsed(content)
            tokens_in = counted(completion, "prompt_tokens", tokens_in)
            tokens_out = counted(completion, "completion_tokens", tokens_out)
            value = self.form.read(parsed(content_of(completion)))
        except Unusable as problem:
            return Attempt(problem.outcome, None, tokens_in, tokens_out)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return Attempt("malformed", None, tokens_in, tokens_out)
        return Attempt("answered", value, tokens_in, tokens_out)


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
        http_client=DefaultHttpxClient(follow_redirects=False),
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


# -- Reading answers. Pure.


def parsed(text: str | bytes) -> Any:
    """JSON as the standard has it: no name twice in an object, no NaN. Raises ValueError."""
    return json.loads(text, object_pairs_hook=without_repeats, parse_constant=not_a_number)


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return dict(pairs)


def not_a_number(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def content_of(completion: Any) -> str:
    """The one choice's text. Raises Unusable for a refusal or an answer cut short."""
    [choice] = completion["choices"]
    message = choice["message"]
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        raise Unusable("refused")
    if choice.get("finish_reason") not in ("stop", None) or not isinstance(message["content"], str):
        raise Unusable
    return message["content"]


def counted(completion: Any, name: str, otherwise: int) -> int:
    """The server's own count, where it tells one that can be true."""
    usage = completion.get("usage")
    tokens = usage.get(name) if isinstance(usage, dict) else None
    return tokens if type(tokens) is int and 0 <= tokens <= BELIEVED_TOKENS else otherwise
