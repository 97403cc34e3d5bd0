"""What runs by the clock."""

from datetime import timedelta

from django.utils import timezone

from arf_site import schedules


def test_schedules_are_made_once_and_keep_their_time(db):
    from django_q.models import Schedule

    schedules.ensure()
    assert not Schedule.objects.filter(next_run__lt=timezone.now() - timedelta(minutes=1)), "none is late at once"
    Schedule.objects.filter(name="prune").update(next_run="2030-01-01T03:00Z", func="elsewhere")
    schedules.ensure()
    often = {name: func for name, (func, _) in schedules.OFTEN.items()}
    made = often | schedules.NIGHTLY | schedules.MONTHLY
    assert sorted(Schedule.objects.values_list("name", "func")) == sorted(made.items())
    assert {"retrieval.tasks.prune", "retrieval.jobs.resume_silent"} <= set(made.values())
    assert Schedule.objects.get(name="prune").next_run.year == 2030
