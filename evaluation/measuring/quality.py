"""Figures of quality over time: runs by topic set and slice with what changed between them, and what serving costs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Avg, Count, Exists, OuterRef, QuerySet, Sum
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from evaluation.measuring.ablation import NAME as ABLATION
from evaluation.measuring.groups import of_all
from evaluation.measuring.measures import Estimate, estimate, paired_difference
from evaluation.measuring.plots import line
from evaluation.measuring.runs import EVERYWHERE, values_of
from evaluation.models import Judgment, Run, Topic
from retrieval.models import LLMCall, SearchLog
from retrieval.models.log import READERS
from retrieval.search.statistics import Searches, searches_since

DAYS = 30
MOST_RUNS = 40  # of one topic set and pipeline: what a plot can show
DECIDES = "nDCG@10"
VOLUMES = (1_000, 10_000, 100_000, 1_000_000)  # questions whose cost is told
FLAT, HIERARCHY = "learned", "gathered"  # pipelines: the second puts together what stands together in the law
BROAD = "R@20"  # what hierarchy is for: of a whole subject more is found
POOL = 20  # candidates of a search that a language model could be asked about


@dataclass(frozen=True, slots=True)
class Point:
    """One run in a series, and what had changed since the one before: ("aliases", 3, 4)."""

    run: Run
    value: float
    low: float
    high: float
    judged: float | None
    slices: dict[str, float]
    changed: tuple[tuple[str, object, object], ...]

    @property
    def degraded(self) -> dict[str, int]:
        """In how many topics each stage that failed did not do its part."""
        return self.run.summary.get("degraded", {})


@dataclass(frozen=True, slots=True)
class Series:
    """Runs of one pipeline on one topic set, oldest first."""

    topics: str
    pipeline: str
    points: tuple[Point, ...]

    @property
    def plot(self) -> str:
        """A line where there are two points at least."""
        if len(self.points) < 2:
            return ""
        labels = [f"{point.run.created_at:%Y-%m-%d}" for point in self.points]
        return line(f"{DECIDES}: {self.pipeline}, {self.topics}", labels, [p.value for p in self.points])

    @property
    def slices(self) -> list[str]:
        return sorted({name for point in self.points for name in point.slices})

    @property
    def rows(self) -> list[tuple[Point, list[float | None]]]:
        """Newest first, each with its slices in the order of `slices`."""
        return [(point, [point.slices.get(name) for name in self.slices]) for point in reversed(self.points)]


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The last runs with and without hierarchy on the same topics, compared by `BROAD`, topic by topic."""

    run: Run
    topics: int
    flat: Estimate
    hierarchy: Estimate
    gain: Estimate


@dataclass(frozen=True, slots=True)
class Serving:
    """Searches of the last days and what language models did for them: `llm_percent` of their candidates were put to
    one, for `cost_per_1000` in US dollars. `strategies`: the percentage of searches that each is best for.
    """

    searches: Searches
    strategies: tuple[tuple[str, float], ...]
    llm_calls: int
    llm_percent: float | None
    cost_per_1000: float | None

    @property
    def volumes(self) -> list[tuple[int, float, float]]:
        """Questions, hours that searching them takes by one after another, and US dollars for language models, if all
        were as those of the last days. Without a model they cost nothing but the hours.
        """
        hour_s, dollars = (self.searches.mean_ms or 0.0) / 3_600_000, (self.cost_per_1000 or 0.0) / 1000
        return [(count, count * hour_s, count * dollars) for count in VOLUMES]

    @property
    def cost_plot(self) -> str:
        """Empty where no language model cost anything."""
        if not self.cost_per_1000:
            return ""
        title = _("Cost of language models by questions, US dollars")
        names = [number_format(count, force_grouping=True) for count in VOLUMES]
        return line(title, names, [cost for _count, _hours, cost in self.volumes])


def series() -> list[Series]:
    """Every pair of topic set and pipeline, the one measured last first. Ablations have a page of their own."""
    grouped: dict[tuple[str, str], list[Run]] = {}
    for run in Run.objects.exclude(name__startswith=f"{ABLATION} ").order_by("created_at"):
        if run.summary.get("measures", {}).get(DECIDES):
            grouped.setdefault((run.topics, run.pipeline), []).append(run)
    found = [Series(*key, points_of(same[-MOST_RUNS:])) for key, same in grouped.items()]
    return sorted(found, key=lambda one: one.points[-1].run.created_at, reverse=True)


