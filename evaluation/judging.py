"""Judging: what of a topic is judged, which pair next, and the grade itself.

A judge is blind: a topic's pool comes in an order of its own for each judge, without rank, score or others' grades.
"""

import hashlib
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from evaluation.models import Judgment, Measurement, Run, Topic
from retrieval import serving, versions
from retrieval.errors import ArfError
from retrieval.models import Chunk, Domain, LLMVerdict, Section, Trace
from retrieval.models.access import caller_for
from retrieval.privacy import query_hash
from retrieval.ranking import UNCERTAIN, Caller, Candidate, Ranking
from retrieval.search import SearchRequest, run, visible_domains
from retrieval.textnorm import normalize
from rules.gates import VERIFY

POOLED = ("default", "dense", "lexical")  # pipelines whose first candidates are judged
DEPTH = 20  # of each pipeline
FIRST = 10  # what a first page shows; judged@10 counts these
FAR_APART = 2  # grades between two judges that a third must settle
MOST_SHOWN = 50  # disagreements at once, the oldest first
LOOKED_AT = 50  # topics weighed for one next pair; the rest have their turn when these are done
SEARCH = "search"  # source of topics made from real searches; such a topic is named "search-<query hash>"


class CannotJudge(ArfError):
    """A grade that cannot be kept; the message says why."""

    code = "cannot_judge"


@dataclass(frozen=True, slots=True)
class Pair:
    """What is judged next. `why` is for accounts and tests, never for the judge."""

    topic: Topic
    locator: str
    why: str


