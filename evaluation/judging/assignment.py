"""Which provisions of a topic are judged: what the pooled pipelines find first, and what was judged before; and which
pair a judge grades next.

A judge is blind: each gets a topic's pool in an order of their own, without rank, score or others' grades.
"""

import hashlib
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db.models import Count

from evaluation.judging.grading import WAITING, far_apart
from evaluation.judging.visibility import humans, own_judgments, readable_sections, topics_for
from evaluation.measuring.runs import Runner, stated_language
from evaluation.models import Judgment, Measurement, Run, Topic
from evaluation.topics.topic import SEARCHED
from retrieval.access.caller import Caller
from retrieval.engines import loaded
from retrieval.models import Trace
from retrieval.models.access import caller_for
from retrieval.ranking import UNCERTAIN, Candidate, Ranking
from rules.thresholds.stages import VERIFY

POOLED = ("default", "dense", "lexical")  # pipelines whose first candidates are judged
DEPTH = 20  # of each pipeline
FIRST = 10  # what a first page shows; judged@10 counts these
LOOKED_AT = 50  # topics weighed for one next pair; the rest have their turn when these are done


@dataclass(frozen=True, slots=True)
class Pair:
    """What is judged next. `why` is for accounts and tests, never for the judge."""

    topic: Topic
    locator: str
    why: str


@dataclass(frozen=True, slots=True)
class JudgingPool:
    """Locators to judge for one topic, best first as pipelines found them, with the chunk each was found by."""

    locators: tuple[str, ...]
    first: frozenset[str]  # the default pipeline's first page
    chunks: Mapping[str, int]
    translated: str | None = None

    def shuffled(self, topic: Topic, user: AbstractUser) -> list[str]:
        """The judge's own order of this topic, the same at every visit."""
        order = random.Random(f"{topic.name} {user.pk}")
        return order.sample(sorted(self.locators), len(self.locators))


def pool(topic: Topic, caller: Caller) -> JudgingPool:
    """The first twenty of each pooled pipeline as this judge may see them, and what was judged before."""
    domains = (topic.domain.slug,)
    _scopes, in_force = Runner(caller=caller).in_force(domains)
    state = tuple(sorted((in_force | {"lexical": loaded.lexical_index().position}).items()))
    found = _found(topic.query, domains, stated_language(topic.language), caller, state)
    judged = topic.judgments.exclude(kind=Judgment.Kind.CLICK).values_list("locator", flat=True)
    wanted = dict.fromkeys([*found.locators, *judged.order_by("locator")])
    readable = readable_sections(topic, wanted, caller)
    return JudgingPool(
        tuple(locator for locator in wanted if locator in readable),
        found.first & readable.keys(),
        found.chunks,
        found.translated,
    )


@lru_cache(maxsize=256)
def _found(
    text: str,
    domains: tuple[str, ...],
    language: str | None,
    caller: Caller,
    state: tuple[tuple[str, int], ...],
) -> JudgingPool:
    """What the pooled pipelines find in this state of the corpus: computed once for a topic that is being judged."""
    rankings = [Runner(name, caller=caller).ranking(text, domains, language) for name in POOLED]
    candidates = [candidate for ranking in rankings for candidate in ranked(ranking)[:DEPTH]]
    chunks: dict[str, int] = {}
    for candidate in candidates:
        if candidate.chunk_id:
            chunks.setdefault(candidate.locator, candidate.chunk_id)
    return JudgingPool(
        locators=tuple(dict.fromkeys(candidate.locator for candidate in candidates)),
        first=frozenset(candidate.locator for candidate in ranked(rankings[0])[:FIRST]),
        chunks=chunks,
        translated=rankings[0].query.translated,
    )


def ranked(ranking: Ranking) -> Sequence[Candidate]:
    """The candidates, best first; of a search that abstained, those it would not show."""
    declined = (gone.candidate for gone in ranking.dropped)
    return ranking.candidates or sorted(declined, key=lambda c: (-c.score, c.section_id))


# -- Which pair is next


def next_pair(
    user: AbstractUser, *, prefer: Topic | None = None, skipped: Collection[tuple[int, str]] = ()
) -> Pair | None:
    """The pair whose grade is of most use; None when this judge has judged all.

    1. Candidates of real searches that the ranking was unsure of.
    2. Pairs of which two others disagree.
    3. Pairs that another judged and that are to be judged twice.
    4. Unjudged pairs of a first page, the topics with the least judged@10 first.
    5. The rest of the pools.

    Among equals the topic at hand (`prefer`) comes first, so that a judge need not change topics at each grade.
    """
    caller = caller_for(user)
    passed = set(skipped)
    for why, stage in STAGES.items():
        for topic, locators in stage(user, caller, prefer):
            done = set(own_judgments(user, topic).values_list("locator", flat=True))
            left = [name for name in locators if name not in done and (topic.pk, name) not in passed]
            readable = readable_sections(topic, left, caller)
            if name := next((name for name in left if name in readable), None):
                return Pair(topic, name, why)
    return None


Offers = Iterator[tuple[Topic, Sequence[str]]]


