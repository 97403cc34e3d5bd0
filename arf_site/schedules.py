"""What django-q runs by the clock."""

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone
from django_q.models import OrmQ, Schedule

NIGHT = {"hour": 3, "minute": 17, "second": 0, "microsecond": 0}  # local time

OFTEN = {  # function, and minutes from one run to the next
    "resume silent jobs": ("retrieval.jobs.resume_silent", 1),
    "embed aliases": ("rules.aliases.embedding.embed_all", 1),
    "mend reranker": ("evaluation.tasks.mend_reranker", 1),
    "index vectors": ("retrieval.indexes.hnsw.order_missing", 1),
    "retire expired rules": ("rules.authoring.workflow.retire_expired", 1),
    "ask of new law": ("evaluation.tasks.ask_of_new_law", 10),
    "count words": ("retrieval.indexes.terms.count_again", 10),
    "summarise": ("retrieval.summaries.upkeep.save_missing", 10),
    "count uses of rules": ("rules.linting.usage.count", 10),
}
NIGHTLY = {
    "prune": "retrieval.tasks.prune",
    "refresh domains": "retrieval.ingestion.refreshing.begin_due",
    "check rules": "rules.linting.linter.check_all",
    "find hidden text": "evaluation.rule_impact.hidden_text.find_hidden",
    "prune previews": "evaluation.rule_impact.previews.prune",
    "suggest questions": "rules.questions.suggesting.suggest_again",
    "write summaries": "retrieval.summaries.writing.every_night",
    "learn from readers": "evaluation.tasks.learn_from_readers",
}
MONTHLY = {"retrain": "evaluation.learning.retraining.every_month"}


def ensure() -> None:
    """Makes the schedules, or brings them up to date. When each runs next stays as it is, unless that is later than its
    plan has it: then the clock was ahead, or the time zone another. What was queued by such a clock waits no longer.
    """
    now = timezone.now()
    tonight = timezone.localtime(now).replace(**NIGHT)
    if tonight < now:
        tonight += timedelta(days=1)
    next_month = (tonight.replace(day=1) + timedelta(days=32)).replace(day=1, hour=4)
    for name, (func, minutes) in OFTEN.items():
        latest = now + timedelta(minutes=minutes)
        _ensure(name, now, latest, func=func, schedule_type=Schedule.MINUTES, minutes=minutes)
    for name, func in NIGHTLY.items():
        _ensure(name, tonight, now, func=func, schedule_type=Schedule.DAILY)
    for name, func in MONTHLY.items():
        _ensure(name, next_month, next_month, func=func, schedule_type=Schedule.MONTHLY)
    longest = timedelta(seconds=settings.Q_CLUSTER["retry"])
    OrmQ.objects.filter(lock__gt=now + longest).update(lock=now)


def _ensure(name: str, first_run: datetime, latest: datetime, **fields) -> None:
    Schedule.objects.update_or_create(
        name=name, defaults=fields, create_defaults=fields | {"next_run": first_run}
    )
    Schedule.objects.filter(name=name, next_run__gt=latest).update(next_run=first_run)
