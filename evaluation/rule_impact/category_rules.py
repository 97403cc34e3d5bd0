"""Rules learned from judged questions of a category, such as “Governing Law” asked of one contract after another: they
raise what stands under the headings and on the pages where people found the answers.

Learning is pure, and the same for the same judgments. A pattern counts by the documents in which it leads to an answer
and by the share of answers in what it leads to; how small that share may be is chosen by cross-validation over
documents, and by two-fold cross-validation it is measured how much the rules help.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

from django.utils.translation import gettext as _

from evaluation.measuring.measures import Estimate, paired_difference
from evaluation.measuring.runs import Runner
from evaluation.topics.topic import Topic
from retrieval.access.caller import Caller
from retrieval.models import Section
from retrieval.ranking import Ranking, RuleOptions
from retrieval.targets import Part, Selection
from retrieval.text.analyzer import stem, stop_stems, tokens
from rules import published
from rules.authoring import workflow
from rules.engine import inline
from rules.engine.clauses import Action, Clauses, CompiledRule, Criterion
from rules.engine.matching import has_phrase
from rules.models import Rule

LONGEST = 3  # words of a heading's pattern
FRONT = 3  # pages that may make a pattern: documents differ in length, so no later page means the same in all
DOCUMENTS = 3  # in which a pattern must lead to an answer: two may be chance
MOST = 5  # patterns of a category
SHARES = (0.05, 0.1, 0.15, 0.2, 0.25)  # of answers in what a pattern leads to
FOLDS = 4
TOP = 5
FACTOR = 30.0  # lifts the last of a pool over the first, which often has ten to twenty times its score


class Pattern(NamedTuple):
    """“heading” with its words, or “pages” with the last of those from the first on."""

    kind: str
    value: str | int

    @property
    def target(self) -> dict[str, str]:
        if self.kind == "heading":
            return {"kind": "heading", "value": str(self.value)}
        return {"kind": "pages", "pages": "1" if self.value == 1 else f"1-{self.value}"}


@dataclass(frozen=True)
class Place:
    """A section: its own heading and those above it below the document's title, and the page it begins on."""

    locator: str
    document: str
    headings: tuple[str, ...]
    page: int | None

    @cached_property
    def patterns(self) -> frozenset[Pattern]:
        front = range(self.page, FRONT + 1) if self.page else ()
        return frozenset(
            (
                *(Pattern("heading", phrase) for heading in self.headings for phrase in phrases(heading)),
                *(Pattern("pages", page) for page in front),
            )
        )


def phrases(heading: str) -> Iterable[str]:
    """Runs of its words that neither begin nor end with a function word or a number."""
    words = tokens(heading)
    for length in range(1, LONGEST + 1):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            if says_something(run[0]) and says_something(run[-1]):
                yield " ".join(run)


def says_something(word: str) -> bool:
    return len(word) > 2 and not word.isdigit() and stem(word, "en") not in stop_stems("en")


@dataclass(frozen=True, slots=True)
class Case:
    """A judged question of a category: the documents it was asked of, the locators judged relevant, and the ranking
    without any learned rule, (locator, score), best first, ties as everywhere by section.
    """

    topic: str
    category: str
    documents: frozenset[str]
    relevant: frozenset[str]
    ranking: tuple[tuple[str, float], ...]


class Corpus:
    """Which sections of a document each pattern leads to."""

    def __init__(self, places: Iterable[Place]):
        self.led: dict[str, dict[Pattern, set[str]]] = defaultdict(lambda: defaultdict(set))
        for place in places:
            for pattern in place.patterns:
                self.led[place.document][pattern].add(place.locator)

    def to(self, patterns: Iterable[Pattern], documents: Iterable[str]) -> set[str]:
        found = (self.led[document].get(p, ()) for document in documents for p in patterns)
        return set().union(*found)

    def of(self, case: Case) -> set[Pattern]:
        """Those that lead to an answer."""
        return {
            pattern
            for document in case.documents
            for pattern, led in self.led[document].items()
            if led & case.relevant
        }


Learned = Mapping[str, tuple[Pattern, ...]]  # by category


def learn(cases: Sequence[Case], corpus: Corpus) -> Learned:
    """Patterns by category; a category without any that lifts its own questions is left out."""
    return patterns_by_category(cases, corpus, chosen_share(cases, corpus))


def patterns_by_category(cases: Sequence[Case], corpus: Corpus, share: float) -> Learned:
    found = {}
    for category, own in by_category(cases).items():
        patterns = patterns_for(own, corpus, share)
        if sum(gain(case, patterns, corpus) for case in own) > 0:
            found[category] = patterns
    return found


def by_category(cases: Iterable[Case]) -> dict[str, list[Case]]:
    grouped: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        grouped[case.category].append(case)
    return dict(sorted(grouped.items()))


