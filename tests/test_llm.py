"""The client of the language model: what it accepts, what it costs, when it is left alone."""

import logging
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from retrieval import checks, llm, tasks
from retrieval.llm import Breaker, Form, LLMUnavailable
from retrieval.models import LLMCall, LLMPolicy, LLMVerdict
from retrieval.verification import FORM
from tests.conftest import ROOT
from tests.llm_server import (
    FAILING,
    completion,
    good,
    llm_server,
    patience,
    raw,
    says,
    status,
    verdict,
    without_schema,
)

PROMPT = ({"role": "system", "content": "Judge."}, {"role": "user", "content": "x" * 30})
KEY = "sk-not-for-logs"


@pytest.fixture(scope="module")
def shared_server():
    with llm_server() as server:
        yield server


@pytest.fixture
def server(shared_server, settings, monkeypatch, db):
    """A server that answers well, known to the settings, with nothing remembered of earlier tests."""
    shared_server.asked.clear()
    shared_server.keys.clear()
    shared_server.behaviour, shared_server.hold = good(), None
    settings.ARF_LLM = {"base_url": shared_server.url, "api_key": KEY, "model": "m", "timeout": 5.0}
    monkeypatch.setattr(llm, "breaker", Breaker())
    monkeypatch.setattr(llm, "_refused", set())
    return shared_server


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


# What is asked and answered


def test_a_good_answer_is_read_and_recorded(server):
    LLMPolicy.objects.create(price_in=2, price_out=10)
    asked = ask()
    assert (asked.problem, asked.requests, asked.answers[0].value.score) == ("", 1, 7)
    call = LLMCall.objects.get()
    assert (call.purpose, call.model, call.outcome) == ("test", "m", "answered")
    assert (call.tokens_in, call.tokens_out, call.ms > 0) == (100, 20, True)
    assert call.cost == asked.cost == Decimal("0.0004")


def test_the_request_wants_the_schema_and_nothing_random(server):
    ask()
    [body] = server.asked
    assert body["response_format"]["json_schema"]["schema"]["properties"]["score"]["enum"] == list(range(10))
    assert body["temperature"] == 0 and body["max_completion_tokens"] == llm.MAX_TOKENS
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


# Asking again


def in_turn(*behaviours):
    answers = iter(behaviours)
    return lambda asked: next(answers)(asked)


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


# The breaker


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


# The budget


def test_without_a_model_nothing_is_asked_and_openai_is_not_imported(server, settings):
    settings.ARF_LLM = settings.ARF_LLM | {"model": ""}
    assert unavailable() == "off"
    code = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'arf_site.settings'; django.setup();"
        "import retrieval.verification; print('openai' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


@pytest.mark.parametrize("fields", [{"enabled": False}, {"daily_budget": 0}])
def test_the_admin_switches_it_off(server, fields):
    LLMPolicy.objects.create(**fields)
    assert (unavailable(), server.asked, LLMCall.objects.count()) == ("off", [], 0)


def test_the_budget_of_a_day_is_kept(server):
    LLMPolicy.objects.create(
        daily_budget=Decimal("0.5"), price_in=1000, price_out=1000
    )  # at most .32 a call, .12 in fact
    costs = [ask().cost for _ in range(2)]
    assert costs == [Decimal("0.12")] * 2
    assert unavailable() == "over_budget"
    assert LLMCall.objects.count() == 2


def test_calls_at_work_elsewhere_count_at_their_highest_cost(server):
    policy = LLMPolicy.objects.create(daily_budget=Decimal("0.5"), price_in=1000, price_out=1000)
    llm.reserve([PROMPT], "m", policy, "elsewhere")
    assert unavailable() == "over_budget"
    assert outcomes() == ["asked"]


def test_yesterdays_calls_do_not_count(server):
    LLMPolicy.objects.create(daily_budget=Decimal("0.5"), price_in=1000, price_out=1000)
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    LLMCall.objects.create(cost=100, outcome="answered", created_at=midnight - timedelta(seconds=1))
    assert ask().problem == ""


def test_old_calls_and_verdicts_go_and_todays_budget_stays(db, settings):
    settings.ARF_LLM_CALL_DAYS, settings.ARF_VERDICT_DAYS = 0, 10
    today, now = llm.midnight(), datetime.now(UTC)
    for at in (today - timedelta(seconds=1), now):
        LLMCall.objects.create(cost="0.25", outcome="answered", created_at=at)
    for n, days in enumerate((9, 12)):
        LLMVerdict.objects.create(
            query_hash=str(n), section_id=1, score=1, created_at=now - timedelta(days=days)
        )
    told = tasks.prune()
    assert (told["llm_calls"], told["verdicts"]) == (1, 1)
    assert llm.spent_today() == Decimal("0.25")
    assert LLMVerdict.objects.get().query_hash == "0"


@pytest.mark.parametrize(
    "usage", [None, "many", {"prompt_tokens": -5}, {"prompt_tokens": 10**30}, (True, False)]
)
def test_counts_that_are_missing_or_absurd_are_estimated(server, usage):
    server.behaviour = raw(completion(verdict(), usage=usage))
    LLMPolicy.objects.create(price_in=1, price_out=1)
    asked = ask()
    assert asked.problem == ""
    assert LLMCall.objects.get().tokens_in == llm.estimated(PROMPT) == 13


def test_a_late_answer_is_paid_for_as_estimated(server, settings):
    impatient(settings)
    server.behaviour = FAILING["hangs"]
    ask()
    assert LLMCall.objects.get().tokens_in == llm.estimated(PROMPT)


# The key


def test_the_key_goes_to_the_server_alone(server, caplog):
    caplog.set_level(logging.DEBUG)
    server.behaviour = in_turn(status(500, f"bad {KEY}"), says("no"))
    ask()
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert KEY not in repr(llm.endpoint())
    assert not any(
        KEY in record.getMessage() for record in caplog.records if record.name.startswith("retrieval")
    )
    assert not any(KEY in str(row) for row in LLMCall.objects.values())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, None),
        ({"base_url": "u", "model": "m"}, None),
        ({"base_url": "u"}, "Set: ARF_LLM_URL; but not set: ARF_LLM_MODEL."),
        ({"model": "m"}, "Set: ARF_LLM_MODEL; but not set: ARF_LLM_URL."),
        ({"api_key": "k"}, "Set: ARF_LLM_KEY; but not set: ARF_LLM_URL, ARF_LLM_MODEL."),
    ],
)
def test_incomplete_settings_are_named(settings, given, message):
    settings.ARF_LLM = {"base_url": "", "api_key": "", "model": "", "timeout": 4.0} | given
    found = [(problem.id, problem.msg) for problem in checks.llm_settings(None)]
    assert found == ([("arf.E007", message)] if message else [])