def uncertain(user: AbstractUser, caller: Caller, prefer: Topic | None) -> Offers:
    searched = topics_for(caller).filter(source=SEARCHED).annotate(count=Count("judgments", humans()))
    for topic in at_hand_first(searched.order_by("count", "-created_at")[:LOOKED_AT], prefer):
        unsure = JudgingPool(tuple(uncertain_locators(topic)), frozenset(), {})
        yield topic, unsure.shuffled(topic, user)


def uncertain_locators(topic: Topic) -> list[str]:
    """What the newest trace of this question was unsure of, while it is kept."""
    trace = Trace.objects.filter(log__query_hash=topic.query_hash).order_by("-created_at")
    newest = trace.select_related("log").first()
    return unsure_of(newest.detail, newest.log.abstained, newest.log.top_locators) if newest else []


def unsure_of(detail: Mapping, abstained: bool, shown: Sequence[str]) -> list[str]:
    """Of a trace: candidates that it marks as uncertain, or the near misses of an answer that abstained."""
    if abstained:
        return list(shown)
    return [c["locator"] for c in detail.get("candidates", [])[:DEPTH] if is_uncertain(c)]


def is_uncertain(candidate: Mapping) -> bool:
    """By the thresholds then in force: the reranker's where it ran, else those of the gates."""
    return candidate["zone"] == UNCERTAIN if candidate.get("zone") else candidate.get("gate") == VERIFY


def disagreeing(user: AbstractUser, caller: Caller, prefer: Topic | None) -> Offers:
    open_pairs = far_apart(caller).filter(WAITING).values_list("topic", "locator")
    yield from by_topic(open_pairs, caller, prefer)


def twice(user: AbstractUser, caller: Caller, prefer: Topic | None) -> Offers:
    by_one = Judgment.objects.filter(humans(""), user__isnull=False).exclude(user=user)
    pairs = by_one.order_by().values("topic", "locator").annotate(judges=Count("pk")).filter(judges=1)
    chosen = [
        (topic, locator)
        for topic, locator in pairs.values_list("topic", "locator").order_by("topic", "locator")
        if is_judged_twice(topic, locator)
    ]
    yield from by_topic(chosen, caller, prefer)


def is_judged_twice(topic: int, locator: str) -> bool:
    """Whether this pair belongs to the share that two people judge: decided by the pair alone."""
    drawn = int.from_bytes(hashlib.sha256(f"{topic} {locator}".encode()).digest()[:4]) % 100
    return drawn < settings.ARF_DOUBLE_JUDGED_PERCENT


def first_pages(user: AbstractUser, caller: Caller, prefer: Topic | None) -> Offers:
    for topic in least_judged(caller, prefer):
        candidates = pool(topic, caller)
        judged = set(topic.judgments.filter(humans("")).values_list("locator", flat=True))
        yield topic, [name for name in candidates.shuffled(topic, user) if name in candidates.first - judged]


def rest_of_pools(user: AbstractUser, caller: Caller, prefer: Topic | None) -> Offers:
    for topic in least_judged(caller, prefer):
        judged = set(topic.judgments.filter(humans("")).values_list("locator", flat=True))
        yield topic, [name for name in pool(topic, caller).shuffled(topic, user) if name not in judged]


STAGES = {
    "uncertain": uncertain,
    "disagreement": disagreeing,
    "twice": twice,
    "first page": first_pages,
    "pool": rest_of_pools,
}


def least_judged(caller: Caller, prefer: Topic | None) -> Iterator[Topic]:
    """The topic at hand; then by judged@10 of the last measured run of the default pipeline, then by how little
    is judged.
    """
    if prefer is not None:
        yield prefer
    topics = topics_for(caller).annotate(count=Count("judgments", humans()))
    fewest = list(topics.order_by("count", "name"))
    shares = judged_shares(fewest)
    fewest.sort(key=lambda topic: shares.get(topic.name, 0.0))  # stable: among equals the fewest judgments
    unfinished = [topic for topic in fewest if shares.get(topic.name, 0.0) < 1.0]
    yield from (unfinished or fewest)[:LOOKED_AT]


def judged_shares(topics: Sequence[Topic]) -> dict[str, float]:
    """judged@10 by topic name, of the newest run of the default pipeline that measured it."""
    newest = Run.objects.filter(pipeline=POOLED[0]).first()
    if newest is None:
        return {}
    graded: dict[str, set[str]] = {}
    for name, locator in Judgment.objects.filter(humans("")).values_list("topic__name", "locator"):
        graded.setdefault(name, set()).add(locator)
    rows = Measurement.objects.filter(run=newest, topic__in=[topic.name for topic in topics])
    return {
        name: sum(locator in graded.get(name, ()) for locator in shown[:FIRST]) / len(shown[:FIRST])
        for name, shown in rows.values_list("topic", "locators")
        if shown
    }


def at_hand_first(topics: Sequence[Topic], prefer: Topic | None) -> list[Topic]:
    return sorted(topics, key=lambda topic: topic != prefer)


def by_topic(pairs: Sequence[tuple[int, str]], caller: Caller, prefer: Topic | None) -> Offers:
    grouped: dict[int, list[str]] = {}
    for topic, locator in pairs:
        grouped.setdefault(topic, []).append(locator)
    found = topics_for(caller).in_bulk(list(grouped))
    for topic in at_hand_first([found[pk] for pk in grouped if pk in found], prefer):
        yield topic, grouped[topic.pk]
