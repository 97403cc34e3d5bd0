"""Whether the server can answer: its parts one by one, without secrets."""

import tomllib
from datetime import timedelta
from functools import cache, lru_cache

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.db.models import Count, Max, Min
from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, answers, reply
from retrieval.api.parameters import Nothing
from retrieval.api.serializers import Health
from retrieval.engines import loaded
from retrieval.errors import NotRun
from retrieval.models import Chunk, Domain, EmbeddingModel, IndexChange, JobRun, Section

LATE = timedelta(minutes=1)  # a change this old should long be in the index: its writer is not running


def health(caller: Caller) -> dict:
    """`status` is ok or degraded; a database that does not answer raises OperationalError: see `down`."""
    parts = {
        "database": database(),
        "lexical_index": lexical_index(),
        "embedder": embedder(),
        "corpora": corpora(caller),
        "jobs": jobs(caller),
    }
    works = parts["lexical_index"]["current"] and parts["embedder"]["ready"]
    return {"status": "ok" if works else "degraded", "version": version(), **parts}


def down() -> dict:
    return {"status": "down", "version": version(), "database": {"answers": False, "pgvector": None}}


@cache
def version() -> str:
    with (settings.BASE_DIR / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]["version"]


def database() -> dict:
    with connection.cursor() as cursor:
        cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        row = cursor.fetchone()
    return {"answers": True, "pgvector": row[0] if row else None}


def lexical_index() -> dict:
    """`behind`: changes of the corpus that this machine's index lacks."""
    index = loaded.lexical_index()
    last = IndexChange.objects.aggregate(last=Max("pk"))["last"] or 0
    missed = IndexChange.objects.filter(pk__gt=index.position).aggregate(
        count=Count("pk"), oldest=Min("created_at")
    )
    late = missed["oldest"] is not None and missed["oldest"] < timezone.now() - LATE
    current = index.exists and index.position <= last and not late
    return {"exists": index.exists, "behind": missed["count"], "current": current}


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


def corpora(caller: Caller) -> list[dict]:
    """The caller's domains, with the chunks that the caller may read. The version of a private one would tell of
    others' uploads.
    """
    return [
        {
            "domain": domain.slug,
            "version": None if domain.is_private else domain.corpus_version,
            "chunks": chunks_in(domain, caller),
        }
        for domain in Domain.objects.visible_to(caller)
    ]


def chunks_in(domain: Domain, caller: Caller) -> int:
    if domain.is_private:
        return count(domain.pk, caller)
    return public_chunks(domain.pk, domain.corpus_version)


@lru_cache(maxsize=1_000)
def public_chunks(domain: int, corpus_version: int) -> int:
    """Counted once for each version of the corpus: health is asked for often, and of a large code it takes long."""
    return count(domain, ANONYMOUS)


def count(domain: int, caller: Caller) -> int:
    return Chunk.objects.filter(domain=domain, section__in=Section.objects.readable(caller)).count()


def jobs(caller: Caller) -> dict:
    """The caller's own files that wait or are being read."""
    counts = dict(
        JobRun.objects.unfinished()
        .filter(upload__principal__in=caller.principals)
        .order_by()
        .values("status")
        .annotate(n=Count("pk"))
        .values_list("status", "n")
    )
    return {"waiting": counts.get(JobRun.Status.QUEUED, 0), "running": counts.get(JobRun.Status.RUNNING, 0)}


class HealthView(ApiView):
    @extend_schema(
        operation_id="health",
        responses={**answers(Health, 401, 429), 503: Health},
    )
    def get(self, request: Request) -> HttpResponse:
        """Whether the server can answer, part by part: ok, degraded or (503) down."""
        Nothing.from_url(request)
        return reply(health(caller_of(request)))

    def handle_exception(self, error: Exception) -> HttpResponse:
        if isinstance(error, OperationalError | InterfaceError):
            return reply(down(), status=503)
        return super().handle_exception(error)
