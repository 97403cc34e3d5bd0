"""When the language model is asked, and when it is left alone."""

from decimal import Decimal

import pytest

from retrieval.engines.llm import service as llm
from retrieval.engines.llm.service import Breaker
from retrieval.models import LLMCall, LLMPolicy
from tests.llm_server import (
    FAILING,
    status,
)
from tests.retrieval.engines.llm.asking import ask, unavailable


def test_a_good_answer_is_read_and_recorded(server):
    LLMPolicy.objects.create(price_in=2, price_out=10)
    asked = ask()
    assert (asked.problem, asked.requests, asked.answers[0].value.score) == ("", 1, 7)
    call = LLMCall.objects.get()
    assert (call.purpose, call.model, call.outcome) == ("test", "m", "answered")
    assert (call.tokens_in, call.tokens_out, call.ms > 0) == (100, 20, True)
    assert call.cost == asked.cost == Decimal("0.0004")


def test_three_failures_in_a_row_open_the_breaker_for_a_minute():
    now = [0.0]
    breaker = Breaker(clock=lambda: now[0])
    for well in (False, False, True, False, False):
        breaker.saw(well=well)
    assert not breaker.is_open
    breaker.saw(well=False)
    assert breaker.is_open
    now[0] = 59.9
    assert breaker.is_open
    now[0] = 60.0
    assert not breaker.is_open
    breaker.saw(well=False)
    assert breaker.is_open
    now[0] = 200.0
    breaker.saw(well=True)
    breaker.saw(well=False)
    assert not breaker.is_open


def test_an_open_breaker_asks_nothing(server):
    server.behaviour = status(500)
    ask(3)
    assert unavailable() == "resting"
    assert len(server.asked) == 3 == LLMCall.objects.count()


def test_refusals_and_injections_are_no_failures_of_the_server(server):
    for name in ("refusing", "instructed", "refusing", "instructed"):
        server.behaviour = FAILING[name]
        ask()
    assert not llm.breaker.is_open


def test_without_a_model_nothing_is_asked(server, settings):
    """Nor is openai imported: see test_up.py."""
    settings.ARF_LLM = settings.ARF_LLM | {"model": ""}
    assert (unavailable(), server.asked) == ("off", [])


@pytest.mark.parametrize("fields", [{"enabled": False}, {"daily_budget": 0}])
def test_the_admin_switches_it_off(server, fields):
    LLMPolicy.objects.create(**fields)
    assert (unavailable(), server.asked, LLMCall.objects.count()) == ("off", [], 0)
