"""Which provisions of a topic are judged: what the pooled pipelines find first, and what was judged before; and which
pair a judge grades next.

A judge is blind: each gets a topic's pool in an order of their own, without rank, score or others' grades.
"""

import hashlib
import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db.models import Count, Exists, OuterRef, QuerySet

from evaluation.judging.grading import WAITING, far_apart
from evaluation.judging.visibility import humans, own_judgments, readable_sections, topics_for
from evaluation.measuring.runs import EVERYWHERE, FROM_FILES, Runner, stated_language
from evaluation.models import Judgment, Measurement, NoAnswer, Run, Topic
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
FEW = 5  # candidates of a question that seems to have no answer, before the rest of any
LOOKED_AT = 50  # topics weighed for one next pair; the rest have their turn when these are done
PASSED_OVER = 10  # doubtful topics that one request looks past: each may have to be searched


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
    first: tuple[str, ...]  # of the default pipeline: its first page, or a few where there seems to be no answer
    chunks: Mapping[str, int]
    translated: str | None = None
    doubtful: bool = False  # there seems to be no answer

    def shuffled(self, topic: Topic, user: AbstractUser) -> list[str]:
        """The judge's own order of this topic, the same at every visit; where it is doubtful, the few come first."""
        order = random.Random(f"{topic.name} {user.pk}")
        mixed = order.sample(sorted(self.locators), len(self.locators))
        return sorted(mixed, key=lambda name: name not in self.first) if self.doubtful else mixed


def pool(topic: Topic, caller: Caller) -> JudgingPool:
    """The first twenty of each pooled pipeline as this judge may see them, and what was judged before."""
    domains = (topic.domain.slug,)
    _scopes, in_force = Runner(caller=caller).in_force(domains)
    state = tuple(sorted((in_force | {"lexical": loaded.lexical_index().position}).items()))
    found = _found(topic.query, domains, stated_language(topic.language), caller, state)
    judged = topic.judgments.exclude(kind=Judgment.Kind.CLICK).values_list("locator", flat=True)
    wanted = dict.fromkeys([*found.locators, *judged.order_by("locator")])
    readable = readable_sections(topic, wanted, caller)
    doubtful = found.doubtful or not topic.answerable or topic.no_answers.standing().exists()
    return replace(
        found,
        locators=tuple(locator for locator in wanted if locator in readable),
        first=tuple(name for name in found.first if name in readable)[: FEW if doubtful else FIRST],
        doubtful=doubtful,
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
        first=tuple(candidate.locator for candidate in ranked(rankings[0])[:FIRST]),
        chunks=chunks,
        translated=rankings[0].query.translated,
        doubtful=rankings[0].abstained,
    )


def ranked(ranking: Ranking) -> Sequence[Candidate]:
    """The candidates, best first; of a search that abstained, those it would not show."""
    declined = (gone.candidate for gone in ranking.dropped)
    return ranking.candidates or sorted(declined, key=lambda c: (-c.score, c.section_id))


# -- Which pair is next


@dataclass(frozen=True, slots=True)
class Seeker:
    """A judge who wants a pair, of one domain or of any. Among equals the topic at hand (`prefer`) comes first, so that
    a judge need not change topics at each grade.
    """

    user: AbstractUser
    caller: Caller
    domain: str = ""
    prefer: Topic | None = None

    def topics(self) -> QuerySet[Topic]:
        found = topics_for(self.caller)
        return found.filter(domain__slug=self.domain) if self.domain else found

    def open_topics(self) -> QuerySet[Topic]:
        """Without those of which this judge said that nothing answers them."""
        said = NoAnswer.objects.standing().filter(judge=self.user.get_username())
        return self.topics().exclude(pk__in=said.values("topic"))

    def at_hand_first(self, topics: Iterable[Topic]) -> list[Topic]:
        return sorted(topics, key=lambda topic: topic != self.prefer)


