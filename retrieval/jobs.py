"""Long work as a chain of short steps. A step commits its work together with the job's next position, so a
killed worker loses at most the step it was in, and a step that is asked for twice runs once.
"""

import logging
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max, QuerySet
from django.db.models.fields.json import KT
from django.utils import timezone
from django.utils.module_loading import import_string
from django_q.exceptions import TimeoutException
from django_q.tasks import async_task

from retrieval.errors import ArfError, gettext_noop
from retrieval.models import Checkpoint, Domain, JobRun

logger = logging.getLogger(__name__)

CORPUS = "corpus"  # the key of every job that writes chunks: one at a time
MOST_TRIES = 3  # of one step: a worker that dies in it each time will die again
RUNS_KEPT = timedelta(days=180)
CHECKPOINTS_KEPT = timedelta(days=7)  # of a failed job, which may be resumed so long
SILENT_AFTER = timedelta(minutes=4)  # longer than a step may take with the queue's retry of 180 s
# Seconds after which a step begins no other piece: on a machine ten times slower it ends in time too.
STEP_SECONDS = 15.0
WATCHED_EVERY = 0.5  # seconds between looks at a job that others work on

HasTime = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Progress:
    """What a step says when it is through: units done and to do, what is handed on, and whether that was all."""

    position: int
    total: int
    message: str = ""
    state: dict = field(default_factory=dict)
    finished: bool = False


class Job(Protocol):
    """A kind of long work, named in `settings.ARF_JOBS`."""

    def step(self, run: JobRun) -> Progress:
        """Does the next piece, in less than a minute, inside a transaction; may be rolled back and run again."""

    def undo(self, run: JobRun) -> None:
        """Clears what a job that will not finish has staged."""

    def failed(self, run: JobRun) -> None:
        """Is told once that it stopped for `run.error`; somebody may resume it."""


class AlreadyRunning(ArfError):
    status = 409
    code = "already_running"

    def __init__(self, run: JobRun):
        super().__init__(
            gettext_noop("Job %(number)s (%(name)s) is already at work on this."),
            number=str(run.pk),
            name=name_of(run),
        )
        self.run = run


class WorkersKilled(ArfError):
    """A step that was begun again and again and never came to an end."""

    status = 500
    code = "workers_killed"

    def __init__(self, last_time: Mapping[str, Any] | None = None):
        """`last_time`: the values of the StepTooLong that is known of, if any."""
        if last_time:
            told = gettext_noop(
                "Stopped: its next step was begun %(tries)s times. Step %(number)s (%(phase)s) took longer than "
                "%(seconds)s s."
            )
        else:
            told = gettext_noop(
                "Stopped: its next step was begun %(tries)s times. Each time the worker was killed: by hand, or "
                "for want of memory."
            )
        super().__init__(told, tries=MOST_TRIES, **last_time or {})


class StepTooLong(ArfError):
    """A step was ended at the limit of the queue."""

    def __init__(self, run: JobRun, ticket: int):
        super().__init__(
            gettext_noop("Step %(number)s (%(phase)s) took longer than %(seconds)s s."),
            number=ticket + 1,
            phase=run.state.get("phase", run.kind),
            seconds=settings.Q_CLUSTER["timeout"],
        )


class Unforeseen(RuntimeError):
    """An error of a step, without its words."""


def create(kind: str, *, key: str, params: dict | None = None, by=None, queues: bool = False) -> JobRun:
    """A waiting job. Raises AlreadyRunning while another with this key is unfinished, unless it `queues`."""
    with transaction.atomic():
        lock(f"create {key}")
        running = JobRun.objects.unfinished().filter(key=key).first()
        if running and not queues:
            raise AlreadyRunning(running)
        return JobRun.objects.create(kind=kind, key=key, params=params or {}, requested_by=by)


def in_line(kind: str, *, key: str, params: dict | None = None, by=None) -> tuple[JobRun, bool]:
    """The unfinished job that was asked for in the same words, else a new one that takes its turn after others of its
    key; and whether it is new.
    """
    with transaction.atomic():
        lock(f"create {key}")
        going = JobRun.objects.unfinished().filter(cancel_requested=False)
        same = going.filter(kind=kind, key=key, params=params or {}).order_by("pk").first()
        return (same, False) if same else (create(kind, key=key, params=params, by=by, queues=True), True)


