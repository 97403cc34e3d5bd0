"""How the parts of a node are and since when, without a word of what they hold. An absent database raises AWAY."""

import logging
import socket
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Count, Max, Min
from django.utils import timezone
from django_q.models import Schedule, Task

from retrieval.corpus.statements import rows
from retrieval.database import has_room
from retrieval.engines import loaded
from retrieval.errors import NotRun
from retrieval.models import EmbeddingModel, IndexChange, JobRun, Trouble, Version
from retrieval.ranking import Query
from retrieval.search.afterwards import failing_since
from retrieval.search.statistics import failing_processes
from retrieval.stages.reranker.reranker import failed_training, serving

logger = logging.getLogger(__name__)

OK, DEGRADED, FAILED = "ok", "degraded", "failed"
LATE = timedelta(minutes=1)  # a change this old should long be in the index: its writer is not running
SILENT = timedelta(
    minutes=5
)  # of a queue that has something to do every minute, and steps of two minutes at most
OVERDUE = timedelta(minutes=10)  # for a schedule: the queue looks every half minute
EVERY_MINUTE = "retrieval.jobs.resume_silent"  # what shows that the queue works
OF_A_NODE = {"index", "embedder", "disk", "log"}  # parts that each machine has its own of


class Found(NamedTuple):
    """How a part is, and since when where that can be told."""

    status: str = OK
    since: datetime | None = None


def parts(lexical: Mapping, embedding: Mapping) -> dict[str, dict]:
    """Each part's status and, unless it is well, since when; `lexical` and `embedding` as told below."""
    failing = {name: said["since"] for name, said in failing_processes().items()}
    found = {
        "database": Found(),
        "index": index(lexical, failing.get("lexical-writer")),
        "queue": queue(failing.get("worker")),
        "reranker": reranker(),
        "embedder": Found(OK if embedding["ready"] else FAILED),
        "schedules": schedules(),
        "sources": sources(),
        "disk": Found(OK if has_room() else DEGRADED),
        "log": log(failing_since()),
    }
    since = remembered(found)
    return {part: {"status": found[part].status, "since": since.get(part)} for part in found}


def remembered(found: Mapping[str, Found]) -> dict[str, datetime]:
    """Since when each part is not well. What cannot be told from its rows is noted when it is first seen."""
    names = {part: f"{part} {socket.gethostname()}" if part in OF_A_NODE else part for part in found}
    kept = dict(Trouble.objects.values_list("part", "since"))
    since = {}
    for part, (status, began) in found.items():
        if status != OK:
            since[part] = began or kept.get(names[part]) or noted(names[part])
        elif names[part] in kept:
            Trouble.objects.filter(part=names[part]).delete()
    return since


def noted(part: str) -> datetime:
    try:
        with transaction.atomic():
            return Trouble.objects.get_or_create(part=part)[0].since
    except DatabaseError as problem:
        logger.warning("It cannot be kept since when there is trouble: %s", type(problem).__name__)
        return timezone.now()


# -- The parts


def database() -> dict:
    versions = [version for (version,) in rows("SELECT extversion FROM pg_extension WHERE extname = 'vector'")]
    absent_since().unlink(missing_ok=True)
    return {"answers": True, "pgvector": next(iter(versions), None)}


def database_since() -> datetime:
    """When it was started: before, nothing could be done, and nothing was missed."""
    return rows("SELECT pg_postmaster_start_time()")[0][0]


def without_database() -> dict[str, dict]:
    """That part alone. What cannot be kept in the database is kept in a file of this machine."""
    file, since = absent_since(), timezone.now()
    with suppress(OSError):
        file.touch(exist_ok=False)
    with suppress(OSError):
        since = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    return {"database": {"status": FAILED, "since": since}}


def absent_since() -> Path:
    return settings.VAR_DIR / "database-absent"


def lexical_index() -> dict:
    """`behind`: changes of the corpus that this machine's index lacks; `oldest`: when the first of them was made."""
    own = loaded.lexical_index()
    last = IndexChange.objects.aggregate(last=Max("pk"))["last"] or 0
    missed = IndexChange.objects.filter(pk__gt=own.position).aggregate(
        count=Count("pk"), oldest=Min("created_at")
    )
    late = missed["oldest"] is not None and missed["oldest"] < timezone.now() - LATE
    works = not own.problem and own.position <= last
    return {
        "exists": own.exists,
        "works": works,
        "behind": missed["count"],
        "oldest": missed["oldest"],
        "current": works and not late,
    }


