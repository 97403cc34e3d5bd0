"""What runs by the clock."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_q.models import OrmQ, Schedule

from arf_site import schedules

pytestmark = pytest.mark.django_db


def next_run(name: str):
    return Schedule.objects.get(name=name).next_run


def test_schedules_are_made_once_and_keep_their_time():
    schedules.ensure()
    assert not Schedule.objects.filter(next_run__lt=timezone.now() - timedelta(minutes=1)), "none is late at once"
    soon, before = timezone.now() + timedelta(minutes=5), next_run("prune")
    Schedule.objects.filter(name="count words").update(next_run=soon, func="elsewhere")
    Schedule.objects.filter(name="retrain").update(next_run=soon)
    schedules.ensure()
    often = {name: func for name, (func, _) in schedules.OFTEN.items()}
    made = often | schedules.NIGHTLY | schedules.MONTHLY
    assert sorted(Schedule.objects.values_list("name", "func")) == sorted(made.items())
    assert {"retrieval.tasks.prune", "retrieval.jobs.resume_silent"} <= set(made.values())
    assert next_run("count words") == next_run("retrain") == soon and next_run("prune") == before


def test_what_a_clock_that_was_ahead_has_put_off_is_planned_anew():
    schedules.ensure()
    before, ahead = next_run("prune"), timezone.now() + timedelta(days=40)
    Schedule.objects.update(next_run=ahead)
    OrmQ.objects.create(key="arf", payload="", lock=ahead)
    schedules.ensure()
    assert next_run("resume silent jobs") <= timezone.now() and next_run("prune") == before
    assert not Schedule.objects.filter(next_run__gte=ahead) and OrmQ.objects.get().lock <= timezone.now()


def test_nightly_work_moves_with_the_time_zone(settings):
    schedules.ensure()
    settings.TIME_ZONE = "America/Los_Angeles"
    schedules.ensure()
    assert timezone.localtime(next_run("prune")).hour == schedules.NIGHT["hour"]