def patterns_for(cases: Sequence[Case], corpus: Corpus, share: float) -> tuple[Pattern, ...]:
    """Greedily those that lead to an answer in most documents where none yet does; then the surer, the longer."""
    leading = {p: documents_led(p, cases, corpus) for case in cases for p in corpus.of(case)}
    able = {
        pattern: (documents, sure)
        for pattern, documents in leading.items()
        if len(documents) >= DOCUMENTS and (sure := precision(pattern, cases, corpus)) >= share
    }
    chosen: list[Pattern] = []
    covered: set[str] = set()
    while able and len(chosen) < MOST:
        best = max(able, key=lambda p: (len(able[p][0] - covered), able[p][1], len(str(p.value)), str(p)))
        documents, _ = able.pop(best)
        if documents <= covered:
            break
        chosen.append(best)
        covered |= documents
    return tuple(chosen)


def documents_led(pattern: Pattern, cases: Iterable[Case], corpus: Corpus) -> set[str]:
    """Documents in which the pattern leads to an answer."""
    return {
        document
        for case in cases
        for document in case.documents
        if corpus.led[document].get(pattern, set()) & case.relevant
    }


def precision(pattern: Pattern, cases: Iterable[Case], corpus: Corpus) -> float:
    """The share of answers in what the pattern leads to, over all questions of a category."""
    led = [(case, corpus.to([pattern], case.documents)) for case in cases]
    return sum(len(found & case.relevant) for case, found in led) / sum(len(found) for _, found in led)


def chosen_share(cases: Sequence[Case], corpus: Corpus) -> float:
    """The least share of answers that gains most where documents are held out in turn; of equals the strictest."""
    documents = sorted({document for case in cases for document in case.documents})
    folds = [set(documents[n::FOLDS]) for n in range(FOLDS)]
    return max(SHARES, key=lambda share: (round(held_out(cases, corpus, share, folds), 6), share))


def held_out(cases: Sequence[Case], corpus: Corpus, share: float, folds: Iterable[Collection[str]]) -> float:
    """The summed gain of each fold under what is learned from the others."""
    total = 0.0
    for fold in folds:
        rules = patterns_by_category([case for case in cases if case.documents.isdisjoint(fold)], corpus, share)
        unseen = [case for case in cases if not case.documents.isdisjoint(fold)]
        total += sum(gain(case, rules.get(case.category, ()), corpus) for case in unseen)
    return total


# -- What a boost of the patterns does


def gain(case: Case, patterns: Sequence[Pattern], corpus: Corpus) -> float:
    """By how much recall@5 rises."""
    before = [locator for locator, _ in case.ranking]
    return recall(boosted(case, patterns, corpus), case.relevant) - recall(before, case.relevant)


def boosted(case: Case, patterns: Sequence[Pattern], corpus: Corpus) -> list[str]:
    """The ranking as a rule that boosts the patterns leaves it: boosting comes after all that ranks."""
    led = corpus.to(patterns, case.documents)
    scored = [(locator, score * (FACTOR if locator in led else 1.0)) for locator, score in case.ranking]
    return [locator for locator, _ in sorted(scored, key=lambda row: -row[1])]


