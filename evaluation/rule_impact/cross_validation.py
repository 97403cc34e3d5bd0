"""Two-fold cross-validation by document: how much rules learned from one half of the documents help on the other."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from evaluation.measuring.measures import Estimate, paired_difference
from evaluation.rule_impact.category_rules import (
    DocumentSearch,
    document_search,
    locators,
    places_of,
    rules_of,
)
from evaluation.rule_impact.patterns import Case, Corpus, learn, recall
from evaluation.topics.topic import Topic
from retrieval.access.caller import Caller
from retrieval.ranking import Ranking
from rules.engine.clauses import CompiledRule
from rules.models import Rule


@dataclass(frozen=True, slots=True)
class Changed:
    """recall@5 of one topic without and with the rules, and whether one of its own category fired."""

    topic: str
    category: str
    before: float
    after: float
    moved: bool
    concerned: bool


@dataclass(frozen=True, slots=True)
class Half:
    """What rules learned from one half of the documents do to the other half's topics."""

    rules: tuple[Rule, ...]
    topics: tuple[Changed, ...]

    @property
    def lowered(self) -> list[Changed]:
        return [topic for topic in self.topics if topic.after < topic.before]

    @property
    def unconcerned_moved(self) -> list[Changed]:
        """Those whose ranking changed though no rule of their category is there: there should be none."""
        return [topic for topic in self.topics if topic.moved and not topic.concerned]


def gained(topics: Sequence[Changed]) -> Estimate:
    return paired_difference([topic.after for topic in topics], [topic.before for topic in topics])


def cross_measured(
    topics: Sequence[Topic], domain: str, caller: Caller, *, seed: int, show: Callable = iter
) -> tuple[Half, Half]:
    """Each half of the documents measured under rules learned from the other alone. Topics have one category each."""
    places = places_of(domain, caller)
    asks, corpus = document_search(domain, caller, places), Corpus(places)
    cases = asks.cases(topics)
    first, second = halves({document for case in cases for document in case.documents}, seed)
    return tuple(
        half_measured(asks, corpus, topics, cases, learned_from=one, measured_on=other)
        for one, other in show([(first, second), (second, first)])
    )


def halves(documents: Iterable[str], seed: int) -> tuple[set[str], set[str]]:
    shuffled = sorted(documents)
    Random(seed).shuffle(shuffled)
    return set(shuffled[::2]), set(shuffled[1::2])


def half_measured(
    asks: DocumentSearch,
    corpus: Corpus,
    topics: Sequence[Topic],
    cases: Sequence[Case],
    *,
    learned_from: set[str],
    measured_on: set[str],
) -> Half:
    """The rules as the search applies them, all at once: what they do is not worked out but asked."""
    seen = [topic for topic in topics if asks.documents(topic) <= learned_from]
    named = {topic.id: topic for topic in topics}
    known, unseen = ([c for c in cases if c.documents <= half] for half in (learned_from, measured_on))
    rules = rules_of(learn(known, corpus), seen, asks.domain)
    with_rules = asks.rankings((named[case.topic] for case in unseen), numbered(rules.values()))
    return Half(
        tuple(rules.values()),
        tuple(
            changed(case, ranking, case.category in rules)
            for case, ranking in zip(unseen, with_rules, strict=True)
        ),
    )


def numbered(rules: Iterable[Rule]) -> tuple[CompiledRule, ...]:
    drafts = [rule.draft for rule in rules]
    return tuple(
        CompiledRule(-n, rule.name, 0, rule.priority, rule.domains, rule.clauses)
        for n, rule in enumerate(drafts, start=2)
    )


def changed(case: Case, ranking: Ranking, concerned: bool) -> Changed:
    before, after = locators(case), [candidate.locator for candidate in ranking.candidates]
    return Changed(
        topic=case.topic,
        category=case.category,
        before=recall(before, case.relevant),
        after=recall(after, case.relevant),
        moved=before != after,
        concerned=concerned,
    )
