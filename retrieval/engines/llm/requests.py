"""What is sent and what comes back: the endpoint, the form of an answer, and one attempt."""

import hashlib
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from retrieval.errors import NotRun

MAX_TOKENS = 300  # of an answer
Messages = tuple[Mapping[str, str], ...]
Result = TypeVar("Result")


class LLMUnavailable(NotRun):
    """No language model may, or can, be asked now; `reason` is a short code."""

    code = "llm_unavailable"

    def __init__(self, reason: str, message: str):
        super().__init__(message, degrades=False)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the model is, and the seconds that one search may wait for it."""

    base_url: str
    model: str
    timeout: float
    api_key: str = field(default="", repr=False)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of address and model: an address may hold a password."""
        return hashlib.sha256(f"{self.base_url}\n{self.model}".encode()).hexdigest()


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
class Heard:
    """What of an answer has come so far: to which prompt, in which of its attempts."""

    prompt: int
    attempt: int
    content: str


def result_of(steps: Generator[Any, None, Result]) -> Result:
    """What a generator returns, whatever it yields until then."""
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            return ended.value
