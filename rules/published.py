"""What is published now, compiled for matching and kept in memory per version: a new version compiles anew."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache, wraps
from inspect import signature
from itertools import groupby, islice
from operator import itemgetter
from sys import intern
from typing import TypeVar

import numpy as np

from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.statements import rows
from retrieval.engines.translation import Glossary
from retrieval.indexes.terms import stored_counts
from retrieval.models import Domain, Section
from retrieval.ranking import Thresholds
from retrieval.text.analyzer import stems, tokens
from rules.aliases.vectors import AliasVectors
from rules.engine.clauses import CompiledRule
from rules.engine.firing import RuleIndex
from rules.models import Alias, AliasVector, DomainThreshold, GlossaryTerm, QuestionPhrase, Rule

T = TypeVar("T")
K1, B = 1.2, 0.75
BATCH = 2_000  # rows read at a time

Version = tuple[int, int]  # of what concerns public domains, and of what concerns private ones alone; 0: not looked at


def version_of(name: str, versions: Mapping[str, int]) -> Version:
    return versions.get(name, 0), versions.get(f"private_{name}", 0)


@dataclass(frozen=True, slots=True)
class AliasMatch:
    """An alias found in a question. `words` is its length, `shared` how many provisions it names."""

    text: str
    locator: str
    words: int
    shared: int


# Which rows a domain's names are now: a row that is written anew has another place or another transaction.
NAMES_NOW = """
SELECT 'alias', count(*), sum(hashtextextended(row(id, xmin, ctid)::text, 0))::text
FROM rules_alias WHERE domain_id = %(domain)s
UNION ALL
SELECT 'vector', count(*), sum(hashtextextended(row(made.id, made.xmin, made.ctid)::text, 0))::text
FROM rules_aliasvector made JOIN rules_alias alias ON alias.id = made.alias_id WHERE alias.domain_id = %(domain)s
ORDER BY 1
"""


@lru_cache(maxsize=100)
def names_now(domain_id: int, version: Version) -> tuple:
    """What tells the names of a domain from what they were at another version of all names."""
    return tuple(rows(NAMES_NOW, {"domain": domain_id}))


def newest(make: Callable[..., T]) -> Callable[..., T]:
    """Keeps what was made last of each domain: names take much memory. Any change of one makes a new version of all, at
    which the other domains keep what they have. `make` takes a domain, that version, and what else it is made for; and
    as `before`, if it has such a parameter, what it made last.
    """
    kept: dict[int, tuple[tuple, tuple, T]] = {}
    goes_on = "before" in signature(make).parameters

    @wraps(make)
    def known(domain_id: int, version: Version, *others: int) -> T:
        found = kept.get(domain_id)
        if found is None or found[0] != (version, *others):
            now = *others, *names_now(domain_id, version)
            if not found or found[1] != now:
                last = {"before": found[2]} if found and goes_on else {}
                found = (version, *others), now, make(domain_id, version, *others, **last)
            kept[domain_id] = found = (version, *others), *found[1:]
        return found[2]

    return known


class AliasTable:
    """Phrases of stems, found on word boundaries in one pass over the question."""

    def __init__(self, rows: Iterable[tuple[str, str, str]], before: "AliasTable | None" = None):
        """`rows`: (text, locator, language). What `before` has is not stemmed or counted again."""
        self.texts: list[str] = []
        self.locators: list[str] = []
        self.phrases: dict[str, dict[str, int]] = {}  # stems apart by blanks: the first place in these lists
        self.others: dict[int, tuple[int, ...]] = {}  # of a first place, those that have the same phrase
        known = before.stemmed() if before else {}
        for text, locator, language in rows:
            if phrase := known.get((language, text)) or " ".join(stems(text, language)):
                place = len(self.texts)
                first = self.phrases.setdefault(language, {}).setdefault(phrase, place)
                if first != place:
                    self.others[first] = (*self.others.get(first, ()), place)
                self.texts.append(text)
                self.locators.append(intern(locator))
        self.lengths = lengths_of(self.phrases)
        self.words = counted_again(before, self) if before else counted(self.rows())

    def exactly(self, text: str, language: str) -> Sequence[tuple[str, str]]:
        """(name, locator) of every alias that is all of the text."""
        found = self._places(language, " ".join(stems(text, language)))
        return [(self.texts[place], self.locators[place]) for place in found]

    def matches(self, text: str, language: str) -> list[AliasMatch]:
        """Every alias in the text; one inside a longer one that matched there is left out."""
        words = stems(text, language)
        found: list[AliasMatch] = []
        covered = 0
        for start, word in enumerate(words):
            for length in self.lengths.get((language, word), ()):
                named = self._places(language, " ".join(words[start : start + length]))
                if named and covered < start + length <= len(words):
                    found += [
                        AliasMatch(self.texts[place], self.locators[place], length, len(named)) for place in named
                    ]
                    covered = start + length
                    break
        return found

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """(language, text, locator)"""
        return ((language, self.texts[place], self.locators[place]) for language, _, place in self._every())

    def stemmed(self) -> dict[tuple[str, str], str]:
        """The stems of each (language, text)."""
        return {(language, self.texts[place]): phrase for language, phrase, place in self._every()}

    def _places(self, language: str, phrase: str) -> tuple[int, ...]:
        first = self.phrases.get(language, {}).get(phrase)
        return () if first is None else (first, *self.others.get(first, ()))

    def _every(self) -> Iterator[tuple[str, str, int]]:
        for language, phrases in self.phrases.items():
            for phrase in phrases:
                for place in self._places(language, phrase):
                    yield language, phrase, place


def lengths_of(phrases: Mapping[str, Iterable[str]]) -> dict[tuple[str, str], list[int]]:
    """By language and first stem, how many stems the phrases have, longest first."""
    lengths: dict[tuple[str, str], set[int]] = defaultdict(set)
    for language, every in phrases.items():
        for phrase in every:
            lengths[language, phrase.partition(" ")[0]].add(1 + phrase.count(" "))
    return {key: sorted(found, reverse=True) for key, found in lengths.items()}


def counted(rows: Iterable[tuple[str, str, str]]) -> dict[str, Counter[str]]:
    """By language, how often each folded word stands in the names (language, text, locator)."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for language, its in groupby(rows, key=itemgetter(0)):
        while some := [text for _, text, _ in islice(its, BATCH)]:
            counts[language].update(tokens(" ".join(some)))
    return dict(counts)


