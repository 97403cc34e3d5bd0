"""Jobs as chains of steps: one at a time, resumable, never run twice, cancelled between steps."""

import io
import threading
import traceback
from datetime import timedelta

import psycopg
import pytest
from django.core.management import CommandError
from django.db import connection
from django.utils import timezone, translation
from django.utils.translation import override
from django_q.exceptions import TimeoutException

from retrieval import jobs
from retrieval.errors import ArfError, SourceRefused
from retrieval.jobs import Job, Progress
from retrieval.management import base
from retrieval.management.base import JobCommand
from retrieval.models import Checkpoint, Domain, JobRun, Version

pytestmark = pytest.mark.django_db


class Count(Job):
    """Counts to three, one a step, in a row of the database."""

    def step(self, run: JobRun) -> Progress:
        number = run.position + 1
        Version.objects.update_or_create(name="counted", defaults={"number": number})
        if run.params.get("fail_at") == number:
            raise ArfError("three is too much")
        return Progress(number, 3, f"at {number}", finished=number == 3)

    def undo(self, run: JobRun) -> None:
        Version.objects.filter(name="counted").delete()


@pytest.fixture(autouse=True)
def counting(settings):
    settings.ARF_JOBS = {"count": "tests.retrieval.test_jobs.Count"}


@pytest.fixture
def queued(monkeypatch):
    """What would be handed to the queue."""
    tasks = []
    monkeypatch.setattr(jobs, "async_task", lambda *args, **options: tasks.append(args))
    return tasks


def counted() -> int:
    return Version.objects.get(name="counted").number


def test_a_job_runs_step_by_step_to_its_end():
    run = jobs.create("count", key="k")
    assert [step.position for step in jobs.run_here(run)] == [1, 2, 3]
    assert JobRun.objects.get(kind="count").status == JobRun.Status.DONE


def test_who_stops_watching_a_job_is_told_that_it_goes_on(monkeypatch):
    def interrupted(run, **watching):
        raise KeyboardInterrupt

    monkeypatch.setattr(jobs, "run_here", interrupted)
    with pytest.raises(CommandError, match="workers go on with it"):
        JobCommand().run_job({"kind": "count", "key": "k"})


def test_a_command_given_again_goes_on_with_its_job():
    begun = jobs.create("count", key="k", params={"file": "a"})
    jobs.take_step(begun.pk, 0)  # and then the command was killed
    ended = JobCommand().run_job({"kind": "count", "key": "k", "params": {"file": "a"}})
    assert (ended.pk, ended.status, counted()) == (begun.pk, JobRun.Status.DONE, 3)


def test_a_command_waits_for_what_runs_and_says_what_that_is():
    first = jobs.create("count", key="k", params={"domain": "us_code"})
    printed = io.StringIO()
    ended = JobCommand(stderr=printed).run_job({"kind": "count", "key": "k", "params": {"file": "b"}})
    first.refresh_from_db()
    assert {first.status, ended.status} == {JobRun.Status.DONE}
    name = Domain.objects.get(slug="us_code").name
    assert printed.getvalue() == f"Job {ended.pk} waits for job {first.pk}: count of {name}.\n"


def test_who_is_told_of_a_job_learns_nothing_of_private_documents():
    run = jobs.create("upload", key="k", params={"domain": "client_cases", "principal": "user:1"})
    with pytest.raises(jobs.AlreadyRunning) as refused:
        jobs.create("upload", key="k")
    assert refused.value.message == f"Job {run.pk} (upload) is already at work on this."


def test_a_job_waits_for_the_first_of_its_owner_and_otherwise_for_whose_turn_it_is():
    first, second = (jobs.create("count", key="k", queues=True) for _ in range(2))
    anothers = jobs.create("count", key="k", params={"principal": "user:1"}, queues=True)
    assert [jobs.before(run) for run in (first, second, anothers)] == [None, first, first]


