"""What a call may cost, what was spent today, and the record of every call."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db.models import Sum

from retrieval.engines.llm.requests import MAX_TOKENS, Attempt, LLMUnavailable, Messages
from retrieval.models import LLMCall, LLMPolicy, LLMVerdict

CHARS_PER_TOKEN = 3  # low for English, so that an estimate errs on the dear side


def current_policy() -> LLMPolicy:
    """The one that the admin keeps, or the default."""
    return LLMPolicy.objects.order_by("pk").first() or LLMPolicy()


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
            fields = recorded(attempt, policy)
            LLMCall.objects.create(purpose=row.purpose, model=row.model, log=row.log, **fields)
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