def counted_again(before: AliasTable, now: AliasTable) -> dict[str, Counter[str]]:
    """The same of all names now, by what became of those before."""
    had, have = {*before.rows()}, {*now.rows()}
    came, gone = counted(have - had), counted(had - have)
    none: Counter[str] = Counter()
    return {
        language: before.words.get(language, none) + came.get(language, none) - gone.get(language, none)
        for language in now.phrases
    }


@dataclass(frozen=True)
class Wording:
    """BM25 over what curators call provisions: all names and example questions of a provision are one document. Names
    say in people's words what the law says in its own; matching them is document expansion by hand (Nogueira et al.,
    doc2query, 2019).

    An inverted index: for each stem the provisions that have it, by place in `locators`, and its BM25 weight in
    each (Robertson and Zaragoza, 2009, with idf = ln(1 + (N - df + .5) / (df + .5))).
    """

    locators: tuple[str, ...]
    postings: Mapping[str, tuple[np.ndarray, np.ndarray]]
    unknown: float  # what a stem that no name has would weigh at most

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str]]) -> "Wording":
        """`rows`: (locator, stems apart by blanks) of each name, those of a locator together."""
        locators: list[str] = []

        def texts() -> Iterator[str]:
            for locator, its in groupby(rows, key=itemgetter(0)):
                locators.append(locator)
                yield " ".join(stemmed for _, stemmed in its)

        postings = weighted(texts())
        return cls(tuple(locators), postings, most(0, len(locators)))

    def scores(self, stems: Iterable[str]) -> tuple[np.ndarray, float]:
        """BM25 of every provision, and the most that one could reach for these stems."""
        total, reachable = np.zeros(len(self.locators)), 0.0
        for stem in set(stems):
            if stem in self.postings:
                places, weights = self.postings[stem]
                total[places] += weights
                reachable += most(len(places), len(self.locators))
            else:
                reachable += self.unknown
        return total, reachable

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each provision stands in `locators`."""
        return {locator: place for place, locator in enumerate(self.locators)}

    def best(self, total: np.ndarray, reachable: float, k: int) -> list[tuple[str, float, float]]:
        """(locator, BM25, its share of the reachable) of at most k provisions, best first, ties in their order, of what
        `scores` gives.
        """
        order = np.argsort(-total, kind="stable")[:k]
        return [
            (self.locators[n], float(total[n]), float(total[n]) / reachable) for n in order if total[n] > 0
        ]


def idf(having: int, documents: int) -> float:
    return float(np.log1p((documents - having + 0.5) / (having + 0.5)))


def most(having: int, documents: int) -> float:
    """The BM25 weight of a stem that a short document is full of."""
    return idf(having, documents) * (K1 + 1)


def weighted(texts: Iterable[str]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The postings of documents, each its stems apart by blanks; counted in flat arrays, for they are many."""
    numbers: dict[str, int] = {}
    which, places, times, lengths = array("i"), array("i"), array("d"), array("d")
    for place, text in enumerate(texts):
        counts = Counter(text.split())
        lengths.append(counts.total())
        which.extend(numbers.setdefault(stem, len(numbers)) for stem in counts)
        places.extend([place] * len(counts))
        times.extend(counts.values())
    order = np.argsort(which, kind="stable")
    documents, frequency, length = np.array(places)[order], np.array(times)[order], np.array(lengths)
    damping = K1 * (1 - B + B * length / max(length.mean() if len(length) else 1.0, 1e-9))
    saturated = frequency * (K1 + 1) / (frequency + damping[documents])
    ends = np.cumsum(np.bincount(which, minlength=len(numbers)))
    postings, start = {}, 0
    for stem, end in zip(numbers, ends.tolist(), strict=True):
        postings[stem] = documents[start:end], idf(end - start, len(length)) * saturated[start:end]
        start = end
    return postings


