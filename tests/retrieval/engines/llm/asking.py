"""Asks the test server, and says what came of it."""

import pytest

from retrieval.engines.llm import service as llm
from retrieval.engines.llm.requests import Form, LLMUnavailable
from retrieval.models import LLMCall
from retrieval.stages.llm_verifier import FORM
from tests.llm_server import (
    patience,
)

PROMPT = ({"role": "system", "content": "Judge."}, {"role": "user", "content": "x" * 30})
KEY = "sk-not-for-logs"


def ask(count: int = 1, *, requests: int = 3, form: Form = FORM):
    return llm.ask_all([PROMPT] * count, form, purpose="test", requests=requests)


def impatient(settings, seconds: float = patience("hangs")) -> None:
    settings.ARF_LLM = settings.ARF_LLM | {"timeout": seconds}


def outcomes() -> list[str]:
    return list(LLMCall.objects.order_by("pk").values_list("outcome", flat=True))


def unavailable() -> str:
    with pytest.raises(LLMUnavailable) as problem:
        ask()
    assert not problem.value.degrades
    return problem.value.reason


def in_turn(*behaviours):
    answers = iter(behaviours)
    return lambda asked: next(answers)(asked)
