"""Whether the server can answer: its parts one by one, without secrets."""

import tomllib
from functools import cache, lru_cache

from django.conf import settings
from django.db.models import Count
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request

from retrieval import health as found
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, answers, reply
from retrieval.api.parameters import Nothing
from retrieval.database import AWAY
from retrieval.models import Chunk, Domain, JobRun, Section


class DatabaseHealth(s.Serializer):
    answers = s.BooleanField()
    pgvector = s.CharField(allow_null=True)


class LexicalHealth(s.Serializer):
    exists = s.BooleanField()
    behind = s.IntegerField(help_text="Changes of the corpus that the index lacks.")
    current = s.BooleanField()


class EmbedderHealth(s.Serializer):
    kind = s.CharField(allow_null=True)
    fingerprint = s.CharField(allow_null=True)
    ready = s.BooleanField()


class CorpusHealth(s.Serializer):
    domain = s.CharField()
    version = s.IntegerField(allow_null=True, help_text="Null where the domain is private.")
    chunks = s.IntegerField(allow_null=True, help_text="Null where the domain is private; `domains` counts these.")


class JobsHealth(s.Serializer):
    waiting = s.IntegerField()
    running = s.IntegerField()


class PartHealth(s.Serializer):
    status = s.ChoiceField(["ok", "degraded", "failed"])
    since = s.DateTimeField(allow_null=True, help_text="When it began; null while ok.")


class PartsHealth(s.Serializer):
    """Without a database it is the only part that can be told of."""

    database = PartHealth()
    index = PartHealth(required=False)
    queue = PartHealth(required=False)
    reranker = PartHealth(required=False)
    embedder = PartHealth(required=False)
    schedules = PartHealth(required=False)
    sources = PartHealth(required=False)
    disk = PartHealth(required=False)
    log = PartHealth(required=False)


class Health(s.Serializer):
    status = s.ChoiceField(["ok", "degraded", "down"])
    version = s.CharField()
    parts = PartsHealth()
    database = DatabaseHealth()
    lexical_index = LexicalHealth(required=False)
    embedder = EmbedderHealth(required=False)
    reranker = s.ChoiceField(
        ["serving", "training", "none"], required=False, help_text="One that is not there yet degrades nothing."
    )
    corpora = CorpusHealth(many=True, required=False)
    jobs = JobsHealth(required=False)


def health(caller: Caller) -> dict:
    """`status` is ok or, where any part is not, degraded; a database that does not answer raises AWAY: see `down`."""
    database, lexical, embedder = found.database(), found.lexical_index(), found.embedder()
    parts = found.parts(lexical, embedder)
    is_well = all(part["status"] == found.OK for part in parts.values())
    return {
        "status": "ok" if is_well else "degraded",
        "version": version(),
        "parts": parts,
        "database": database,
        "lexical_index": {name: lexical[name] for name in ("exists", "behind", "current")},
        "embedder": embedder,
        "reranker": found.reranker_now(),
        "corpora": corpora(caller),
        "jobs": jobs(caller),
    }


def down() -> dict:
    return {
        "status": "down",
        "version": version(),
        "parts": found.without_database(),
        "database": {"answers": False, "pgvector": None},
    }


@cache
def version() -> str:
    with (settings.BASE_DIR / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]["version"]


def corpora(caller: Caller) -> list[dict]:
    """The caller's domains. The version of a private one would tell of others' uploads, and what the caller may read
    there would be counted at each request: it differs by caller.
    """
    return [
        {
            "domain": domain.slug,
            "version": None if domain.is_private else domain.corpus_version,
            "chunks": None if domain.is_private else public_chunks(domain.pk, domain.corpus_version),
        }
        for domain in Domain.objects.visible_to(caller)
    ]


@lru_cache(maxsize=1_000)
def public_chunks(domain: int, corpus_version: int) -> int:
    """Counted once for each version of the corpus: health is asked for often, and of a large code it takes long."""
    return Chunk.objects.filter(domain=domain, section__in=Section.objects.readable(ANONYMOUS)).count()


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
        responses={**answers(Health), 503: Health},
    )
    def get(self, request: Request) -> HttpResponse:
        """Whether the server can answer, part by part: ok, degraded or (503) down."""
        Nothing.from_url(request)
        return reply(health(caller_of(request)))

    def handle_exception(self, error: Exception) -> HttpResponse:
        if isinstance(error, AWAY):
            return reply(down(), status=503)
        return super().handle_exception(error)