def recall(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """recall@5."""
    return len(set(ranking[:TOP]) & set(relevant)) / len(relevant)


def places_of(domain: str, caller: Caller) -> list[Place]:
    """Every section that a search may show, with the headings it stands under."""
    rows = Section.objects.readable(caller).results().filter(domain__slug=domain)
    fields = ("locator", "document__locator", "heading", "breadcrumb", "pages")
    return [
        Place(
            locator=locator,
            document=document,
            headings=tuple(filter(None, (heading, *breadcrumb.split(" › ")[1:]))),
            page=pages[0][1] if pages else None,
        )
        for locator, document, heading, breadcrumb, pages in rows.in_order().values_list(*fields)
    ]


# -- Judged questions as cases


@dataclass(frozen=True)
class DocumentSearch:
    """Asks each topic of the documents alone in which something was judged relevant to it. `beside`: rules that are in
    force meanwhile.
    """

    domain: str
    caller: Caller
    document_of: Mapping[str, str]  # by section
    beside: tuple[CompiledRule, ...] = ()

    def documents(self, topic: Topic) -> frozenset[str]:
        return frozenset(self.document_of[place] for place in topic.relevant if place in self.document_of)

    def rankings(self, topics: Iterable[Topic], rules: Sequence[CompiledRule] = ()) -> list[Ranking]:
        runner = Runner(caller=self.caller)
        return [runner.topic(topic, self.options(topic, rules)) for topic in topics]

    def options(self, topic: Topic, rules: Sequence[CompiledRule]) -> RuleOptions:
        return RuleOptions(given=(restriction(sorted(self.documents(topic))), *self.beside, *rules))

    def cases(self, topics: Sequence[Topic]) -> list[Case]:
        """One for each category of a topic; a topic without a category, or of which nothing relevant is there any
        more, makes none.
        """
        told = [topic for topic in topics if topic.tags and self.documents(topic)]
        return [
            Case(
                topic=topic.id,
                category=category,
                documents=self.documents(topic),
                relevant=frozenset(place for place in topic.relevant if place in self.document_of),
                ranking=tuple((c.locator, c.score) for c in ranking.candidates),
            )
            for topic, ranking in zip(told, self.rankings(told), strict=True)
            for category in topic.tags
        ]


def restriction(documents: Iterable[str]) -> CompiledRule:
    parts = tuple(Part("document", document) for document in documents)
    clauses = Clauses((Criterion("always"),), Selection(parts), (Action("restrict"),))
    return CompiledRule(-1, "the documents asked", 0, 0, (), clauses)


def document_search(domain: str, caller: Caller, places: Iterable[Place], *, beside=()) -> DocumentSearch:
    return DocumentSearch(domain, caller, {place.locator: place.document for place in places}, tuple(beside))


# -- Rules


def trigger(category: str, topics: Iterable[Topic]) -> list[str]:
    """Words that tell the questions of a category from all others: its name where each has it, else the questions
    themselves; none where neither does.
    """
    topics = list(topics)
    own = [topic.query for topic in topics if category in topic.tags]
    others = [topic.query for topic in topics if category not in topic.tags]
    named = all(has_phrase(query, category) for query in own)
    phrases = [category] if named else sorted(set(own))
    return [] if any(has_phrase(query, phrase) for query in others for phrase in phrases) else phrases


def rule_of(category: str, patterns: Iterable[Pattern], domain: str, phrases: Sequence[str]) -> Rule:
    return Rule(
        name=_("%(category)s: where answers stand (%(domain)s)") % {"category": category, "domain": domain},
        domains=[domain],
        criteria=[{"kind": "keywords", "value": list(phrases)}],
        targets=[pattern.target for pattern in patterns],
        actions=[{"kind": "boost", "factor": FACTOR}],
        tags=["learned"],
    )


def rules_of(patterns: Learned, topics: Sequence[Topic], domain: str) -> dict[str, Rule]:
    """By category; one whose questions cannot be told from others has none."""
    phrases = {category: trigger(category, topics) for category in patterns}
    return {
        category: rule_of(category, found, domain, phrases[category])
        for category, found in patterns.items()
        if phrases[category]
    }


@dataclass(frozen=True, slots=True)
class Proposal:
    """A rule that is not saved, and recall@5 of the questions it was learned from, before and with it."""

    rule: Rule
    topics: int
    before: float
    after: float


def proposals(topics: Sequence[Topic], domain: str, caller: Caller) -> list[Proposal]:
    """From topics that may be learned from; beside the rules in force."""
    places = places_of(domain, caller)
    _scopes, in_force = Runner(caller=caller).in_force((domain,))
    beside = published.rules(published.version_of("rules", in_force))
    cases, corpus = document_search(domain, caller, places, beside=beside).cases(topics), Corpus(places)
    patterns = learn(cases, corpus)
    grouped = by_category(cases)
    return [
        proposal(rule, grouped[category], patterns[category], corpus)
        for category, rule in rules_of(patterns, topics, domain).items()
    ]


def proposal(rule: Rule, cases: Sequence[Case], patterns: Sequence[Pattern], corpus: Corpus) -> Proposal:
    before = sum(recall(locators(case), case.relevant) for case in cases) / len(cases)
    after = before + sum(gain(case, patterns, corpus) for case in cases) / len(cases)
    told = {"count": len(cases), "before": f"{before:.3f}", "after": f"{after:.3f}"}
    rule.rationale = (
        _("Learned from %(count)d judged questions: recall@5 on them %(before)s, with it %(after)s.") % told
    )
    return Proposal(rule, len(cases), before, after)


def locators(case: Case) -> list[str]:
    return [locator for locator, _ in case.ranking]


def save(proposed: Proposal) -> bool:
    """Keeps the rule as a draft; one of its name that is there already stays as it is."""
    if Rule.objects.filter(name=proposed.rule.name, domains=proposed.rule.domains).exists():
        return False
    workflow.save_draft(proposed.rule, by=None, reason=_("learned from judgments"))
    return True


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


def cross_measured(topics: Sequence[Topic], domain: str, caller: Caller, *, seed: int) -> tuple[Half, Half]:
    """Each half of the documents measured under rules learned from the other alone. Topics have one category each."""
    places = places_of(domain, caller)
    asks, corpus = document_search(domain, caller, places), Corpus(places)
    cases = asks.cases(topics)
    first, second = halves({document for case in cases for document in case.documents}, seed)
    return tuple(
        half_measured(asks, corpus, topics, cases, learned_from=one, measured_on=other)
        for one, other in ((first, second), (second, first))
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
    return tuple(inline.numbered(rule.draft, -n) for n, rule in enumerate(rules, start=2))


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
