"""What is sent, what failures are called, and when it is asked again."""

import threading

import pytest

from retrieval.engines.llm import service as llm
from retrieval.engines.llm.requests import MAX_TOKENS
from retrieval.models import LLMCall
from tests.llm_server import (
    FAILING,
    good,
    patience,
    status,
    without_schema,
)
from tests.retrieval.engines.llm.asking import PROMPT, ask, impatient, in_turn, outcomes


def test_the_request_wants_the_schema_and_nothing_random(server):
    ask()
    [body] = server.asked
    assert body["response_format"]["json_schema"]["schema"]["properties"]["score"]["enum"] == list(range(10))
    assert body["temperature"] == 0 and body["max_completion_tokens"] == MAX_TOKENS
    assert body["messages"] == list(PROMPT)


def test_prompts_are_asked_at_the_same_time(server):
    """None of them is answered before all have come."""
    together = threading.Barrier(3)
    server.hold = lambda: together.wait(5)
    asked = ask(3)
    assert asked.problem == "" and len(server.asked) == 3 == LLMCall.objects.count()


def test_one_that_hangs_costs_the_others_nothing(server, settings):
    impatient(settings, 2)
    server.behaviour = lambda asked: (FAILING["hangs"] if len(server.asked) == 2 else good())(asked)
    asked = ask(3)
    assert sorted(answer.outcome for answer in asked.answers) == ["answered", "answered", "timeout"]
    assert sorted(outcomes()) == ["answered", "answered", "timeout"]


@pytest.mark.parametrize("name", FAILING)
def test_a_failure_is_typed_recorded_and_never_an_answer(server, settings, name):
    impatient(settings, patience(name))
    server.behaviour = FAILING[name]
    asked = ask()
    assert asked.problem and asked.answers[0].value is None
    assert len(server.asked) <= asked.requests == LLMCall.objects.count() <= 3
    assert "asked" not in outcomes() and "answered" not in outcomes()


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("hangs", "timeout"), ("drips", "timeout"), ("error 500", "unavailable"), ("bad key", "error"),
        ("rate limited", "rate_limited"), ("refusing", "refused"), ("instructed", "injected"),
        ("cut short", "malformed"), ("endless", "malformed"), ("bad request", "error"),
    ],
)  # fmt: skip
def test_failures_have_names(server, settings, name, outcome):
    impatient(settings, patience(name))
    server.behaviour = FAILING[name]
    assert ask().problem == outcome


def test_a_server_that_is_not_there_is_unavailable(server, settings):
    impatient(settings, 2)
    settings.ARF_LLM = settings.ARF_LLM | {"base_url": "http://127.0.0.1:9/v1"}
    assert ask().problem == "unavailable"


def test_no_redirect_is_followed(server):
    server.behaviour = FAILING["redirects"]
    assert (ask().problem, len(server.asked)) == ("error", 1)


@pytest.mark.parametrize("first", [status(429, retry_after="0"), status(500)])
def test_a_passing_failure_is_asked_once_more(server, first):
    server.behaviour = in_turn(first, good())
    asked = ask()
    assert (asked.problem, asked.requests, len(server.asked)) == ("", 2, 2)
    assert outcomes()[0] == "answered" and LLMCall.objects.count() == 2


def test_it_is_asked_at_most_twice(server):
    server.behaviour = status(500)
    assert ask().requests == 2


def test_a_wait_beyond_the_time_limit_is_not_waited(server):
    server.behaviour = status(429, retry_after="60")
    assert ask().requests == 1


def test_retries_share_the_allowance(server):
    server.behaviour = status(429, retry_after="0")
    assert ask(3).requests == len(server.asked) == 3


def test_a_server_without_schemas_is_asked_for_plain_json_from_then_on(server):
    server.behaviour = without_schema
    assert (ask().problem, len(server.asked)) == ("", 2)
    assert sorted(outcomes()) == ["answered", "unsupported"]
    assert (ask().requests, server.asked[-1]["response_format"]) == (1, {"type": "json_object"})
    assert llm.breaker.failures == 0


def test_a_server_that_refuses_a_temperature_is_given_none(server):
    server.behaviour = in_turn(status(400, "temperature must be 1"), good())
    assert ask().problem == ""
    assert "temperature" not in server.asked[-1] and "response_format" in server.asked[-1]