@newest
def alias_table(domain_id: int, version: Version, *, before: AliasTable | None = None) -> AliasTable:
    """`version` is that of the aliases: the cache forgets what was published before."""
    enabled = Alias.objects.in_use().filter(domain=domain_id).order_by("pk")
    return AliasTable(enabled.values_list("text", "locator", "language").iterator(chunk_size=BATCH), before)


@newest
def collective_names(domain_id: int, version: Version) -> Mapping[tuple[str, ...], tuple[str, tuple[str, ...]]]:
    """The name and the locators of its provisions in order, by the stems of the name in its language."""
    names: dict[tuple[str, ...], tuple[str, tuple[str, ...]]] = {}
    named = Alias.objects.collective().filter(domain=domain_id).values_list("text", "language", "locator")
    for text, language, locator in named:
        phrase = (language, *stems(text, language))
        name, locators = names.get(phrase, (text, ()))
        names[phrase] = name, (*locators, locator)
    return names


@newest
def alias_vectors(domain_id: int, version: Version, model_id: int) -> AliasVectors:
    found = AliasVector.objects.filter(
        model=model_id, alias__in=Alias.objects.in_use().filter(domain=domain_id)
    )
    found = found.order_by("alias__locator", "alias_id").values_list("alias__text", "alias__locator", "vector")
    texts = {text: text for text in alias_table(domain_id, version).texts}  # each is kept once
    return AliasVectors.of((texts.get(text, text), *row) for text, *row in found.iterator(chunk_size=BATCH))


@newest
def wording(domain_id: int, version: Version) -> Wording:
    """Of every name once: its words are the same beside each embedder's vector."""
    found = AliasVector.objects.filter(alias__in=Alias.objects.in_use().filter(domain=domain_id))
    found = found.order_by("alias__locator", "alias_id").distinct("alias__locator", "alias_id")
    return Wording.of(found.values_list("alias__locator", "stems").iterator(chunk_size=BATCH))


def names_most(domain_id: int, versions: Mapping[str, int]) -> bool:
    """Whether at least every second provision of a domain has a curated name, so that one without is less likely meant.
    A domain whose words are not counted yet is taken to have names for most.
    """
    counts = stored_counts(domain_id, versions.get("vocabulary", 0))
    named = wording(domain_id, version_of("aliases", versions)).locators
    return counts is None or 2 * len(named) >= counts.sections


@newest
def named_places(domain_id: int, version: Version, corpus: int) -> Mapping[str, int]:
    """The current section of each locator that an alias names, at this version of the corpus. For public domains only:
    what a caller may see of a private one is asked each time.
    """
    named = Alias.objects.in_use().filter(domain=domain_id).values("locator")
    current = Section.objects.readable(ANONYMOUS).filter(domain=domain_id, locator__in=named)
    return dict(current.values_list("locator", "pk"))


