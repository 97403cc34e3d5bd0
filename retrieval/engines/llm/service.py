"""Asks a language model: several prompts at once, within one time limit, a daily budget and a circuit breaker.

Every request is recorded with its cost; a failure is never an answer.
"""

import math
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from uuid import UUID

from django.conf import settings

from retrieval.engines.llm import refusals
from retrieval.engines.llm.budget import cost_of, current_policy, reserve, settle
from retrieval.engines.llm.conversation import Conversation
from retrieval.engines.llm.requests import (
    Attempt,
    Endpoint,
    Form,
    Heard,
    LLMUnavailable,
    Messages,
    result_of,
)

OPENS_AFTER = 3  # failures in a row
REST = 60.0  # s that an open breaker keeps the model unasked


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


def endpoint() -> Endpoint | None:
    """The model that the settings name; None is the default."""
    return Endpoint(**settings.ARF_LLM) if settings.ARF_LLM["model"] else None


def ask_all(
    prompts: Sequence[Messages],
    form: Form,
    *,
    purpose: str,
    requests: int,
    log: UUID | None = None,
    patience: float | None = None,
) -> Asked:
    """Asks everything at once and waits `patience` seconds, the endpoint's timeout by default, for all of it together.
    `log`: the search that is served, if one is.

    1. Nothing is asked while switched off, resting or out of budget: raises LLMUnavailable.
    2. What it may cost at most is put down before asking, so that searches at the same time share one budget. Searches
       of signed-in callers are transactions and see each other's only once answered: what they ask in that moment may
       exceed the budget.
    3. `requests` bounds them all, retries and plainer forms included.
    4. What the server refused is remembered, and not asked of it again.
    5. What was put down is replaced by what it did cost, by the server's own count.
    """
    return result_of(
        hear_all(prompts, form, purpose=purpose, requests=requests, log=log, patience=patience, stream=False)
    )


def hear_all(
    prompts: Sequence[Messages],
    form: Form,
    *,
    purpose: str,
    requests: int,
    log: UUID | None = None,
    patience: float | None = None,
    stream: bool = True,
) -> Generator[Heard, None, Asked]:
    """As `ask_all`, with the answers as they come in pieces. It must be seen to its end: only then is known what it
    did cost.
    """
    asked = endpoint()
    policy = current_policy()
    if asked is None:
        raise LLMUnavailable("off", "no language model is configured")
    if not policy.enabled or policy.daily_budget <= 0:
        raise LLMUnavailable("off", "language models are switched off")
    if breaker.is_open:
        raise LLMUnavailable("resting", "the language model failed and rests")
    rows = reserve(prompts, asked.model, policy, purpose, log, tokens=form.tokens)
    known = refusals.refused_options(asked)
    patient = replace(asked, timeout=patience or asked.timeout)
    conversation = Conversation(
        patient, form, more=requests - len(prompts), refused=known, stream=stream
    )
    histories = yield from conversation.hear(prompts)
    refusals.remember(asked, conversation.refused - known)
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
