"""What is sent, what failures are called, and when it is asked again."""

import threading

import pytest

from retrieval.engines.llm import refusals
from retrieval.engines.llm import service as llm
from retrieval.engines.llm.requests import MAX_TOKENS
from retrieval.models import LLMCall, LLMRefusal
from retrieval.stages.llm_verifier import FORM
from tests.llm_server import (
    FAILING,
    form_of,
    good,
    llama_cpp_python,
    patience,
    refusing,
    status,
)
from tests.retrieval.engines.llm.asking import PROMPT, ask, impatient, in_turn, outcomes

# A server that repeats what it was asked
NAMES_ALL = (
    "Unexpected: {'response_format': {'type': 'json_schema'}, 'max_tokens': 3, 'temperature': 0, 'seed': 0}"
)


def test_the_request_wants_the_schema_and_nothing_random(server):
    ask()
    [body] = server.asked
    assert body["response_format"]["json_schema"]["schema"]["properties"]["score"]["enum"] == list(range(10))
    assert body["temperature"] == 0 and body["max_tokens"] == MAX_TOKENS
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


@pytest.mark.parametrize("code", [400, 404, 415, 422, 500, 501])
def test_a_form_that_a_server_refuses_by_whatever_status_is_asked_for_once(server, code):
    server.behaviour = refusing(code, "json_schema is not supported", "json_object with a schema")
    assert (ask().problem, len(server.asked)) == ("", 2)
    assert sorted(outcomes()) == ["answered", "unsupported"]
    assert (ask().requests, form_of(server.asked[-1])) == (1, "json_object with a schema")
    assert server.asked[-1]["response_format"]["schema"] == FORM.schema
    assert llm.breaker.failures == 0


def test_llama_cpp_python_is_asked_for_an_object_with_a_schema(server):
    server.behaviour = llama_cpp_python
    assert (ask().problem, ask().problem, len(server.asked)) == ("", "", 3)
    assert refusals.refused_options(llm.endpoint()) == {"json_schema"}


def test_a_server_that_knows_plain_objects_alone_gets_there_in_two_steps(server):
    server.behaviour = refusing(422, "response_format.schema: extra inputs are not permitted", "json_object")
    assert (ask().problem, form_of(server.asked[-1]), len(server.asked)) == ("", "json_object", 3)


def test_a_server_that_refuses_every_response_format_is_asked_by_the_prompt_alone(server):
    server.behaviour = refusing(400, "Unknown parameter: response_format", None)
    assert (ask(requests=4).problem, "response_format" in server.asked[-1]) == ("", False)
    assert (ask().requests, server.asked[-1]["seed"]) == (1, 0)


@pytest.mark.parametrize("option", ["temperature", "seed"])
def test_an_option_that_a_server_refuses_is_left_out_alone(server, option):
    no = status(400, f"{option}: unknown field")
    server.behaviour = lambda asked: (no if option in asked else good())(asked)
    assert ask().problem == ""
    assert server.asked[0].keys() - server.asked[-1].keys() == {option}
    assert server.asked[-1]["response_format"]["type"] == "json_schema"


def test_a_server_that_wants_the_limit_by_its_other_name_gets_it(server):
    message = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    server.behaviour = lambda asked: (status(400, message) if "max_tokens" in asked else good())(asked)
    assert (ask().problem, server.asked[-1]["max_completion_tokens"]) == ("", MAX_TOKENS)


def test_what_is_refused_while_all_are_asked_is_known_to_the_next_search(server):
    server.behaviour = llama_cpp_python
    assert (ask(3).problem, len(server.asked)) == ("unsupported", 3)
    assert (ask(3).problem, len(server.asked)) == ("", 6)


@pytest.mark.parametrize("message", ["no", "Internal Server Error", "cannot allocate memory", NAMES_ALL])
def test_an_ordinary_500_refuses_nothing(server, message):
    server.behaviour = in_turn(status(500, message), good())
    assert ask().problem == ""
    assert form_of(server.asked[-1]) == "json_schema" and outcomes() == ["answered", "unavailable"]
    assert not LLMRefusal.objects.exists()
