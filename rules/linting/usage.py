"""How often rules are used, by the day: counted from the search log, kept when the log is gone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta

from django.db import transaction
from django.db.models import Count, F, Func, Max, Min, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from retrieval.access.caller import Caller
from retrieval.models import Click, Domain, Feedback, SearchLog
from retrieval.models.log import READERS
from rules.engine.clauses import CompiledRule
from rules.linting.conflicts import Usage
from rules.models import Rule, RuleUse, SearchDay

LATELY = timedelta(days=30)
COUNTS = ("fired", "changed", "clicks", "helpful", "unhelpful")


def count(today: date | None = None) -> int:
    """Counts anew every day from the last one counted on, that one included; gives how many. May run twice.

    Counting begins with the day on which it is first done: of searches before it no rules are logged.
    """
    today = today or timezone.localdate()
    last = SearchDay.objects.aggregate(last=Max("day"))["last"] or today
    days = [last + timedelta(days=n) for n in range((today - last).days + 1)]
    for day in days:
        count_day(day)
    return len(days)


@transaction.atomic
def count_day(day: date) -> None:
    """Searches of a private domain count only for rules that act in private domains alone, so that no number tells of
    them to whoever may not see those domains.
    """
    asked = SearchLog.objects.filter(channel__in=READERS)
    public = asked.filter(private=False)
    alone = private_alone()
    everywhere = uses_of(asked, day)
    counted = uses_of(public, day) | {number: everywhere[number] for number in alone if number in everywhere}
    RuleUse.objects.bulk_create(
        [
            RuleUse(rule=rule, day=day, domains=alone.get(rule.pk, []), **counted[rule.pk])
            for rule in Rule.objects.filter(pk__in=counted)
        ],
        update_conflicts=True,
        unique_fields=["rule", "day"],
        update_fields=("domains", *COUNTS),
    )
    SearchDay.objects.update_or_create(day=day, defaults={"searches": on(public, day).count()})


def private_alone() -> Mapping[int, list[str]]:
    """The domains of each rule that acts in private ones alone: as published, else as written."""
    private = set(Domain.objects.filter(visibility=Domain.Visibility.PRIVATE).values_list("slug", flat=True))
    acting = {
        number: domains if live is None else live
        for number, live, domains in Rule.objects.values_list("pk", "live__domains", "domains")
    }
    return {number: domains for number, domains in acting.items() if domains and private.issuperset(domains)}


def uses_of(asked: QuerySet[SearchLog], day: date) -> Mapping[int, dict[str, int]]:
    """The counts by rule number, of rules that have any. A click or thumb counts on the day on which it was given, so
    that a day that is over stays as it was counted.
    """
    searches = on(asked, day)
    thumbs = on(Feedback.objects.filter(log__in=asked), day)
    counted = {
        "fired": by_rule(searches, "rules_fired"),
        "changed": by_rule(searches, "rules_changed"),
        "clicks": by_rule(on(Click.objects.filter(log__in=asked), day), "log__rules_fired"),
        "helpful": by_rule(thumbs.filter(verdict=Feedback.Verdict.HELPFUL), "log__rules_fired"),
        "unhelpful": by_rule(thumbs.filter(verdict=Feedback.Verdict.UNHELPFUL), "log__rules_fired"),
    }
    used = set().union(*counted.values())
    return {number: {name: counted[name][number] for name in COUNTS} for number in used}


def on(rows: QuerySet, day: date) -> QuerySet:
    """Those of a local day."""
    return rows.filter(created_at__range=moments(day))


def moments(day: date) -> tuple[datetime, datetime]:
    """The first and the last of a local day."""
    return tuple(timezone.make_aware(datetime.combine(day, at)) for at in (time.min, time.max))


def by_rule(rows: QuerySet, field: str) -> Counter[int]:
    """How many of the rows have each rule's number in their array."""
    numbers = rows.order_by().annotate(number=Func(F(field), function="unnest")).values_list("number")
    return Counter(dict(numbers.annotate(times=Count("pk"))))


def last_uses(uses: QuerySet[RuleUse]) -> Mapping[int, date]:
    """The last day on which each rule fired."""
    fired = uses.filter(fired__gt=0).order_by()
    return dict(fired.values_list("rule").annotate(last=Max("day")))


def with_uses(rules: QuerySet[Rule], caller: Caller) -> QuerySet[Rule]:
    """Adds `last_fired`, a day or None, and `fired_lately`, how often in thirty days, as the caller may know it."""
    fired = RuleUse.objects.visible_to(caller).filter(rule=OuterRef("pk"), fired__gt=0)
    lately = fired.filter(day__gt=timezone.localdate() - LATELY).order_by().values("rule")
    return rules.annotate(
        last_fired=Subquery(fired.order_by("-day").values("day")[:1]),
        fired_lately=Coalesce(Subquery(lately.annotate(times=Sum("fired")).values("times")), 0),
    )


def known() -> Usage:
    """What the search for unused rules asks of the rules in force."""
    published = Rule.objects.published().filter(published_at__isnull=False).values_list("pk", "published_at")
    return Usage(
        since=SearchDay.objects.aggregate(since=Min("day"))["since"],
        published={number: timezone.localdate(moment) for number, moment in published},
        last=last_uses(RuleUse.objects.all()),
    )


def counted_wholly(rules: Sequence[CompiledRule]) -> list[CompiledRule]:
    """Those of which every firing counts: while nothing private was ever stored all of them, then those of private
    domains alone. Decided by what is stored, never by what was asked.
    """
    private = Domain.objects.filter(visibility=Domain.Visibility.PRIVATE, corpus_version__gt=0)
    if not private.exists():
        return list(rules)
    alone = private_alone()
    return [rule for rule in rules if rule.number in alone]
