"""What calls cost, and the budget of a day."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from retrieval import tasks
from retrieval.engines.llm import budget
from retrieval.models import LLMCall, LLMPolicy, LLMVerdict
from tests.llm_server import (
    FAILING,
    completion,
    raw,
    verdict,
)
from tests.retrieval.engines.llm.asking import PROMPT, ask, impatient, outcomes, unavailable


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
    budget.reserve([PROMPT], "m", policy, "elsewhere")
    assert unavailable() == "over_budget"
    assert outcomes() == ["asked"]


def test_yesterdays_calls_do_not_count(server):
    LLMPolicy.objects.create(daily_budget=Decimal("0.5"), price_in=1000, price_out=1000)
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    LLMCall.objects.create(cost=100, outcome="answered", created_at=midnight - timedelta(seconds=1))
    assert ask().problem == ""


def test_old_calls_and_verdicts_go_and_todays_budget_stays(db, settings):
    settings.ARF_LLM_CALL_DAYS, settings.ARF_VERDICT_DAYS = 0, 10
    today, now = budget.midnight(), datetime.now(UTC)
    for at in (today - timedelta(seconds=1), now):
        LLMCall.objects.create(cost="0.25", outcome="answered", created_at=at)
    for n, days in enumerate((9, 12)):
        LLMVerdict.objects.create(
            query_hash=str(n), section_id=1, score=1, created_at=now - timedelta(days=days)
        )
    told = tasks.prune()
    assert (told["llm_calls"], told["verdicts"]) == (1, 1)
    assert budget.spent_today() == Decimal("0.25")
    assert LLMVerdict.objects.get().query_hash == "0"


@pytest.mark.parametrize(
    "usage", [None, "many", {"prompt_tokens": -5}, {"prompt_tokens": 10**30}, (True, False)]
)
def test_counts_that_are_missing_or_absurd_are_estimated(server, usage):
    server.behaviour = raw(completion(verdict(), usage=usage))
    LLMPolicy.objects.create(price_in=1, price_out=1)
    asked = ask()
    assert asked.problem == ""
    assert LLMCall.objects.get().tokens_in == budget.estimated(PROMPT) == 13


def test_a_late_answer_is_paid_for_as_estimated(server, settings):
    impatient(settings)
    server.behaviour = FAILING["hangs"]
    ask()
    assert LLMCall.objects.get().tokens_in == budget.estimated(PROMPT)
