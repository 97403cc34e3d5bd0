"""Tries the configured endpoint: what it can do, how fast it is, and what it would cost."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from retrieval.engines.llm import refusals
from retrieval.engines.llm import service as llm
from retrieval.engines.llm.options import OPTIONS, options_of
from retrieval.engines.llm.requests import Attempt, Endpoint, Form, LLMUnavailable, Messages

MOST = len(OPTIONS) + 2  # requests for one answer: each option refused once, the answer, and a retry
ANSWERS = ("answered", "malformed", "refused", "injected")  # outcomes of a server that did answer


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it. `sent`: the options that the server took; `alone`: one prompt's attempt; `together`: those of
    as many prompts as a search asks at once, which took `seconds` and `cost` US dollars.
    """

    sent: frozenset[str]
    refused: frozenset[str]
    alone: Attempt
    together: Sequence[Attempt]
    seconds: float
    cost: Decimal


def try_endpoint(endpoint: Endpoint, prompts: Sequence[Messages], form: Form, *, patience: float) -> Trial:
    """Forgets what the endpoint refused, and learns it anew with the first prompt; then asks the others at once, as a
    search does. Waits `patience` seconds for each of the two. Raises LLMUnavailable where there is no answer.
    """
    first, *others = prompts
    refusals.forget(endpoint)
    [alone] = llm.ask_all([first], form, purpose="check", requests=MOST, patience=patience).answers
    if alone.outcome not in ANSWERS:
        why = f"nothing came within {patience:g} s" if alone.outcome == "timeout" else alone.outcome
        raise LLMUnavailable(alone.outcome, f"{endpoint.model} did not answer: {why}")
    started = time.monotonic()
    asked = llm.ask_all(others, form, purpose="check", requests=len(others), patience=patience)
    seconds = time.monotonic() - started
    refused = refusals.refused_options(endpoint)
    sent = frozenset(options_of(form, refused))
    return Trial(sent, refused, alone, asked.answers, seconds, asked.cost)