def next_pair(
    user: AbstractUser,
    *,
    prefer: Topic | None = None,
    domain: str = "",
    skipped: Collection[tuple[int, str]] = (),
) -> Pair | None:
    """The pair whose grade is of most use; None when this judge has judged all.

    1. Candidates of real searches that the ranking was unsure of.
    2. Pairs of which two others disagree.
    3. Pairs that another judged and that are to be judged twice.
    4. Unjudged pairs of a first page, the topics with the least judged@10 first; then a few of the topics that seem to
       have no answer.
    5. The rest of the pools, again with such topics last.
    """
    seeker = Seeker(user, caller_for(user), domain, prefer)
    passed = set(skipped)
    for why, stage in STAGES.items():
        for topic, locators in stage(seeker):
            done = set(own_judgments(user, topic).values_list("locator", flat=True))
            left = [name for name in locators if name not in done and (topic.pk, name) not in passed]
            readable = readable_sections(topic, left, seeker.caller)
            if name := next((name for name in left if name in readable), None):
                return Pair(topic, name, why)
    return None


Offers = Iterator[tuple[Topic, Sequence[str]]]


def uncertain(seeker: Seeker) -> Offers:
    searched = seeker.open_topics().filter(source=SEARCHED).annotate(count=Count("judgments", humans()))
    for topic in seeker.at_hand_first(searched.order_by("count", "-created_at")[:LOOKED_AT]):
        unsure = JudgingPool(tuple(uncertain_locators(topic)), (), {})
        yield topic, unsure.shuffled(topic, seeker.user)


def uncertain_locators(topic: Topic) -> list[str]:
    """What the newest trace of this question was unsure of, while it is kept. One that was declined seems to have no
    answer, and waits for its turn among those.
    """
    trace = Trace.objects.filter(log__query_hash=topic.query_hash).order_by("-created_at")
    newest = trace.select_related("log").first()
    if newest is None or newest.log.abstained:
        return []
    return unsure_of(newest.detail, abstained=False, shown=newest.log.top_locators)


def unsure_of(detail: Mapping, abstained: bool, shown: Sequence[str]) -> list[str]:
    """Of a trace: candidates that it marks as uncertain, or the near misses of an answer that abstained."""
    if abstained:
        return list(shown)
    return [c["locator"] for c in detail.get("candidates", [])[:DEPTH] if is_uncertain(c)]


def is_uncertain(candidate: Mapping) -> bool:
    """By the thresholds then in force: the reranker's where it ran, else those of the gates."""
    return candidate["zone"] == UNCERTAIN if candidate.get("zone") else candidate.get("gate") == VERIFY


def disagreeing(seeker: Seeker) -> Offers:
    open_pairs = far_apart(seeker.caller).filter(WAITING).values_list("topic", "locator")
    yield from by_topic(open_pairs, seeker)


def twice(seeker: Seeker) -> Offers:
    by_one = Judgment.objects.filter(humans(""), user__isnull=False).exclude(user=seeker.user)
    pairs = by_one.order_by().values("topic", "locator").annotate(judges=Count("pk")).filter(judges=1)
    chosen = [
        (topic, locator)
        for topic, locator in pairs.values_list("topic", "locator").order_by("topic", "locator")
        if is_judged_twice(topic, locator)
    ]
    yield from by_topic(chosen, seeker)


def is_judged_twice(topic: int, locator: str) -> bool:
    """Whether this pair belongs to the share that two people judge: decided by the pair alone."""
    drawn = int.from_bytes(hashlib.sha256(f"{topic} {locator}".encode()).digest()[:4]) % 100
    return drawn < settings.ARF_DOUBLE_JUDGED_PERCENT


def first_pages(seeker: Seeker) -> Offers:
    for topic, candidates in doubtful_last(seeker, but=seeker.prefer):
        yield topic, [name for name in unjudged(topic, candidates, seeker) if name in candidates.first]