@lru_cache(maxsize=2)
def glossary(version: int) -> Glossary:
    return Glossary(dict(GlossaryTerm.objects.filter(enabled=True).values_list("spanish", "english")))


@lru_cache(maxsize=2)
def words_of_glossary(version: int) -> Counter[str]:
    """How often each folded Spanish word stands in the glossary."""
    terms = GlossaryTerm.objects.filter(enabled=True).values_list("spanish", flat=True)
    return Counter(word for term in terms for word in tokens(term))


class Phrases:
    """What staff say of questions, by the words in them."""

    def __init__(self, rows: list[tuple[str, str, str, str]]):
        """`rows`: (text, language, use, answer)."""
        self.table = AliasTable(
            [(text, f"{use}\n{answer}", language) for text, language, use, answer in rows]
        )

    def uses(self, text: str, language: str) -> dict[str, str]:
        """What is told, by each use that a phrase in the text has."""
        if not self.table.phrases:
            return {}
        return dict(match.locator.split("\n", 1) for match in self.table.matches(text, language))

    def whole(self, text: str, language: str) -> dict[str, str]:
        """The same of phrases that are all of the text."""
        if not self.table.phrases:
            return {}
        return dict(use.split("\n", 1) for _, use in self.table.exactly(text, language))


@lru_cache(maxsize=2)
def phrases(version: int) -> Phrases:
    enabled = QuestionPhrase.objects.filter(enabled=True).order_by("pk")
    return Phrases(list(enabled.values_list("text", "language", "use", "answer")))


@lru_cache(maxsize=2)
def active_thresholds(version: Version) -> Mapping[int, Thresholds]:
    active = DomainThreshold.objects.filter(active=True).select_related("domain")
    return {row.domain_id: thresholds_of(row) for row in active}


def thresholds_of(row: DomainThreshold) -> Thresholds:
    values = {field.name: getattr(row, field.name) for field in fields(Thresholds) if field.name != "name"}
    return Thresholds(name=str(row), **values)


_draft: ContextVar[DomainThreshold | None] = ContextVar("draft", default=None)


def thresholds(version: Version) -> Mapping[int, Thresholds]:
    """The active thresholds by domain id; inside `as_if_published`, the draft in place of its domain's."""
    rows, draft = active_thresholds(version), _draft.get()
    return rows if draft is None else {**rows, draft.domain_id: thresholds_of(draft)}


@contextmanager
def instead(known: ContextVar, value: object) -> Iterator[None]:
    """Searches of this thread run as if the value were in force; nobody else's do. Cached answers know of none: run
    pipelines, not the search service.
    """
    token = known.set(value)
    try:
        yield
    finally:
        known.reset(token)


def as_if_published(draft: DomainThreshold) -> AbstractContextManager[None]:
    """As if this draft of thresholds were in force."""
    return instead(_draft, draft)


@lru_cache(maxsize=4)
def stored_rules(version: Version) -> RuleIndex:
    """Every rule in force at this version of the rules; without those of private domains alone where these are not
    counted, so that no public answer tells whether there are any.
    """
    rules = [row.compiled for row in Rule.objects.published()]
    public, private = version
    if private:
        return RuleIndex(rules)
    public = set(Domain.objects.filter(visibility=Domain.Visibility.PUBLIC).values_list("slug", flat=True))
    return RuleIndex(rule for rule in rules if not rule.domains or not public.isdisjoint(rule.domains))


@lru_cache(maxsize=4)
def tried(trial: tuple[CompiledRule, ...]) -> RuleIndex:
    """The same rules are tried on many questions: they are indexed once."""
    return RuleIndex(trial)


_trial: ContextVar[RuleIndex | None] = ContextVar("trial", default=None)


def rules(version: Version) -> RuleIndex:
    """The published rules; inside `as_if_these_rules`, those instead."""
    trial = _trial.get()
    return stored_rules(version) if trial is None else trial


def as_if_these_rules(trial: Iterable[CompiledRule]) -> AbstractContextManager[None]:
    """As if these rules and no others were published."""
    return instead(_trial, tried(tuple(trial)))
