"""The report on the use of rules: how often each fired and changed a page, and what readers and judges said after."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Count, Sum
from django.utils import timezone

from evaluation.judging.visibility import judgments_for, topics_for
from evaluation.measuring.runs import Runner, stated_language
from evaluation.models import Judgment, Topic
from evaluation.topics.library import SHIPPED
from evaluation.topics.writing import table
from retrieval import pipeline
from retrieval.access.caller import Caller
from retrieval.pipeline import Pipeline
from retrieval.ranking import Ranking
from rules.engine.match_rules import MatchRules
from rules.linting import usage
from rules.models import Rule, RuleUse, SearchDay

PERIODS = (7, 30, 90)  # days, today among them
SORTED_BY = ("name", "fired", "changed", "last", "clicks", "helpful", "unhelpful", "judgments")


@dataclass(frozen=True, slots=True)
class Use:
    """Of one rule in the period; `last`, the day on which it fired last, may lie before it."""

    rule: Rule
    fired: int
    changed: int
    clicks: int
    helpful: int
    unhelpful: int
    judgments: int
    last: date | None

    @property
    def name(self) -> str:
        return self.rule.name.casefold()


@dataclass(frozen=True, slots=True)
class Report:
    """`since`: the first day that is counted, of the period or later."""

    days: int
    since: date | None
    searches: int
    uses: tuple[Use, ...]


def report(caller: Caller, days: int, *, sort: str = "-fired", today: date | None = None) -> Report:
    """Every published rule that the caller may see, used or not; `sort` with a minus: the highest first."""
    first = (today or timezone.localdate()) - timedelta(days=days - 1)
    counted = SearchDay.objects.filter(day__gte=first)
    searches = counted.aggregate(sum=Sum("searches"))["sum"] or 0
    since = counted.order_by("day").values_list("day", flat=True).first()
    return Report(days, since, searches, tuple(ordered(uses(caller, first), sort)))


def uses(caller: Caller, first: date) -> list[Use]:
    sums = {name: Sum(name) for name in usage.COUNTS}
    seen = RuleUse.objects.visible_to(caller)
    counted = seen.filter(day__gte=first).order_by().values("rule").annotate(**sums)
    by_rule = {row.pop("rule"): row for row in counted}
    nothing = dict.fromkeys(usage.COUNTS, 0)
    last, judged = usage.last_uses(seen), judgments_since(caller, first)
    return [
        Use(rule, **by_rule.get(rule.pk, nothing), judgments=judged[rule.pk], last=last.get(rule.pk))
        for rule in Rule.objects.published().visible_to(caller)
    ]


def ordered(uses: Sequence[Use], sort: str) -> list[Use]:
    """Rules alike in this stay in the order in which they act; those without a last use come last."""
    name, falling = sort.removeprefix("-"), sort.startswith("-")
    known = [use for use in uses if getattr(use, name) is not None]
    known.sort(key=lambda use: getattr(use, name), reverse=falling)
    return [*known, *(use for use in uses if getattr(use, name) is None)]


# -- Judgments


def judgments_since(caller: Caller, first: date) -> Counter[int]:
    """By rule number: judgments that people gave from that day on for topics whose questions the rule fires now."""
    given = judgments_for(caller).filter(kind=Judgment.Kind.HUMAN, created_at__gte=usage.moments(first)[0])
    by_people = given.exclude(judge=SHIPPED).order_by().values_list("topic").annotate(count=Count("pk"))
    counts = dict(by_people)
    found: Counter[int] = Counter()
    for topic in topics_for(caller).filter(pk__in=counts):
        found.update(dict.fromkeys(fired_by(topic, caller), counts[topic.pk]))
    return found


def fired_by(topic: Topic, caller: Caller) -> list[int]:
    """Numbers of the rules that fire when this caller asks the topic's question."""
    stages = pipeline.get(pipeline.USUAL).stages
    until = next(n for n, stage in enumerate(stages, start=1) if isinstance(stage, MatchRules))
    language = stated_language(topic.language)
    query = Runner(caller=caller).query(topic.query, (topic.domain.slug,), language)
    return [rule.number for rule in Pipeline(*stages[:until])(Ranking(query)).query.fired]


# -- As a file


def as_csv(told: Report) -> str:
    return table(
        [
            {
                "id": use.rule.pk,
                "rule": use.rule.name,
                "fired": use.fired,
                "changed": use.changed,
                "last_fired": use.last.isoformat() if use.last else "",
                "clicks": use.clicks,
                "helpful": use.helpful,
                "unhelpful": use.unhelpful,
                "judgments": use.judgments,
            }
            for use in told.uses
        ]
    )