def rest_of_pools(seeker: Seeker) -> Offers:
    for topic, candidates in doubtful_last(seeker):
        yield topic, unjudged(topic, candidates, seeker)


STAGES = {
    "uncertain": uncertain,
    "disagreement": disagreeing,
    "twice": twice,
    "first page": first_pages,
    "pool": rest_of_pools,
}


def unjudged(topic: Topic, candidates: JudgingPool, seeker: Seeker) -> list[str]:
    judged = set(topic.judgments.filter(humans("")).values_list("locator", flat=True))
    return [name for name in candidates.shuffled(topic, seeker.user) if name not in judged]


def doubtful_last(seeker: Seeker, *, but: Topic | None = None) -> Iterator[tuple[Topic, JudgingPool]]:
    """Topics with their pools, those that seem to have no answer after the others."""
    waiting: list[tuple[Topic, JudgingPool]] = []
    for topic in least_judged(seeker):
        candidates = pool(topic, seeker.caller)
        if candidates.doubtful and topic != but and len(waiting) < PASSED_OVER:
            waiting.append((topic, candidates))
        else:
            yield topic, candidates
    yield from waiting


def least_judged(seeker: Seeker) -> list[Topic]:
    """The topic at hand; then those that seem to have an answer; of these by judged@10 of the last measured run of the
    default pipeline, then by how little is judged.
    """
    doubts = NoAnswer.objects.standing().filter(topic=OuterRef("pk"))
    topics = seeker.open_topics().annotate(count=Count("judgments", humans()), doubted=Exists(doubts))
    fewest = list(topics.order_by("count", "name"))
    shares, declined = judged_shares(fewest), declined_when_measured()

    def turn(topic: Topic) -> tuple[bool, float]:
        seems_answered = topic.answerable and not topic.doubted and topic.name not in declined
        return not seems_answered, shares.get(topic.name, 0.0)

    fewest.sort(key=turn)  # stable: among equals the fewest judgments
    unfinished = [topic for topic in fewest if shares.get(topic.name, 0.0) < 1.0]
    at_hand = [topic for topic in fewest if topic == seeker.prefer]
    return [*at_hand, *(topic for topic in (unfinished or fewest)[:LOOKED_AT] if topic not in at_hand)]


def newest_run() -> Run | None:
    """Over topics that are kept here, put to their own bodies of law, of which judges are shown the candidates."""
    runs = Run.objects.filter(pipeline=POOLED[0]).exclude(topics__startswith=FROM_FILES)
    return runs.exclude(topics__endswith=EVERYWHERE).first()


def declined_when_measured() -> set[str]:
    """Names of topics that the newest run of the default pipeline declined."""
    declined = Measurement.objects.filter(run=newest_run(), abstained=True)
    return set(declined.values_list("topic", flat=True))


def judged_shares(topics: Sequence[Topic]) -> dict[str, float]:
    """judged@10 by topic name, of the newest run of the default pipeline that measured it."""
    graded: dict[str, set[str]] = {}
    for name, locator in Judgment.objects.filter(humans("")).values_list("topic__name", "locator"):
        graded.setdefault(name, set()).add(locator)
    rows = Measurement.objects.filter(run=newest_run(), topic__in=[topic.name for topic in topics])
    return {
        name: sum(locator in graded.get(name, ()) for locator in shown[:FIRST]) / len(shown[:FIRST])
        for name, shown in rows.values_list("topic", "locators")
        if shown
    }


def by_topic(pairs: Sequence[tuple[int, str]], seeker: Seeker) -> Offers:
    grouped: dict[int, list[str]] = {}
    for topic, locator in pairs:
        grouped.setdefault(topic, []).append(locator)
    found = seeker.topics().in_bulk(list(grouped))
    for topic in seeker.at_hand_first(found[pk] for pk in grouped if pk in found):
        yield topic, grouped[topic.pk]