def ask(kind: str, **asked) -> JobRun:
    """That job, handed to the workers where it is new."""
    run, is_new = in_line(kind, **asked)
    if is_new:
        hand_on(run)
    return run


def enqueue(kind: str, *, key: str, params: dict | None = None, by=None, queues: bool = False) -> JobRun:
    """Creates a job and hands its first step to the workers."""
    run = create(kind, key=key, params=params, by=by, queues=queues)
    hand_on(run)
    return run


def begun(kind: str, **asked) -> JobRun:
    """The job created and handed to the workers, or the one with its key that is at work."""
    try:
        return enqueue(kind, **asked)
    except AlreadyRunning as other:
        return other.run


def hand_on(run: JobRun) -> None:
    """Queues the next step; the ticket makes a second copy of it harmless."""
    run_id, ticket = run.pk, run.ticket
    transaction.on_commit(lambda: async_task("retrieval.jobs.advance", run_id, ticket, group=f"job {run_id}"))


def advance(run_id: int, ticket: int) -> None:
    """The task workers run: one step, then that of whose turn it is next is queued. Raises Unforeseen: what an error
    says may quote a private document, and the queue's records are for all staff.
    """
    try:
        run = take_step(run_id, ticket)
    except Exception as error:
        logger.exception("A step of job %s failed.", run_id)
        raise Unforeseen(f"A step of job {run_id} failed: {whereabouts(error)}.") from None
    if run is not None and (following := next_of(run.key)):
        hand_on(following)


def next_of(key: str) -> JobRun | None:
    """Whose turn it is among the unfinished jobs of a key. Owners take turns step by step, one whose job was cancelled
    and then whoever waited longest first; the jobs of one owner take theirs whole, oldest first.
    """
    owned = JobRun.objects.unfinished().filter(key=key).annotate(owner=KT("params__principal"))
    oldest = owned.order_by("owner", "pk").distinct("owner")
    return min(oldest, key=lambda run: (not run.cancel_requested, run.heartbeat_at, run.pk), default=None)


def before(run: JobRun) -> JobRun | None:
    """What an unfinished job waits for: its owner's oldest job, else that of whose turn it is; None in its own turn."""
    turn = next_of(run.key)
    return None if turn == run else of_owner(run).filter(pk__lt=run.pk).order_by("pk").first() or turn


def coming_in(lately: timedelta = timedelta()) -> set[str]:
    """Slugs of the domains into which an unfinished job brings texts, or one that ended so lately."""
    bringing = JobRun.objects.unfinished() | JobRun.objects.filter(finished_at__gt=timezone.now() - lately)
    return {*filter(None, bringing.filter(key=CORPUS).values_list("params__domain", flat=True))}


def name_of(run: JobRun) -> str:
    """What a job does, for anybody to read: "ingest of US Code". Of a private domain it says the kind alone."""
    public = Domain.objects.filter(slug=run.params.get("domain"), visibility=Domain.Visibility.PUBLIC)
    domain = public.values_list("name", flat=True).first()
    return f"{run.kind} of {domain}" if domain else run.kind


def of_owner(run: JobRun) -> QuerySet[JobRun]:
    """The unfinished jobs of this job's key and owner; the server's own jobs have none."""
    principal = run.params.get("principal")
    owned = {"params__principal": principal} if principal else {"params__principal__isnull": True}
    return JobRun.objects.unfinished().filter(key=run.key, **owned)


def time_for_more(run: JobRun) -> HasTime:
    """Whether a step may begin one more piece. A step whose worker was killed does a single one when begun again."""
    end = time.monotonic() + (STEP_SECONDS if run.tries <= 1 else 0)
    return lambda: time.monotonic() < end


def is_in_turn(run_id: int) -> bool:
    run = JobRun.objects.unfinished().filter(pk=run_id).first()
    return run is not None and next_of(run.key) == run


