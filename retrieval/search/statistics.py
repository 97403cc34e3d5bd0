"""Figures of the running server for its front page: searches, corpora, jobs, parts that are missing."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db.models import Aggregate, Avg, Count, FloatField, Q
from django.utils import timezone

from retrieval.engines import loaded
from retrieval.indexes.lexical_sync import behind
from retrieval.models import Chunk, Domain, EmbeddingModel, JobRun, SearchLog, Section
from retrieval.models.log import READERS


class Percentile(Aggregate):
    """The value below which the given share of the rows lies."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


@dataclass(frozen=True, slots=True)
class Searches:
    """Readers' searches since a moment; times in ms, None where there were none."""

    count: int
    cached: int
    abstained: int
    ran: int  # not from the cache
    corrected: int
    mean_ms: float | None
    p50: float | None
    p95: float | None

    @property
    def cached_percent(self) -> float:
        return 100 * self.cached / self.count if self.count else 0.0

    @property
    def corrected_percent(self) -> float:
        return 100 * self.corrected / self.ran if self.ran else 0.0

    @property
    def abstained_percent(self) -> float:
        return 100 * self.abstained / self.count if self.count else 0.0


@dataclass(frozen=True, slots=True)
class Corpus:
    """What of one domain is published."""

    domain: Domain
    sections: int
    chunks: int


def searches_since(moment: datetime, among: Q = Q()) -> Searches:
    ran = Q(cached=False)
    return Searches(
        **SearchLog.objects.filter(among, created_at__gte=moment, channel__in=READERS).aggregate(
            # Fields before figures that have their names.
            ran=Count("pk", filter=ran),
            mean_ms=Avg("took_ms"),
            corrected=Count("pk", filter=ran & ~Q(corrected=[])),
            count=Count("pk"),
            cached=Count("pk", filter=Q(cached=True)),
            abstained=Count("pk", filter=Q(abstained=True)),
            p50=Percentile("took_ms", share=0.5),
            p95=Percentile("took_ms", share=0.95),
        )
    )


_counted: dict[int, tuple[tuple[int, date], tuple[int, int]]] = {}  # public law: at which version and day, and what


def corpora() -> list[Corpus]:
    """Public law is counted once a day for each version of the corpus, as of a large code it takes long. What is
    private is counted each time: it differs by who asks.
    """
    domains = list(Domain.objects.all())
    now = {one.pk: (one.corpus_version, timezone.localdate()) for one in domains if not one.is_private}
    known = {domain: counted for domain, (at, counted) in list(_counted.items()) if now.get(domain) == at}
    new = counts([domain.pk for domain in domains if domain.pk not in known])
    _counted.update({domain: (now[domain], new[domain]) for domain in new.keys() & now.keys()})
    return [Corpus(domain, *(known | new)[domain.pk]) for domain in domains]


def counts(domains: Sequence[int]) -> dict[int, tuple[int, int]]:
    """How many current sections and how many chunks of each domain whoever asks may read."""
    sections, chunks = (
        dict(rows.filter(domain__in=domains).order_by().values_list("domain").annotate(Count("pk")))
        for rows in (Section.objects.live().in_force(), Chunk.objects)
    )
    return {domain: (sections.get(domain, 0), chunks.get(domain, 0)) for domain in domains}


def unfinished_jobs() -> list[JobRun]:
    return list(JobRun.objects.unfinished().order_by("created_at")[:10])


def failing_processes() -> dict[str, dict]:
    """The processes of this machine that keep ending, each with `since` and `why`: see the supervisor's FAILING."""
    try:
        failing = json.loads((settings.VAR_DIR / "log" / "failing.json").read_text())
    except (OSError, ValueError):
        return {}
    return {name: said | {"since": datetime.fromisoformat(said["since"])} for name, said in failing.items()}


def index_lag() -> int:
    """Changes of the corpus that this node's lexical index lacks."""
    return behind(loaded.lexical_index().position)


def missing_parts(now: datetime | None = None) -> list[str]:
    """Parts that searches do without: those not set up, and stages that failed within a day."""
    parts = []
    if loaded.lexical_index().problem:
        parts.append("lexical index")
    if not EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).exists():
        parts.append("embeddings")
    if loaded.apertium() is None:
        parts.append("Apertium")
    since = (now or timezone.now()) - timedelta(days=1)
    failed = SearchLog.objects.filter(created_at__gte=since).exclude(degraded=[])
    return parts + sorted(
        {stage for stages in failed.values_list("degraded", flat=True)[:1000] for stage in stages}
    )