@dataclass(frozen=True, slots=True)
class Pool:
    """Locators to judge for one topic, best first as pipelines found them, with the chunk each was found by."""

    locators: tuple[str, ...]
    first: frozenset[str]  # the default pipeline's first page
    chunks: Mapping[str, int]
    translated: str | None = None

    def shuffled(self, topic: Topic, user: AbstractUser) -> list[str]:
        """The judge's own order of this topic, the same at every visit."""
        order = random.Random(f"{topic.name} {user.pk}")
        return order.sample(sorted(self.locators), len(self.locators))


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair of which two judges think very differently."""

    topic: Topic
    section: Section
    judgments: tuple[Judgment, ...]

    @property
    def decision(self) -> Judgment | None:
        """The adjudication, if there is one: it is final."""
        return next((judgment for judgment in self.judgments if judgment.adjudicates), None)


# -- What is judged


def topics_for(caller: Caller) -> QuerySet[Topic]:
    """Topics of domains that this judge may search."""
    return Topic.objects.filter(domain__in=Domain.objects.visible_to(caller)).select_related("domain")


def judgments_for(caller: Caller, judgments: QuerySet | None = None) -> QuerySet:
    """Judgments, or their history, that this caller may know of: of a private provision only where it is granted."""
    known = Judgment.objects.all() if judgments is None else judgments
    granted = Section.objects.visible_to(caller).filter(private=True).values("locator")
    public = Q(topic__domain__visibility=Domain.Visibility.PUBLIC)
    return known.filter(public | Q(locator__in=granted), topic__in=topics_for(caller))


def pool(topic: Topic, caller: Caller) -> Pool:
    """The first twenty of each pooled pipeline as this judge may see them, and what was judged before."""
    request = SearchRequest(topic.query, (topic.domain.slug,), k=DEPTH, language=topic.language or None)
    scopes = visible_domains(caller, request.domains)
    in_force = versions.current(scopes) | {"lexical": serving.lexical_index().position}
    found = _found(request, caller, tuple(sorted(in_force.items())))
    judged = topic.judgments.exclude(kind=Judgment.Kind.CLICK).values_list("locator", flat=True)
    wanted = dict.fromkeys([*found.locators, *judged.order_by("locator")])
    readable = readable_sections(topic, wanted, caller)
    return Pool(
        tuple(locator for locator in wanted if locator in readable),
        found.first & readable.keys(),
        found.chunks,
        found.translated,
    )


@lru_cache(maxsize=256)
def _found(request: SearchRequest, caller: Caller, in_force: tuple[tuple[str, int], ...]) -> Pool:
    """What the pooled pipelines find under these versions: computed once for a topic that is being judged."""
    scopes = visible_domains(caller, request.domains)
    rankings = [
        run(
            SearchRequest(request.text, request.domains, DEPTH, language=request.language, pipeline=name),
            caller,
            scopes,
            dict(in_force),
        )
        for name in POOLED
    ]
    candidates = [candidate for ranking in rankings for candidate in ranked(ranking)[:DEPTH]]
    chunks: dict[str, int] = {}
    for candidate in candidates:
        if candidate.chunk_id:
            chunks.setdefault(candidate.locator, candidate.chunk_id)
    return Pool(
        locators=tuple(dict.fromkeys(candidate.locator for candidate in candidates)),
        first=frozenset(candidate.locator for candidate in ranked(rankings[0])[:FIRST]),
        chunks=chunks,
        translated=rankings[0].query.translated,
    )


def ranked(ranking: Ranking) -> Sequence[Candidate]:
    """The candidates, best first; of a search that abstained, those it would not show."""
    declined = (gone.candidate for gone in ranking.dropped)
    return ranking.candidates or sorted(declined, key=lambda c: (-c.score, c.section_id))


def readable_sections(topic: Topic, locators: Collection[str], caller: Caller) -> dict[str, Section]:
    sections = Section.objects.readable(caller).filter(domain=topic.domain, locator__in=locators)
    return {section.locator: section for section in sections.select_related("document", "domain")}


def text_of(section: Section, caller: Caller) -> str:
    """All that the provision says: its own words, or with sections below it, theirs in order."""
    if section.is_leaf:
        return section.text
    readable = Section.objects.readable(caller).filter(document=section.document_id)
    texts = readable.below(section.locator).in_order().values_list("text", flat=True)
    return "\n\n".join(text for text in texts if text)


# -- Which pair next


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
    searched = topics_for(caller).filter(source=SEARCH).annotate(count=Count("judgments", humans()))
    for topic in at_hand_first(searched.order_by("count", "-created_at")[:LOOKED_AT], prefer):
        yield topic, in_own_order(uncertain_locators(topic), topic, user)


def uncertain_locators(topic: Topic) -> list[str]:
    """What the newest trace of this question was unsure of, while it is kept."""
    trace = Trace.objects.filter(log__query_hash=hash_of(topic)).order_by("-created_at")
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


def far_apart(caller: Caller) -> QuerySet:
    """Pairs (topic, locator, judges, is_final) that people graded two or more apart, adjudications not counted."""
    graded = Judgment.objects.filter(humans(""), adjudicates=False, topic__in=topics_for(caller))
    final = Judgment.objects.filter(topic=OuterRef("topic"), locator=OuterRef("locator"), adjudicates=True)
    spread = (
        graded.order_by()
        .values("topic", "locator")
        .annotate(judges=Count("pk"), low=Min("grade"), high=Max("grade"), latest=Max("created_at"))
        .annotate(is_final=Exists(final))
    )
    return spread.filter(high__gte=F("low") + FAR_APART).order_by("latest", "topic", "locator")


WAITING = Q(judges=2, is_final=False)


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


def humans(path: str = "judgments__") -> Q:
    return Q(**{f"{path}kind": Judgment.Kind.HUMAN})


def own_judgments(user: AbstractUser, topic: Topic | None = None) -> QuerySet[Judgment]:
    own = Judgment.objects.filter(kind=Judgment.Kind.HUMAN, judge=user.get_username())
    return own if topic is None else own.filter(topic=topic)


def in_own_order(locators: Sequence[str], topic: Topic, user: AbstractUser) -> list[str]:
    return Pool(tuple(locators), frozenset(), {}).shuffled(topic, user)


def at_hand_first(topics: Sequence[Topic], prefer: Topic | None) -> list[Topic]:
    return sorted(topics, key=lambda topic: topic != prefer)


def by_topic(pairs: Sequence[tuple[int, str]], caller: Caller, prefer: Topic | None) -> Offers:
    grouped: dict[int, list[str]] = {}
    for topic, locator in pairs:
        grouped.setdefault(topic, []).append(locator)
    found = topics_for(caller).in_bulk(list(grouped))
    for topic in at_hand_first([found[pk] for pk in grouped if pk in found], prefer):
        yield topic, grouped[topic.pk]


# -- The grade


def judge(
    topic: Topic,
    section: Section,
    chunk: Chunk | None,
    grade: int,
    user: AbstractUser,
    explanation: str = "",
    *,
    adjudicates: bool = False,
) -> Judgment:
    """Keeps one person's grade with what was shown; judging again changes that person's own. Raises CannotJudge."""
    if grade not in Judgment.Grade.values:
        raise CannotJudge("A grade is 0, 1, 2 or 3.")
    if section.domain_id != topic.domain_id:
        raise CannotJudge("This provision belongs to another domain than the topic.")
    shown = {"section": section, "chunk": chunk, "grade": grade, "explanation": explanation.strip()}
    if adjudicates:  # its judge may regrade it, and it stays final
        shown["adjudicates"] = True
    judgment, _made = Judgment.objects.update_or_create(
        topic=topic,
        locator=section.locator,
        judge=user.get_username(),
        kind=Judgment.Kind.HUMAN,
        defaults={**shown, "user": user, "created_at": timezone.now()},
    )
    return judgment


@transaction.atomic
def undo(user: AbstractUser, judgment: int, before: tuple[int, str] | None) -> Pair | None:
    """Takes back an own grade: the former grade and explanation stand again, or none. Gives the pair, if it was."""
    row = own_judgments(user).filter(pk=judgment).select_related("topic").first()
    if row is None:
        return None
    if before is None:
        row.delete()
    else:
        row.grade, row.explanation = before
        row._change_reason = "taken back"
        row.save(update_fields=["grade", "explanation"])
    return Pair(row.topic, row.locator, "undone")


def adjudicate(disagreement: Disagreement, grade: int, user: AbstractUser, explanation: str) -> Judgment:
    """A third person's final grade. Raises CannotJudge for one of those who disagree, and where another decided."""
    if disagreement.decision:
        raise CannotJudge("This pair is settled already.")
    if user.get_username() in {judgment.judge for judgment in disagreement.judgments}:
        raise CannotJudge("You judged this pair: somebody else must settle it.")
    try:
        return judge(disagreement.topic, disagreement.section, None, grade, user, explanation, adjudicates=True)
    except IntegrityError as problem:  # somebody else settled it meanwhile
        raise CannotJudge("This pair is settled already.") from problem


