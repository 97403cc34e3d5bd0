"""Rules learned from judged questions of a category, such as “Governing Law” asked of one contract after another: they
raise what stands under the headings and on the pages where people found the answers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from evaluation.measuring.runner import Runner
from evaluation.rule_impact.patterns import (
    FACTOR,
    Case,
    Corpus,
    Learned,
    Pattern,
    Place,
    by_category,
    gain,
    learn,
    recall,
)
from evaluation.topics.topic import Topic
from retrieval.access.caller import Caller
from retrieval.models import Section
from retrieval.ranking import Ranking, RuleOptions
from retrieval.targets import Part, Selection
from rules import published
from rules.authoring import workflow
from rules.engine.clauses import Action, Clauses, CompiledRule, Criterion
from rules.engine.matching import has_phrase
from rules.models import Rule


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
    beside = published.rules(in_force.get("rules", 0))
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
    if Rule.objects.filter(name=proposed.rule.name).exists():
        return False
    workflow.save_draft(proposed.rule, by=None, reason=_("learned from judgments"))
    return True