def run_here(run: JobRun, *, waits_for: Callable[[JobRun], None] = lambda other: None) -> Iterator[JobRun]:
    """Runs a job to its end in this process, giving its state after each step. Other jobs take their turns before and
    between, here too, and each is told to `waits_for`. Raises AlreadyRunning for one that another process took up and
    is not heard of from.
    """
    while not run.is_finished:
        turn, ticket = next_of(run.key) or run, run.ticket
        if turn != run:
            waits_for(turn)
        taken = take_step(turn.pk, turn.ticket) if turn == run else anothers_step(turn)
        run = JobRun.objects.get(pk=run.pk)
        if run.ticket != ticket or run.is_finished:
            yield run
        elif taken is None:
            if timezone.now() - turn.heartbeat_at > SILENT_AFTER:
                raise AlreadyRunning(turn)
            time.sleep(WATCHED_EVERY)
    if following := next_of(run.key):
        hand_on(following)


def anothers_step(run: JobRun) -> JobRun | None:
    """What goes wrong in it is told by that job, and ends no other."""
    try:
        return take_step(run.pk, run.ticket)
    except Exception:
        logger.exception("A step of job %s failed.", run.pk)
        return run


def take_step(run_id: int, ticket: int) -> JobRun | None:
    """One step under the job's lock; None when it is another's turn or the step has been done already."""
    if not is_in_turn(run_id):
        return None
    held, undoing = connection.connection, False
    try:
        if not begin(run_id, ticket):
            return None
        with transaction.atomic():
            run = JobRun.objects.select_for_update(skip_locked=True).filter(pk=run_id).first()
            if run is None or run.is_finished or run.ticket != ticket or not try_lock(run.key):
                return None
            undoing = run.cancel_requested
            return _stepped(run)
    except TimeoutException:
        note_timeout(run_id, ticket)
        raise
    except Exception as error:
        if connection.connection is not held:
            raise  # the database went away, though it may be back, which is no fault of the job's: it is resumed
        _fail(run_id, error, undoing=undoing)
        if isinstance(error, ArfError):
            return JobRun.objects.get(pk=run_id)
        raise


def begin(run_id: int, ticket: int) -> bool:
    """Counts before a step how often it was begun, which a killed worker cannot take back. False where it cannot begin
    now: somebody else takes this step, or holds its key, which is no try. Raises WorkersKilled.
    """
    with transaction.atomic():
        waiting = JobRun.objects.unfinished().filter(pk=run_id, ticket=ticket)
        run = waiting.select_for_update(skip_locked=True).first()
        if run is None or not try_lock(run.key):
            return False
        run.tries += 1
        run.save(update_fields=["tries"])
    if run.tries > MOST_TRIES and not run.cancel_requested:
        raise WorkersKilled(run.refusal.get("values"))
    return True


def was_given_up(run: JobRun) -> bool:
    """Whether a failed job failed since its next step never came to an end."""
    return run.tries > MOST_TRIES


def note_timeout(run_id: int, ticket: int) -> None:
    """Django-q ends a step at its limit, and begins it again later: other owners have their turns before. If that
    happens too often, the job says why.
    """
    if run := JobRun.objects.unfinished().filter(pk=run_id, ticket=ticket).first():
        late = StepTooLong(run, ticket)
        run.error, run.refusal, run.heartbeat_at = late.message, late.refusal, timezone.now()
        run.save(update_fields=["error", "refusal", "heartbeat_at"])
        logger.warning("Job %s: %s", run_id, run.error)
        if (following := next_of(run.key)) != run:
            hand_on(following)


def _stepped(run: JobRun) -> JobRun:
    job, now = job_of(run), timezone.now()
    if run.cancel_requested:
        job.undo(run)
        run.status, run.finished_at, run.message = (
            JobRun.Status.CANCELLED,
            now,
            gettext_noop("Cancelled; what was not published is dropped."),
        )
    else:
        run.started_at = run.started_at or now
        progress = job.step(run)
        run.status = JobRun.Status.DONE if progress.finished else JobRun.Status.RUNNING
        run.position, run.total, run.state = progress.position, progress.total, progress.state
        run.message = progress.message
        run.finished_at = timezone.now() if progress.finished else None
    run.ticket, run.tries, run.error, run.refusal = run.ticket + 1, 0, "", {}
    if run.is_finished:
        run.checkpoints.all().delete()
    run.heartbeat_at = timezone.now()
    run.save()
    had_its_turn(run)
    return run


