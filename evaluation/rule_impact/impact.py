"""What a change of rules or thresholds does to answers: questions asked before it and after it, compared.

They are asked as the public asks, so that what is found may be kept and shown: nothing private is in it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from django.db.models import Q
from django.utils import timezone

from evaluation.measuring.measures import Estimate, credited, estimate, measure_topic
from evaluation.measuring.runs import SPANISH, Runner, stated_language
from evaluation.models import Topic as TopicRow
from evaluation.topics import library
from evaluation.topics.topic import Topic
from retrieval import pipeline
from retrieval.access.caller import ANONYMOUS
from retrieval.access.row_security import as_caller
from retrieval.corpus import statements
from retrieval.errors import NotFound
from retrieval.models import Domain, SearchLog
from retrieval.pipeline import Pipeline
from retrieval.ranking import NEAR_MISSES, Candidate, Query, Ranking
from retrieval.search.response import is_confident
from retrieval.stages.query import Normalize
from rules import published
from rules.engine.clauses import CompiledRule
from rules.engine.firing import RuleIndex, fired
from rules.engine.match_rules import MatchRules
from rules.models import DomainThreshold

LOGGED = 1_000  # different questions of the public, the last ones
LOOKED_AT = 20_000  # searches among which they are looked for
OPEN = (TopicRow.Split.TRAIN, TopicRow.Split.TUNE)  # never the test split, by which nobody chooses
SHOWN = 10  # results of a first page


@dataclass(frozen=True)
class RuleChange:
    """The rules in force before and after; publishing, editing and retiring one are all of this kind."""

    before: tuple[CompiledRule, ...]
    after: tuple[CompiledRule, ...]

    @cached_property
    def touched(self) -> tuple[CompiledRule, ...]:
        """What is in force only before or only after: where none of it fires, the answer stays as it is."""
        return tuple(set(self.before) ^ set(self.after))


def publishing(draft: CompiledRule, in_force: Iterable[CompiledRule]) -> RuleChange:
    before = tuple(in_force)
    return RuleChange(before, (*(rule for rule in before if rule.number != draft.number), draft))


def retiring(number: int, in_force: Iterable[CompiledRule]) -> RuleChange:
    before = tuple(in_force)
    return RuleChange(before, tuple(rule for rule in before if rule.number != number))


# -- What is asked


@dataclass(frozen=True, slots=True)
class ReplayedQuestion:
    """Asked again with its language in its domains; `log` is a search in which it was asked, `topic` one judged."""

    text: str
    language: str
    domains: tuple[str, ...]
    log: str = ""
    topic: Topic | None = None

    @property
    def is_measurable(self) -> bool:
        """Whether something is judged relevant to it."""
        return self.topic is not None and self.topic.answerable and bool(self.topic.relevant)


def logged_questions(most: int = LOGGED, *, domain: str = "") -> list[ReplayedQuestion]:
    """The last different questions of the public whose words are kept, each as it was asked; or those that could reach
    a domain, each asked of that alone.
    """
    kept = SearchLog.objects.filter(caller="public", pipeline=pipeline.USUAL).exclude(query_text="")
    if domain:
        kept = kept.filter(Q(domains=[]) | Q(domains__contains=[domain]))
    rows = kept.values_list("query_hash", "language", "domains", "query_text", "pk")[:LOOKED_AT]
    found: dict[tuple, ReplayedQuestion] = {}
    for hashed, language, domains, text, pk in rows.iterator():
        asked_of = (domain,) if domain else tuple(domains)
        question = ReplayedQuestion(text, language, asked_of, log=str(pk))
        found.setdefault((hashed, language, *sorted(asked_of)), question)
        if len(found) == most:
            break
    return list(found.values())


def judged_questions(domains: Sequence[str] = (), splits: Sequence[str] = OPEN) -> list[ReplayedQuestion]:
    """The judged topics of the open splits, each in its domain, by name; of these domains, or of all public ones."""
    public = Domain.objects.visible_to(ANONYMOUS)
    chosen = public.filter(slug__in=domains) if domains else public
    rows = TopicRow.objects.filter(split__in=splits, domain__in=chosen)
    topics = library.as_topics(rows.select_related("domain").order_by("name"))
    return [topic_question(topic) for topic in topics if topic.judged or not topic.answerable]


def topic_question(topic: Topic) -> ReplayedQuestion:
    return ReplayedQuestion(topic.query, stated_language(topic.language) or "", (topic.domain,), topic=topic)


# -- What is answered


class Place(NamedTuple):
    """A result: its provision, the exact place in it and the passage that shows it."""

    locator: str
    pin: str | None
    passage: int | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A first page, and how the ranking goes on after it, which does not tell two answers apart."""

    places: tuple[Place, ...]
    near_misses: tuple[Place, ...]
    abstained: bool
    confident: bool
    notes: tuple[str, ...]
    redirect: str
    following: tuple[str, ...] = field(default=(), compare=False)
    degraded: tuple[str, ...] = field(default=(), compare=False)  # stages that should have run and did not

    @property
    def locators(self) -> tuple[str, ...]:
        return tuple(place.locator for place in self.places)


