"""HNSW indexes over the vectors of large public domains, one for each domain and embedding model.

An index is made once a domain has grown large and nothing comes into it, by a process of its own that takes as long as
it takes and keeps neither searches nor ingestion waiting; PostgreSQL keeps it up to date. To enter vectors one by one
takes several times as long as to make the index of all, so a body of law that is being loaded has none until it is
through, or a day has passed, and is compared one by one. Only texts that are in force are in it: staged, closed and
private vectors are not.
"""

import logging
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, OperationalError, connection, transaction
from django.utils import timezone

from retrieval import jobs
from retrieval.corpus import statements
from retrieval.errors import ArfError, gettext_noop
from retrieval.jobs import Job, Progress
from retrieval.models import ChunkVector, Domain, EmbeddingModel, JobRun

logger = logging.getLogger(__name__)

Lacking = tuple[EmbeddingModel, Domain]
LARGE = 10_000  # chunks of a domain; fewer are compared one by one in at most 7 ms, as long as an index takes
LINKS, BREADTH = 32, 400  # m and ef_construction: the usual 16 and 64 lose a tenth of the nearest of 300,000
MOST_DIMENSIONS = 4_000  # of a halfvec that pgvector indexes
PATIENCE = "2s"  # for a lock on the table, behind which searches would have to wait
LOOKED_AFTER = 2.0  # seconds that a step of the job waits before it tells how far the builder is
MOST_STARTS = 3  # of a builder that ends without an index
QUIET = timedelta(minutes=5)  # after the last texts came: titles are often loaded one after another
LONGEST = timedelta(days=1)  # that an index is put off where texts never cease to come
PAUSE = timedelta(hours=1)  # between two of them, in which the clock has looked and had it made
RESTS = timedelta(days=1)  # until what failed, or somebody cancelled, is ordered again
KEY = "vectors"  # of the job, which keeps no other waiting
BUILDER = "builder of vector indexes"  # the advisory lock of whoever builds: one on all nodes

NAMES = """
SELECT indexname FROM pg_indexes WHERE tablename = 'retrieval_chunkvector' AND starts_with(indexname, 'vector_hnsw_')
"""
VALID = "SELECT coalesce((SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)), false)"
IS_BUILT = "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted" + (
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND (classid::bigint << 32 | objid::bigint) = hashtextextended(%s, 0)"
)
PHASE = """
SELECT phase, coalesce(100 * tuples_done / nullif(tuples_total, 0), 100 * blocks_done / nullif(blocks_total, 0), 0)
FROM pg_stat_progress_create_index WHERE relid = 'retrieval_chunkvector'::regclass
"""


class IndexVectors(Job):
    """Has the missing indexes made by `manage.py index_vectors` in a process of its own, and tells how far it is.
    Searches compare one by one meanwhile.
    """

    def step(self, run: JobRun) -> Progress:
        if ready_to_build() or is_being_built():
            return build_step(run)
        told = "What is left is made once nothing comes into it" if missing() else "Every large domain is indexed"
        return Progress(run.total, run.total, told, finished=True)


def order_missing() -> None:
    """What the clock runs: orders the indexes that domains have come to need."""
    due = ready_to_build()
    last = JobRun.objects.filter(kind="index_vectors").order_by("-pk").first() if due else None
    if due and not (last and (not last.is_finished or rests(last, due))):
        jobs.enqueue(**request(), queues=True)


def rests(last: JobRun, due: Iterable[Lacking]) -> bool:
    """Whether the last job failed at these indexes, or was cancelled, not long ago."""
    ended_badly = last.status in (JobRun.Status.FAILED, JobRun.Status.CANCELLED)
    tried = last.state.get("waiting")  # of one that ended before its first step it is not known
    return (
        ended_badly
        and last.finished_at > timezone.now() - RESTS
        and (tried is None or names_of(due) <= {*tried})
    )


def request() -> dict:
    return {"kind": "index_vectors", "key": KEY}


def build_step(run: JobRun, *models: EmbeddingModel) -> Progress:
    """Sees to it that a builder is at work on what these models lack. Raises ArfError for one that ends without an
    index again and again.
    """
    waiting = sorted(names_of(missing(*models) if models else ready_to_build()))
    starts = run.state["starts"] if run.state.get("waiting") == waiting else 0
    if not is_being_built():
        if starts == MOST_STARTS:
            raise ArfError(
                gettext_noop("The index was begun %(starts)s times and not made: see %(log)s."),
                starts=starts,
                log=log_of_builder(),
            )
        start_builder(*models)
        starts += 1
    time.sleep(LOOKED_AFTER)
    share, phase = how_far()
    state = run.state | {"waiting": waiting, "starts": starts}
    return Progress(run.position, run.total, f"{len(waiting)} indexes of vectors to make; {phase}: {share} %", state)


def names_of(lacking: Iterable[Lacking]) -> set[str]:
    return {name_of(model.pk, domain.pk) for model, domain in lacking}


def name_of(model: int, domain: int) -> str:
    return f"vector_hnsw_{model}_{domain}"


def exists(model: int, domain: int) -> bool:
    """Whether it can be read: not one that is being built, or whose builder was killed."""
    [(found,)] = statements.rows(VALID, [name_of(model, domain)])
    return found