def disagreements(caller: Caller, *, settled: bool = False) -> list[Disagreement]:
    """Pairs of which judges think very differently: those that wait for a third, or those that had one."""
    pairs = far_apart(caller).exclude(WAITING) if settled else far_apart(caller).filter(WAITING)
    found = [disagreement(pair["topic"], pair["locator"], caller) for pair in pairs[:MOST_SHOWN]]
    return [row for row in found if row is not None]


def disagreement(topic_id: int, locator: str, caller: Caller) -> Disagreement | None:
    """None where this caller may not see the pair, or nobody disagrees."""
    topic = topics_for(caller).filter(pk=topic_id).first()
    section = readable_sections(topic, [locator], caller).get(locator) if topic else None
    if section is None or not far_apart(caller).filter(topic=topic, locator=locator).exists():
        return None
    judgments = topic.judgments.filter(humans(""), locator=locator).order_by("created_at")
    return Disagreement(topic, section, tuple(judgments))


# -- What is told after one's own grade


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a language model said of a pair. `grade` 0-3 where it graded, else `score` 0-9."""

    model: str
    reason: str
    grade: int | None = None
    score: int | None = None


def opinions(judgment: Judgment) -> list[Opinion]:
    """Language models' verdicts on a pair that this person has judged."""
    graded = judgment.topic.judgments.filter(kind=Judgment.Kind.LLM, locator=judgment.locator)
    verdicts = LLMVerdict.objects.filter(
        query_hash=hash_of(judgment.topic), section_id=judgment.section_id
    ).order_by("model", "prompt_version")
    known = {row.judge for row in graded}  # a verdict becomes a judgment at night
    return [
        *(Opinion(row.judge, row.explanation, grade=row.grade) for row in graded),
        *(Opinion(row.model, row.reason, score=row.score) for row in verdicts if judge_of(row) not in known),
    ]


def hash_of(topic: Topic) -> str:
    """What logs and verdicts call the topic's question. A topic made from a search has it in its name: its text is
    scrubbed, and may be another.
    """
    prefix = f"{SEARCH}-"
    if topic.source == SEARCH and topic.name.startswith(prefix):
        return topic.name.removeprefix(prefix)
    return query_hash(normalize(topic.query))


def judge_of(verdict: LLMVerdict) -> str:
    """A model with another prompt is another judge."""
    return f"{verdict.model} {verdict.prompt_version[:8]}"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a judge is: in this topic's pool, today, and altogether."""

    done: int
    pooled: int
    today: int
    total: int


def progress(user: AbstractUser, topic: Topic, locators: Collection[str]) -> Progress:
    own = own_judgments(user)
    return Progress(
        done=own.filter(topic=topic, locator__in=locators).count(),
        pooled=len(locators),
        today=own.filter(created_at__date=timezone.localdate()).count(),
        total=own.count(),
    )