def index(lexical: Mapping, failing: datetime | None) -> Found:
    """`failing`: since when the process that follows the corpus keeps ending."""
    if not lexical["works"]:
        return Found(FAILED)
    began = None if lexical["current"] else lexical["oldest"]
    return Found(DEGRADED, began or failing) if began or failing else Found()


def embedder() -> dict:
    """`ready`: it loads, and its fingerprint is that of the stored vectors."""
    row = EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).first()
    if row is None:
        return {"kind": None, "fingerprint": None, "ready": False}
    try:
        loaded.active_embedder()
        ready = True
    except NotRun:
        ready = False
    return {"kind": row.spec.get("kind"), "fingerprint": row.fingerprint, "ready": ready}


def queue(failing: datetime | None) -> Found:
    """Whether the workers do what they are given every minute. Where none was ever started, nothing is missed.
    `failing`: since when their process keeps ending. Of a clock that was ahead the past is in the future.
    """
    if failing:
        return Found(FAILED, failing)
    now = timezone.now()
    planned = Schedule.objects.filter(func=EVERY_MINUTE).values_list("next_run", flat=True).first()
    if planned is None:
        return Found()
    done = Task.objects.filter(func=EVERY_MINUTE, stopped__lte=now).aggregate(last=Max("stopped"))["last"]
    if planned > now + SILENT:
        return Found(FAILED, done)
    last = done or planned
    return Found(FAILED, last) if max(last, database_since()) < now - SILENT else Found()


def reranker() -> Found:
    """Whether the one in force can be loaded, and the last training came to its end."""
    failed = failed_training()
    try:
        load_reranker()
    except NotRun as problem:
        return Found(FAILED, failed) if problem.degrades else Found()
    return Found(DEGRADED, failed) if failed else Found()


def reranker_now() -> str:
    """`serving`, `training` where none serves and one is made that may, or `none`."""
    try:
        load_reranker()
    except NotRun:
        trainings = JobRun.objects.unfinished().filter(kind="retrain").exclude(params__contains={"dry_run": True})
        return "training" if trainings.exists() else "none"
    return "serving"


def load_reranker() -> None:
    """Raises NotRun without one."""
    version = Version.objects.filter(name="model").values_list("number", flat=True).first() or 0
    serving(Query("", "", "", "en", (), versions={"model": version}))


def schedules() -> Found:
    """Whether each was begun in time and ended well when it last ran."""
    now = timezone.now()
    late = now - OVERDUE
    overdue = Schedule.objects.exclude(repeats=0).filter(next_run__lt=late)
    if database_since() > late:
        overdue = overdue.none()
    ended = Task.objects.filter(func__in=Schedule.objects.values("func"), stopped__lte=now)
    last = ended.order_by("func", "-stopped").distinct("func")
    planned = {schedule.func: schedule for schedule in Schedule.objects.all()}
    failed = (task for task in last if not task.success and is_latest(task, planned[task.func]))
    moments = (overdue.aggregate(first=Min("next_run"))["first"], *(task.stopped for task in failed))
    began = min(filter(None, moments), default=None)
    return Found(DEGRADED, began) if began else Found()


def is_latest(task: Task, schedule: Schedule) -> bool:
    """Whether no other run was planned since, of which no row may be left, for longer than one may take."""
    return schedule.next_run <= schedule.calculate_next_run(task.stopped + OVERDUE)


def sources() -> Found:
    """Whether each domain's last fetch from its publisher, dry runs apart, came to its end."""
    ended = [JobRun.Status.DONE, JobRun.Status.FAILED]
    fetches = JobRun.objects.that_read_law().filter(kind="fetch", status__in=ended)
    last = fetches.order_by("params__domain", "-created_at").distinct("params__domain")
    failed = [run.finished_at for run in last if run.status == JobRun.Status.FAILED]
    return Found(DEGRADED, min(failed)) if failed else Found()


def log(failing: datetime | None) -> Found:
    """`failing`: since when this machine does not keep what searches leave: log, trace, answers."""
    return Found(DEGRADED, failing) if failing else Found()