class PublicSearch:
    """Asks as the public does, under given rules, without cache and log. What a question says before rules are
    looked at, its citations and its English, is read once.
    """

    def __init__(self) -> None:
        stages = pipeline.get(pipeline.USUAL).stages
        rules_at = next(n for n, stage in enumerate(stages) if isinstance(stage, MatchRules))
        self.reading, self.answering = Pipeline(*stages[:rules_at]), Pipeline(*stages[rules_at:])
        self.matching: MatchRules = stages[rules_at]
        self.in_force = published.stored_rules((rules_version(), 0))
        self.indexed = {id(rule) for rule in self.in_force}
        self.runner = Runner()

    def read(self, question: ReplayedQuestion) -> Ranking:
        """The question as rules find it. Raises NotFound where a domain of it is no longer public."""
        return self.reading(Ranking(self.query(question)))

    def query(self, question: ReplayedQuestion) -> Query:
        return self.runner.query(question.text, question.domains, question.language or None)

    def answer(self, read: Ranking, rules: Iterable[CompiledRule]) -> Answer:
        """Only what fires is handed on: of a thousand rules it is few."""
        with published.as_if_these_rules(self.firing(read, rules)):
            return answer_of(self.answering(read))

    def firing(self, read: Ranking, rules: Iterable[CompiledRule]) -> tuple[CompiledRule, ...]:
        """Of these rules; those in force are looked up by the words of the question, any others tried one by one."""
        said = self.matching.asked(read.query)
        near = {id(rule) for rule in self.in_force.near(said)}
        tried = [rule for rule in rules if id(rule) in near or id(rule) not in self.indexed]
        return fired(tried, said, timezone.localdate())

    def may_fire(self, question: ReplayedQuestion, rules: RuleIndex) -> bool:
        """By its words as typed; a Spanish question fires rules by its English too. Raises NotFound."""
        typed = Normalize()(Ranking(self.query(question))).query
        return typed.language == SPANISH or bool(rules.near(self.matching.asked(typed)))

    def touched(
        self, questions: Iterable[ReplayedQuestion], rules: Sequence[CompiledRule]
    ) -> Iterator[tuple[ReplayedQuestion, Ranking]]:
        """The questions that fire any of the rules today."""
        by_words = RuleIndex(rules)
        for question in questions:
            try:
                if not self.may_fire(question, by_words):
                    continue
                read = self.read(question)
            except NotFound:
                continue
            if self.firing(read, rules):
                yield question, read


def answer_of(ranking: Ranking) -> Answer:
    found = () if ranking.abstained else ranking.candidates
    return Answer(
        places=tuple(map(place_of, found[:SHOWN])),
        near_misses=tuple(map(place_of, ranking.near_misses[:NEAR_MISSES])),
        abstained=ranking.abstained,
        confident=is_confident(ranking),
        notes=tuple(note["text"] for note in ranking.curated.get("notes") or ()),
        redirect=(ranking.curated.get("redirect") or {}).get("locator", ""),
        following=tuple(candidate.locator for candidate in found[SHOWN:]),
        degraded=ranking.degraded,
    )