def points_of(runs: Sequence[Run]) -> tuple[Point, ...]:
    return tuple(point(run, before) for run, before in zip(runs, [None, *runs[:-1]], strict=True))


def point(run: Run, before: Run | None) -> Point:
    told = run.summary["measures"][DECIDES]
    slices = {name: values[DECIDES] for name, values in run.summary.get("by_kind", {}).items()}
    if run.topics.endswith(EVERYWHERE) and (told_of_all := of_all(run.summary.get("groups", {}))):
        slices[_("right body first")] = told_of_all["right_body"]
    judged = run.summary.get("judged_at_10", {}).get("mean")
    changed = () if before is None else differences(run, before)
    return Point(run, told["mean"], told["low"], told["high"], judged, slices, changed)


def differences(run: Run, before: Run) -> tuple[tuple[str, object, object], ...]:
    """(name, before, after) of every version that is another, and of the stages."""
    names = sorted(run.versions.keys() | before.versions.keys())
    rows = [(name, before.versions.get(name), run.versions.get(name)) for name in names]
    rows.append((_("stages"), before.stages, run.stages))
    return tuple((name, old, new) for name, old, new in rows if old != new)


def hierarchy() -> Hierarchy | None:
    """None where no topic set was run by both pipelines."""
    both = Run.objects.filter(pipeline=FLAT).values("topics")
    run = Run.objects.filter(pipeline=HIERARCHY, topics__in=both).order_by("-created_at").first()
    if run is None:
        return None
    beside = Run.objects.filter(pipeline=FLAT, topics=run.topics).order_by("-created_at")[0]
    ours, theirs = values_of(run, BROAD), values_of(beside, BROAD)
    pairs = [(ours[topic], theirs[topic]) for topic in sorted(ours.keys() & theirs.keys())]
    if not pairs:
        return None
    gathered, flat = zip(*pairs, strict=True)
    return Hierarchy(run, len(pairs), estimate(flat), estimate(gathered), paired_difference(gathered, flat))


def serving() -> Serving:
    since = timezone.now() - timedelta(days=DAYS)
    searches = searches_since(since)
    asked = SearchLog.objects.filter(created_at__gte=since, channel__in=READERS)
    calls = LLMCall.objects.filter(created_at__gte=since, log__in=asked.values("pk"))
    told = calls.aggregate(calls=Count("pk"), cost=Sum("cost"))
    cost = float(told["cost"] or 0)
    ran = searches.ran
    return Serving(
        searches=searches,
        strategies=strategy_shares(since),
        llm_calls=told["calls"],
        llm_percent=100 * told["calls"] / (POOL * ran) if ran else None,
        cost_per_1000=1000 * cost / searches.count if searches.count else None,
    )


def strategy_shares(since: datetime) -> tuple[tuple[str, float], ...]:
    """The most frequent first, of the searches that ran."""
    ran = SearchLog.objects.filter(created_at__gte=since, channel__in=READERS, cached=False)
    known = ran.exclude(strategy="").order_by()
    counts = Counter(dict(known.values_list("strategy").annotate(Count("pk"))))
    return tuple((name, 100 * count / counts.total()) for name, count in counts.most_common())


def latencies() -> str:
    """A line of each day's mean time to answer; empty where fewer than two days had searches."""
    since = timezone.now() - timedelta(days=DAYS)
    rows = SearchLog.objects.filter(created_at__gte=since, channel__in=READERS).order_by("created_at__date")
    means = list(rows.values_list("created_at__date").annotate(mean=Avg("took_ms")))
    if len(means) < 2:
        return ""
    return line(
        _("Mean time to answer, ms"), [f"{day:%m-%d}" for day, _mean in means], [m for _day, m in means]
    )


def unjudged(topics: QuerySet[Topic]) -> tuple[int, Topic | None]:
    """How many of these topics have no person's judgment, and the one that waits longest."""
    judged = Judgment.objects.filter(topic=OuterRef("pk"), kind=Judgment.Kind.HUMAN)
    waiting = topics.filter(~Exists(judged), answerable=True).order_by("created_at")
    return waiting.count(), waiting.first()