def missing(*models: EmbeddingModel) -> list[Lacking]:
    """Indexes that large public domains lack, for these embedding models; for the one in use if none is named."""
    asked = models or tuple(EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE))
    public = Domain.objects.exclude(visibility=Domain.Visibility.PRIVATE)
    return [
        (model, domain)
        for domain in public
        for model in asked
        if model.dims <= MOST_DIMENSIONS and not exists(model.pk, domain.pk) and is_large(model, domain)
    ]


def ready_to_build() -> list[Lacking]:
    """Those of the model in use that nothing comes into, nor came into a moment ago, or something has for a day."""
    coming = {slug for slug in jobs.coming_in(QUIET) if not comes_without_end(slug)}
    return [(model, domain) for model, domain in missing() if domain.slug not in coming]


def comes_without_end(slug: str) -> bool:
    """Whether texts have been coming into a domain for too long without a pause, as where people hand in files all the
    time.
    """
    began = now = timezone.now()
    runs = JobRun.objects.filter(key=jobs.CORPUS, params__domain=slug).order_by("-pk")
    for started, finished in runs.values_list("started_at", "finished_at").iterator(chunk_size=200):
        if now - began >= LONGEST or (finished and finished < began - PAUSE):
            break
        began = min(began, started or began)
    return now - began >= LONGEST


def is_large(model: EmbeddingModel, domain: Domain) -> bool:
    vectors = ChunkVector.objects.live().in_force().filter(model=model, domain=domain, private=False)
    return vectors.order_by()[: LARGE + 1].count() > LARGE


def make(model: EmbeddingModel, domain: Domain, *, concurrently: bool = False) -> None:
    """Searches go on meanwhile; writers of vectors wait, unless it is made `concurrently`, which takes longer and is no
    part of a transaction.
    """
    name = name_of(model.pk, domain.pk)
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE INDEX {'CONCURRENTLY' if concurrently else ''} {name} ON retrieval_chunkvector "
            f"USING hnsw ((vector::halfvec({model.dims})) halfvec_cosine_ops) "
            f"WITH (m = {LINKS}, ef_construction = {BREADTH}) "
            f"WHERE model_id = {model.pk} AND domain_id = {domain.pk} AND NOT private AND live AND valid_to IS NULL"
        )


def build_missing(*models: EmbeddingModel, only_ready: bool = False) -> Iterator[str]:
    """Makes them one after the other, outside of any transaction, telling which. Raises ArfError while another process
    does, and once all were tried the DatabaseError of the last that cannot be made.
    """
    problem = None
    with alone():
        for model, domain in ready_to_build() if only_ready else missing(*models):
            yield f"{domain.name} for {model.name}"
            try:
                drop_half_made(model, domain)
                make(model, domain, concurrently=True)
            except DatabaseError as of_this:
                problem = of_this
                logger.error("The index of %s for %s cannot be made: %s", domain.name, model.name, of_this)
                drop_half_made(model, domain)
    if problem:
        raise problem


def drop_half_made(model: EmbeddingModel, domain: Domain) -> None:
    """What a builder that was killed, or could not go on, left of an index."""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name_of(model.pk, domain.pk)}")


@contextmanager
def alone() -> Iterator[None]:
    """Holds the builder's lock as long as this connection lives."""
    [(got,)] = statements.rows("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [BUILDER])
    if not got:
        raise ArfError(gettext_noop("Another process makes the indexes of vectors already."))
    try:
        yield
    finally:
        statements.rows("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [BUILDER])


def is_being_built() -> bool:
    [(found,)] = statements.rows(IS_BUILT, [BUILDER])
    return found


def how_far() -> tuple[int, str]:
    """How much of the index is made, in percent of its phase, and what is being done."""
    found = statements.rows(PHASE)
    return (int(found[0][1]), found[0][0]) if found else (0, "about to begin")


def log_of_builder() -> Path:
    return settings.VAR_DIR / "log" / "index_vectors.log"


def start_builder(*models: EmbeddingModel) -> None:
    """It ends with this process's group, as everything that the supervisor starts."""
    log_of_builder().parent.mkdir(parents=True, exist_ok=True)  # in a container there may be none
    with log_of_builder().open("ab") as log:
        subprocess.Popen(
            [sys.executable, "manage.py", "index_vectors", *([str(model.pk) for model in models] or ["--settled"])],
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def drop_unused() -> bool:
    """Drops the indexes of deleted and retired models. False if there is none, or if another reader of the table, as a
    backup, holds its lock.
    """
    serving = EmbeddingModel.objects.exclude(status=EmbeddingModel.Status.RETIRED)
    kept = {f"vector_hnsw_{model}" for model in serving.values_list("pk", flat=True)}
    unused = [name for (name,) in statements.rows(NAMES) if name.rpartition("_")[0] not in kept]
    if not unused:
        return False
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{PATIENCE}'")
            cursor.execute(f"DROP INDEX {', '.join(unused)}")
            cursor.execute("SET LOCAL lock_timeout TO DEFAULT")
    except OperationalError:
        return False
    return True