def place_of(candidate: Candidate) -> Place:
    return Place(candidate.locator, candidate.pin, candidate.chunk_id)


# -- What changes


class Declines(NamedTuple):
    """Judged topics that a change has declined, and those it has answered, which were not so before; of those that the
    law answers, and of those that it does not.
    """

    answerable_declined: int
    answerable_answered: int
    unanswerable_declined: int
    unanswerable_answered: int


def declines(changed: Iterable[tuple[bool, bool, bool]]) -> Declines:
    """Of topics (answerable, abstained before, abstained after)."""
    turned = Counter((answerable, after) for answerable, before, after in changed if before != after)
    return Declines(*(turned[answerable, after] for answerable in (True, False) for after in (True, False)))


class Hidden(NamedTuple):
    """A section judged relevant that was on the first page; `rank_after` is where it stands now, if anywhere."""

    locator: str
    grade: int
    rank_before: int
    rank_after: int | None


@dataclass(frozen=True, slots=True)
class Effect:
    """One question's answers before and after."""

    question: ReplayedQuestion
    before: Answer
    after: Answer

    @property
    def is_change(self) -> bool:
        return self.before != self.after

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The two first pages side by side."""
        return list(zip_longest(self.before.locators, self.after.locators, fillvalue=""))

    @property
    def gain(self) -> float:
        """In nDCG@10; 0 where nothing is judged relevant."""
        question = self.question
        if not question.is_measurable or self.before.locators == self.after.locators:
            return 0.0
        return ndcg(question.topic, self.after) - ndcg(question.topic, self.before)

    @property
    def hidden(self) -> tuple[Hidden, ...]:
        """What people judged relevant and a reader of the first page no longer sees."""
        topic = self.question.topic
        if topic is None or self.before.locators == self.after.locators:
            return ()
        was = ranks(self.before.locators, topic)
        now = ranks((*self.after.locators, *self.after.following), topic)
        return tuple(
            Hidden(locator, topic.relevant[locator], rank, now.get(locator))
            for locator, rank in was.items()
            if now.get(locator, SHOWN + 1) > SHOWN
        )


def rules_version() -> int:
    """Of those that the public is answered by."""
    return statements.current_versions().get("rules", 0)


def ndcg(topic: Topic, answer: Answer) -> float:
    return measure_topic(answer.locators, topic.judged)["nDCG@10"]


def ranks(locators: Iterable[str], topic: Topic) -> dict[str, int]:
    """The first rank at which each relevant section is found, counted from 1."""
    found: dict[str, int] = {}
    for rank, locator in enumerate(locators, start=1):
        if name := credited(locator, topic.judged):
            found.setdefault(name, rank)
    return found


def effects(
    change: RuleChange, questions: Iterable[ReplayedQuestion], search: PublicSearch | None = None
) -> list[Effect]:
    """Of every question that the change can touch, changed or not; what it cannot touch is not asked again."""
    search = search or PublicSearch()
    with as_caller(ANONYMOUS):
        return [
            Effect(question, *(search.answer(read, rules) for rules in (change.before, change.after)))
            for question, read in search.touched(questions, change.touched)
        ]


def threshold_effects(draft: DomainThreshold, questions: Sequence[ReplayedQuestion]) -> list[Effect]:
    """Of each question, asked under the thresholds in force and under the draft as though it were published."""

    def answers() -> list[Answer]:
        runner = Runner()
        return [answer_of(runner.ranking(q.text, q.domains, q.language or None)) for q in questions]

    before = answers()
    with published.as_if_published(draft):
        return list(map(Effect, questions, before, answers()))


def mean_gain(gains: Iterable[float], topics: int) -> Estimate | None:
    """The mean over so many measurable topics, of which those not given gain nothing; None of no topics."""
    known = [*gains]
    return estimate([*known, *[0.0] * (topics - len(known))]) if topics else None