def had_its_turn(run: JobRun) -> None:
    """An owner's next job waits as long as the owner's last step is ago."""
    if run.is_finished:
        of_owner(run).update(heartbeat_at=timezone.now())


def job_of(run: JobRun) -> Job:
    return import_string(settings.ARF_JOBS[run.kind])()


def _fail(run_id: int, error: Exception, *, undoing: bool) -> None:
    """The step was rolled back; the job keeps its position and can be resumed once the cause is mended. One that was
    cancelled meanwhile is undone by its next step, unless it was in `undoing` that it failed.
    """
    told = error if isinstance(error, ArfError) else unforeseen(error)
    JobRun.objects.filter(pk=run_id).update(
        status=JobRun.Status.FAILED,
        error=told.message[:4000],
        refusal=told.refusal,
        finished_at=timezone.now(),
    )
    run = JobRun.objects.get(pk=run_id)
    if run.cancel_requested and not undoing:
        resume(run)
        return
    job_of(run).failed(run)
    had_its_turn(run)
    if not isinstance(error, ArfError) and (following := next_of(run.key)):
        hand_on(following)  # an unforeseen error goes on to the queue, past `advance`


def unforeseen(error: Exception) -> ArfError:
    return ArfError(gettext_noop("%(where)s; the worker's log says more."), where=whereabouts(error))


def whereabouts(error: Exception) -> str:
    """Its kind and where it was raised: the words of an error nobody foresaw may be those of a private row."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {last.name} ({Path(last.filename).name}, line {last.lineno})"


def cancel(run: JobRun) -> None:
    """Takes effect before the next step. Whoever is at work may be gone: the workers are told whose turn it is, so that
    a cancelled job holds up no other.
    """
    JobRun.objects.filter(pk=run.pk).update(cancel_requested=True)
    run.refresh_from_db()
    if run.status == JobRun.Status.FAILED:
        resume(run)
    elif turn := next_of(run.key):
        hand_on(turn)


def resume(run: JobRun) -> None:
    """Takes a failed job up again where it stopped."""
    JobRun.objects.filter(pk=run.pk, status=JobRun.Status.FAILED).update(
        status=JobRun.Status.QUEUED,
        error="",
        refusal={},
        tries=0,
        finished_at=None,
        heartbeat_at=timezone.now(),
    )
    run.refresh_from_db()
    hand_on(run)


def resume_silent(now=None, *, silent_for: timedelta = SILENT_AFTER) -> int:
    """Queues again the steps of unfinished jobs that nobody has been heard of from; gives how many."""
    silent = JobRun.objects.silent_since((now or timezone.now()) - silent_for)
    for run in silent:
        hand_on(run)
    return len(silent)


def forget_checkpoints() -> int:
    """Deletes those of jobs that failed long ago; gives how many."""
    long_ago = timezone.now() - CHECKPOINTS_KEPT
    kept = Checkpoint.objects.filter(run__status=JobRun.Status.FAILED, run__finished_at__lt=long_ago)
    return kept.delete()[0]


def forget_runs() -> int:
    """Deletes jobs that ended long ago, but the last of each kind for each domain; gives how many rows."""
    alike = JobRun.objects.annotate(domain=KT("params__domain")).order_by().values("kind", "domain")
    last = alike.annotate(last=Max("pk")).values("last")
    ended = JobRun.objects.filter(finished_at__lt=timezone.now() - RUNS_KEPT)
    return ended.exclude(pk__in=last).delete()[0]


def hold(key: str) -> None:
    """Waits for a running step of this key, and lets none begin until the transaction ends: whoever holds it hands on
    the next turn, for the step may have been sent away.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")  # a step may take longer than a web request's statement
    lock(key)


def lock(name: str) -> None:
    """Waits for an advisory lock that is held to the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


def try_lock(name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        return cursor.fetchone()[0]
