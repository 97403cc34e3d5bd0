"""What django-q runs by the clock."""

from datetime import timedelta

from django.utils import timezone
from django_q.models import Schedule

NIGHT = {"hour": 3, "minute": 17, "second": 0, "microsecond": 0}  # local time

SCHEDULES = {
    "resume silent jobs": {
        "func": "retrieval.tasks.resume_silent_jobs",
        "schedule_type": Schedule.MINUTES,
        "minutes": 1,
    },
    "embed aliases": {
        "func": "rules.tasks.embed_aliases",
        "schedule_type": Schedule.MINUTES,
        "minutes": 1,
    },
    "retire expired rules": {
        "func": "rules.tasks.retire_expired_rules",
        "schedule_type": Schedule.MINUTES,
        "minutes": 1,
    },
    "count words": {
        "func": "retrieval.tasks.count_words",
        "schedule_type": Schedule.MINUTES,
        "minutes": 10,
    },
    "count uses of rules": {
        "func": "rules.tasks.count_uses",
        "schedule_type": Schedule.MINUTES,
        "minutes": 10,
    },
    "prune": {"func": "retrieval.tasks.prune", "schedule_type": Schedule.DAILY},
    "refresh domains": {"func": "retrieval.tasks.refresh_domains", "schedule_type": Schedule.DAILY},
    "check rules": {"func": "rules.tasks.check_rules", "schedule_type": Schedule.DAILY},
    "find hidden text": {"func": "evaluation.tasks.find_hidden_text", "schedule_type": Schedule.DAILY},
    "prune previews": {"func": "evaluation.tasks.prune", "schedule_type": Schedule.DAILY},
    "learn from readers": {"func": "evaluation.tasks.learn_from_readers", "schedule_type": Schedule.DAILY},
    "retrain": {"func": "evaluation.learning.retraining.every_month", "schedule_type": Schedule.MONTHLY},
}
NIGHTLY = (
    "prune", "refresh domains", "check rules", "find hidden text", "prune previews", "learn from readers",
)  # fmt: skip


def ensure() -> None:
    """Makes the schedules, or brings them up to date; when each runs next stays as it is."""
    tonight = timezone.localtime().replace(**NIGHT)
    next_month = (tonight.replace(day=1) + timedelta(days=32)).replace(day=1, hour=4)
    nightly = dict.fromkeys(NIGHTLY, tonight)
    first_run = nightly | {"retrain": next_month}
    for name, fields in SCHEDULES.items():
        Schedule.objects.update_or_create(
            name=name,
            defaults=fields,
            create_defaults=fields | {"next_run": first_run.get(name, timezone.now())},
        )