def test_each_step_queues_the_next(queued, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        run = jobs.enqueue("count", key="k")
    while queued:
        _, run_id, ticket = queued.pop()
        with django_capture_on_commit_callbacks(execute=True):
            jobs.advance(run_id, ticket)
    run.refresh_from_db()
    assert (run.status, run.ticket) == (JobRun.Status.DONE, 3)


def test_a_step_asked_for_twice_runs_once():
    run = jobs.create("count", key="k")
    assert jobs.take_step(run.pk, 0).position == 1
    assert jobs.take_step(run.pk, 0) is None
    assert counted() == 1


def test_two_jobs_of_one_key_never_run_together():
    first = jobs.create("count", key="k")
    with pytest.raises(jobs.AlreadyRunning) as refused:
        jobs.create("count", key="k")
    assert refused.value.run == first
    assert jobs.create("count", key="other")


def test_jobs_that_queue_take_their_turns_whole(queued, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        first, second = (jobs.enqueue("count", key="k", queues=True) for _ in range(2))
    assert jobs.take_step(second.pk, 0) is None
    queued.clear()
    jobs.advance(first.pk, 0)
    assert jobs.take_step(second.pk, 0) is None
    with django_capture_on_commit_callbacks(execute=True):
        for ticket in (1, 2):
            jobs.advance(first.pk, ticket)
    assert queued[-1][1:] == (second.pk, 0)
    assert [step.status for step in jobs.run_here(second)][-1] == JobRun.Status.DONE


def order_of_steps(*runs: JobRun) -> list[int]:
    """Whose steps were taken, as the queue asks for them, until all are done."""
    taken = []
    while turn := jobs.next_of("k"):
        jobs.take_step(turn.pk, turn.ticket)
        taken.append(turn.pk)
    assert not JobRun.objects.unfinished().exists()
    return [runs.index(run) for pk in taken for run in runs if run.pk == pk]


def test_owners_take_turns_step_by_step_and_the_jobs_of_one_owner_whole():
    names = ("user:1", "user:1", "user:1", "key:2", None)
    runs = [jobs.create("count", key="k", params={"principal": n} if n else {}, queues=True) for n in names]
    assert order_of_steps(*runs) == [0, 3, 4, 0, 3, 4, 0, 3, 4, 1, 1, 1, 2, 2, 2]


def test_many_jobs_of_one_step_do_not_go_before_anothers(monkeypatch):
    monkeypatch.setattr(Count, "step", lambda self, run: Progress(1, 1, finished=True))
    names = ("user:1", "user:1", "user:1", "user:2", "user:2")
    runs = [jobs.create("count", key="k", params={"principal": name}, queues=True) for name in names]
    assert order_of_steps(*runs) == [0, 3, 1, 4, 2]


def test_after_a_step_the_queue_is_given_that_of_whose_turn_it_is(queued, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        first, second = (
            jobs.enqueue("count", key="k", params={"principal": f"user:{n}"}, queues=True) for n in (1, 2)
        )
        jobs.advance(first.pk, 0)
    assert queued[-1][1:] == (second.pk, 0)


def test_a_step_that_took_too_long_lets_others_go_first(
    queued, django_capture_on_commit_callbacks, monkeypatch
):
    slow, other = (
        jobs.create("count", key="k", params={"principal": f"user:{n}"}, queues=True) for n in (1, 2)
    )
    with monkeypatch.context() as late, django_capture_on_commit_callbacks(execute=True):
        late.setattr(Count, "step", too_long)
        with pytest.raises(TimeoutException):
            jobs.take_step(slow.pk, 0)
    assert queued == [("retrieval.jobs.advance", other.pk, 0)] and jobs.next_of("k") == other


def two_owners() -> list[JobRun]:
    owners = ({"principal": f"user:{n}"} for n in (1, 2))
    return [jobs.create("count", key="k", params=owner, queues=True) for owner in owners]


def test_who_runs_a_job_here_gives_others_their_turns(queued, django_capture_on_commit_callbacks):
    first, second = two_owners()
    jobs.take_step(first.pk, 0)
    with django_capture_on_commit_callbacks(execute=True):
        assert [step.position for step in jobs.run_here(second)] == [1, 2, 3]
    first.refresh_from_db()
    assert first.position == 3 and queued == []


def test_what_others_have_left_goes_to_the_workers(queued, django_capture_on_commit_callbacks):
    first, second = two_owners()
    with django_capture_on_commit_callbacks(execute=True):
        list(jobs.run_here(first))
    assert queued == [("retrieval.jobs.advance", second.pk, 2)]


def test_anothers_bug_ends_no_job_that_runs_here(monkeypatch):
    first, second = two_owners()
    step = Count.step
    monkeypatch.setattr(Count, "step", lambda self, run: 1 / 0 if run == first else step(self, run))
    assert [run.position for run in jobs.run_here(second)] == [1, 2, 3]
    first.refresh_from_db()
    assert first.status == JobRun.Status.FAILED and first.error.startswith("ZeroDivisionError")
    with translation.override("es"):
        assert first.local_error.endswith("el registro del proceso dice más.")


def test_who_runs_a_job_here_waits_for_a_step_that_a_worker_is_at(monkeypatch):
    run = jobs.create("count", key="k")
    take_step = jobs.take_step
    with monkeypatch.context() as busy:
        busy.setattr(jobs, "take_step", lambda run_id, ticket: None)
        busy.setattr(jobs.time, "sleep", lambda seconds: take_step(run.pk, 0))
        steps = jobs.run_here(run)
        assert next(steps).position == 1
        JobRun.objects.update(heartbeat_at=timezone.now() - jobs.SILENT_AFTER * 2)
        with pytest.raises(jobs.AlreadyRunning, match=f"Job {run.pk} "):
            next(steps)


def test_a_queue_goes_on_past_a_job_that_fails(queued, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        first = jobs.enqueue("count", key="k", params={"fail_at": 1}, queues=True)
        second = jobs.enqueue("count", key="k", queues=True)
        jobs.advance(first.pk, 0)
    assert queued[-1][1:] == (second.pk, 0)


def test_a_failing_step_leaves_no_trace_and_can_be_taken_up_again(queued, django_capture_on_commit_callbacks):
    run = jobs.create("count", key="k", params={"fail_at": 2})
    *_, run = jobs.run_here(run)
    assert (run.status, run.error, run.position) == (JobRun.Status.FAILED, "three is too much", 1)
    assert counted() == 1, "the failing step was rolled back"
    JobRun.objects.update(params={})
    with django_capture_on_commit_callbacks(execute=True):
        jobs.resume(run)
    assert [step.position for step in jobs.run_here(run)] == [2, 3]


def test_a_refusal_is_kept_until_the_job_is_taken_up_again():
    run = jobs.create("count", key="k")
    refused = SourceRefused("The file holds %(count)s rows.", count=0)
    jobs._fail(run.pk, refused, undoing=False)
    run.refresh_from_db()
    assert (run.error, run.refusal) == ("The file holds 0 rows.", refused.refusal)
    jobs.resume(run)
    assert (run.error, run.refusal) == ("", {})


def test_cancelling_takes_effect_before_the_next_step_and_undoes():
    run = jobs.create("count", key="k")
    steps = jobs.run_here(run)
    jobs.cancel(next(steps))
    assert next(steps).status == JobRun.Status.CANCELLED
    assert not Version.objects.filter(name="counted").exists()


def test_what_is_asked_for_again_while_it_is_being_cancelled_is_another_job():
    run, _ = jobs.in_line("count", key="k")
    assert jobs.in_line("count", key="k") == (run, False)
    JobRun.objects.filter(pk=run.pk).update(status=JobRun.Status.RUNNING, cancel_requested=True)
    again, is_new = jobs.in_line("count", key="k")
    assert is_new and again != run


def test_a_job_that_is_cancelled_after_its_process_was_killed_holds_up_no_other(
    queued, django_capture_on_commit_callbacks
):
    killed, waiting = (
        jobs.create("count", key="k", params={"principal": name} if name else {}, queues=True)
        for name in ("", "user:1")
    )
    jobs.take_step(killed.pk, 0)
    assert jobs.next_of("k") == waiting
    with django_capture_on_commit_callbacks(execute=True):
        jobs.cancel(JobRun.objects.get(pk=killed.pk))
        assert queued == []
    assert queued == [("retrieval.jobs.advance", killed.pk, 1)]
    with django_capture_on_commit_callbacks(execute=True):
        jobs.advance(*queued.pop()[1:])
    killed.refresh_from_db()
    assert killed.status == JobRun.Status.CANCELLED
    assert queued == [("retrieval.jobs.advance", waiting.pk, 0)]


def test_cancelling_during_the_last_try_is_a_cancel():
    run = jobs.create("count", key="k")
    for _ in range(jobs.MOST_TRIES):
        killed_in_its_step(run)
    jobs.cancel(run)
    assert jobs.take_step(run.pk, run.ticket).status == JobRun.Status.CANCELLED


def test_cancelling_a_step_that_then_fails_is_a_cancel(monkeypatch):
    """The row is locked while the step is at work: the wish to cancel is written down when it was rolled back."""
    run = jobs.create("count", key="k", params={"fail_at": 1})
    failing = jobs._fail

    def fail(run_id, error, **how):
        JobRun.objects.filter(pk=run_id).update(cancel_requested=True)
        failing(run_id, error, **how)

    monkeypatch.setattr(jobs, "_fail", fail)
    run = jobs.take_step(run.pk, run.ticket)
    assert (run.status, run.error) == (JobRun.Status.QUEUED, "")
    assert jobs.take_step(run.pk, run.ticket).status == JobRun.Status.CANCELLED


def test_a_job_that_cannot_be_undone_fails_and_is_not_tried_for_ever(monkeypatch):
    run = jobs.create("count", key="k")
    monkeypatch.setattr(Count, "undo", lambda self, run: 1 / 0)
    jobs.cancel(run)
    with pytest.raises(ZeroDivisionError):
        jobs.take_step(run.pk, run.ticket)
    run.refresh_from_db()
    assert run.status == JobRun.Status.FAILED


def test_a_silent_job_is_queued_again(queued, django_capture_on_commit_callbacks):
    run = jobs.create("count", key="k")
    now = timezone.now()
    with django_capture_on_commit_callbacks(execute=True):
        assert jobs.resume_silent(now + timedelta(minutes=1)) == 0
        assert jobs.resume_silent(now + timedelta(minutes=5)) == 1
    assert queued == [("retrieval.jobs.advance", run.pk, 0)]


def test_a_bug_in_a_step_is_raised_and_recorded(monkeypatch):
    run = jobs.create("count", key="k")
    monkeypatch.setattr(Count, "step", lambda self, run: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        jobs.take_step(run.pk, 0)
    run.refresh_from_db()
    assert run.status == JobRun.Status.FAILED
    assert run.error.startswith("ZeroDivisionError in <lambda> (test_jobs.py, line ")


def test_what_an_unforeseen_error_quotes_reaches_neither_the_job_nor_the_queue(monkeypatch):
    run = jobs.create("count", key="k")
    monkeypatch.setattr(Count, "step", lambda self, run: int("Quetzalli Ibarreche"))
    with pytest.raises(jobs.Unforeseen) as told:
        jobs.advance(run.pk, 0)
    run.refresh_from_db()
    queued = "".join(traceback.format_exception(told.value))
    assert "ValueError" in queued and "ValueError" in run.error
    assert "Quetzalli" not in queued + run.error


def killed_in_its_step(run: JobRun) -> None:
    """What a worker leaves behind that is killed: it has begun, and nothing else."""
    jobs.begin(run.pk, run.ticket)


def test_a_step_that_kills_its_worker_each_time_is_given_up_with_the_reason():
    run = jobs.create("count", key="k")
    for _ in range(3):
        killed_in_its_step(run)
    assert "begun 3 times" in jobs.take_step(run.pk, run.ticket).error
    run.refresh_from_db()
    assert run.status == JobRun.Status.FAILED


def test_a_step_that_waits_for_other_work_under_its_key_is_no_try():
    run = jobs.create("count", key="k")
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("SELECT pg_advisory_xact_lock(hashtextextended('k', 0))")
        for _ in range(jobs.MOST_TRIES + 1):
            assert jobs.take_step(run.pk, run.ticket) is None
    assert jobs.take_step(run.pk, run.ticket).position == 1


def test_a_step_that_comes_through_after_a_kill_counts_anew():
    run = jobs.create("count", key="k")
    for _ in range(3):
        killed_in_its_step(run)
        run = jobs.take_step(run.pk, run.ticket)
    assert run.status == JobRun.Status.DONE


def too_long(self, run: JobRun) -> Progress:
    """As django-q ends a task at the limit of its time."""
    raise TimeoutException


def test_a_job_given_up_because_its_step_took_too_long_says_so(monkeypatch, settings):
    run = jobs.create("count", key="k")
    run = jobs.take_step(run.pk, run.ticket)
    JobRun.objects.update(state={"phase": "fold"})
    monkeypatch.setattr(Count, "step", too_long)
    for _ in range(3):
        with pytest.raises(TimeoutException):
            jobs.take_step(run.pk, run.ticket)
        run.refresh_from_db()
        assert run.error == "Step 2 (fold) took longer than 120 s." and run.status == JobRun.Status.RUNNING
        with override("es"):
            assert run.local_error == "El paso 2 (fold) duró más de 120 s."
    run = jobs.take_step(run.pk, run.ticket)
    assert run.status == JobRun.Status.FAILED
    assert run.error == "Stopped: its next step was begun 3 times. Step 2 (fold) took longer than 120 s."
    with override("es"):
        assert run.local_error.endswith("El paso 2 (fold) duró más de 120 s.")


def test_a_step_that_ends_in_time_after_all_clears_what_was_said(monkeypatch):
    run = jobs.create("count", key="k")
    with monkeypatch.context() as slow, pytest.raises(TimeoutException):
        slow.setattr(Count, "step", too_long)
        jobs.take_step(run.pk, run.ticket)
    assert jobs.take_step(run.pk, run.ticket).error == ""


def test_a_step_that_was_killed_before_does_one_piece_at_a_time():
    first, again = (jobs.time_for_more(JobRun(tries=tries)) for tries in (1, 2))
    assert first() and not again()


@pytest.mark.parametrize("cancelled", [False, True])
def test_checkpoints_go_when_their_job_ends(cancelled):
    run = jobs.create("count", key="k")
    run.checkpoints.create(name="a", content=b"1")
    if cancelled:
        jobs.cancel(run)
    *_, run = jobs.run_here(run)
    assert run.is_finished and not Checkpoint.objects.exists()


def test_checkpoints_of_a_failed_job_are_kept_for_a_week():
    run = jobs.create("count", key="k", params={"fail_at": 1})
    run.checkpoints.create(name="a", content=b"1")
    *_, run = jobs.run_here(run)
    assert jobs.forget_checkpoints() == 0
    JobRun.objects.update(finished_at=timezone.now() - timedelta(days=8))
    assert jobs.forget_checkpoints() == 1


def test_jobs_that_ended_long_ago_go_but_the_last_of_each_kind_and_domain():
    JobRun.objects.all().delete()
    for name in ("a", "a", "b"):
        *_, _run = jobs.run_here(jobs.create("count", key="k", params={"domain": name}))
    assert jobs.forget_runs() == 0
    JobRun.objects.update(finished_at=timezone.now() - timedelta(days=200))
    assert jobs.forget_runs() == 1
    assert sorted(run.params["domain"] for run in JobRun.objects.all()) == ["a", "b"]


class PrintingCommand(JobCommand):
    prints_steps = True


def test_a_command_may_print_each_step():
    printed = io.StringIO()
    PrintingCommand(stdout=printed).run_job({"kind": "count", "key": "k"})
    assert printed.getvalue().splitlines() == [" 33 % at 1", " 66 % at 2", "at 3"]


def test_a_command_without_a_terminal_says_now_and_then_how_far_it_is(monkeypatch):
    monkeypatch.setattr(base, "REPEATED_EVERY", 0.01)
    printed, said, step = io.StringIO(), threading.Event(), Count.step
    command = JobCommand(stdout=printed)
    say = command.say
    monkeypatch.setattr(command, "say", lambda line: (say(line), said.set()))
    monkeypatch.setattr(Count, "step", lambda self, run: (said.wait(30), step(self, run))[1])
    command.run_job({"kind": "count", "key": "k"})
    assert printed.getvalue().startswith("  0 %")


def test_progress_goes_on_from_one_document_to_the_next():
    states = [(3, 4, {"span": [0.0, 0.25]}), (0, 0, {"span": [0.25, 0.5]}), (2, 4, {"span": [0.25, 0.5]})]
    runs = [JobRun(status="running", position=p, total=t, state=state) for p, t, state in states]
    assert [run.percent for run in runs] == [18, 25, 37]


@pytest.mark.parametrize(
    ("status", "position", "total", "percent"),
    [("running", 1, 4, 25), ("queued", 0, 0, 0), ("done", 4, 4, 100), ("done", 0, 0, 100)],
)
def test_progress_reads_in_per_cent(status, position, total, percent):
    assert JobRun(status=status, position=position, total=total).percent == percent
