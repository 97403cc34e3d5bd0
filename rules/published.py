"""What is published now, compiled for matching and kept in memory per version: a new version compiles anew."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial, update_wrapper
from inspect import signature
from itertools import groupby
from operator import itemgetter
from shutil import rmtree
from threading import Lock
from typing import Generic, TypeVar

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Collate

from retrieval.access.caller import ANONYMOUS
from retrieval.engines.translation import Glossary, key_of
from retrieval.indexes.terms import stored_counts
from retrieval.models import Domain, Section
from retrieval.ranking import Thresholds
from retrieval.text.analyzer import stems, tokens
from rules.aliases.kept import load, one_at_a_time, store
from rules.aliases.table import AliasTable
from rules.aliases.vectors import AliasVectors
from rules.aliases.wording import Wording
from rules.engine.clauses import CompiledRule
from rules.engine.firing import RuleIndex
from rules.models import (
    Alias,
    AliasVector,
    DomainThreshold,
    GlossaryTerm,
    NamedProvision,
    QuestionPhrase,
    Rule,
)
from rules.shipped import SPOKEN_GLOSSARY, rows_of

T = TypeVar("T")
BATCH = 2_000  # rows read at a time
NO_MARK = 0  # given to none
MANY = 5_000  # named provisions of a domain: of fewer each process reads the names in less than a second

Version = tuple[int, int]  # of what concerns public domains, and of what concerns private ones alone; 0: not looked at


def version_of(name: str, versions: Mapping[str, int]) -> Version:
    return versions.get(name, 0), versions.get(f"private_{name}", 0)


# By domain, and whether private domains were searched with it: their versions take turns.
_names_now: dict[tuple[int, bool], tuple[Version, Mapping[str, int]]] = {}


def names_now(domain_id: int, version: Version) -> Mapping[str, int]:
    """By locator, what tells the names of a domain from what they were at another version of all names."""
    kept = domain_id, bool(version[1])
    found = _names_now.get(kept)
    if found is None or found[0] != version:
        _names_now[kept] = found = version, marks_of(domain_id)
    return found[1]


def marks_of(domain_id: int) -> dict[str, int]:
    return dict(NamedProvision.objects.filter(domain=domain_id).values_list("locator", "mark"))


@dataclass(frozen=True)
class Made(Generic[T]):
    """What was made of a domain's names. `version` is that of all names, `others` what else it was made for; `names`
    what told of them before they were read: what changed meanwhile is told as another, and read again.
    """

    version: Version
    others: tuple[int, ...]
    names: Mapping[str, int]
    value: T


class Newest(Generic[T]):
    """What was made last of each domain, by `newest`."""

    def __init__(self, make: Callable[..., T], in_files: bool):
        self.make, self.in_files = make, in_files
        self.kind, self.goes_on = signature(make).return_annotation, "before" in signature(make).parameters
        self.kept: dict[int, Made[T]] = {}
        self.making: dict[int, Lock] = defaultdict(Lock)

    def __call__(self, domain_id: int, version: Version, *others: int) -> T:
        found = self.kept.get(domain_id)
        if is_other(found, version, others):
            with self.making[domain_id]:
                found = self.kept.get(domain_id)
                if is_other(found, version, others):
                    many = self.in_files and len(names_now(domain_id, version)) >= MANY
                    made = self.of_machine if many and is_public(domain_id) else self.made
                    self.kept[domain_id] = found = made(found, domain_id, version, others)
        return found.value

    def made(
        self, found: Made[T] | None, domain_id: int, version: Version, others: tuple[int, ...]
    ) -> Made[T]:
        names, last = names_now(domain_id, version), {}
        if found is not None and found.others == others:
            changed = {locator for locator, _ in found.names.items() ^ names.items()}
            if not changed:
                return replace(found, version=version, names=names)
            last = {"before": found.value, "changed": changed} if self.goes_on else {}
        value = self.make(domain_id, version, *others, **last)
        came = marks_of(domain_id).keys() - names.keys()  # one whose names go again has no mark that tells
        return Made(version, others, {**names, **dict.fromkeys(came, NO_MARK)} if came else names, value)

    def of_machine(
        self, found: Made[T] | None, domain_id: int, version: Version, others: tuple[int, ...]
    ) -> Made[T]:
        """By one process for all of this machine."""
        names = names_now(domain_id, version)
        if found is not None and (found.others, found.names) == (others, names):
            return replace(found, version=version)
        path = settings.ARF_NAMES_DIR / str(domain_id) / self.make.__name__
        with one_at_a_time(path.parent):
            if written := load(path, self.kind):
                said, value = written
                of_file = Made(tuple(said["version"]), tuple(said["others"]), said["names"], value)
                found = of_file if found is None or of_file.names == names else found
            now = self.made(found, domain_id, version, others)
            if found is not None and now.value is found.value:
                return now
            forget_other_files()
            said = {"version": now.version, "others": now.others, "names": now.names}
            return replace(now, value=store(said, now.value, path))


def newest(make: Callable[..., T], *, in_files: bool = False) -> Newest[T]:
    """Keeps what was made last of each domain: names take much memory. Any change of one makes a new version of all, at
    which the other domains keep what they have. `make` takes a domain, that version, and what else it is made for; if
    it has parameters for these also what it made last, and the locators whose names have changed since. Others wait
    while one thread makes it: together they would take as many times as long. `in_files`: and so do other processes of
    the machine, if there are many names and they are public.
    """
    return update_wrapper(Newest(make, in_files), make)


def is_public(domain_id: int) -> bool:
    return Domain.objects.filter(pk=domain_id, visibility=Domain.Visibility.PUBLIC).exists()


def forget_other_files() -> None:
    """Those of domains that are gone or not public any more."""
    public = set(map(str, Domain.objects.filter(visibility=Domain.Visibility.PUBLIC).values_list("pk", flat=True)))
    with suppress(OSError):  # what cannot be read or removed is told where something is to be written there
        for path in settings.ARF_NAMES_DIR.iterdir():
            if not path.is_dir():
                path.unlink(missing_ok=True)
            elif path.name not in public:
                rmtree(path, ignore_errors=True)


def is_other(found: Made | None, version: Version, others: tuple[int, ...]) -> bool:
    return found is None or (found.version, found.others) != (version, others)


def of_changed(field: str, changed: Collection[str] | None) -> dict[str, list[str]]:
    """The filter of what is read: all, or the names of the changed locators."""
    return {} if changed is None else {f"{field}__in": sorted(changed)}


@partial(newest, in_files=True)
def alias_table(
    domain_id: int,
    version: Version,
    *,
    before: AliasTable | None = None,
    changed: Collection[str] | None = None,
) -> AliasTable:
    """`version` is that of the aliases: the cache forgets what was published before."""
    enabled = Alias.objects.in_use().filter(domain=domain_id, **of_changed("locator", changed)).order_by("pk")
    found = enabled.values_list("pk", "text", "locator", "language").iterator(chunk_size=BATCH)
    return before.again(changed, found) if before else AliasTable.of(found)


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


@partial(newest, in_files=True)
def alias_vectors(
    domain_id: int,
    version: Version,
    model_id: int,
    *,
    before: AliasVectors | None = None,
    changed: Collection[str] | None = None,
) -> AliasVectors:
    found = vectors_of(domain_id, changed).filter(model=model_id).values_list("alias__text", "alias__locator", "vector")
    named = found.iterator(chunk_size=BATCH)
    return before.again(changed, named) if before else AliasVectors.of(named)


@partial(newest, in_files=True)
def wording(
    domain_id: int,
    version: Version,
    *,
    before: Wording | None = None,
    changed: Collection[str] | None = None,
) -> Wording:
    """Of every name once: its words are the same beside each embedder's vector."""
    found = vectors_of(domain_id, changed).values_list("alias_id", "alias__locator", "stems")
    each = groupby(found.iterator(chunk_size=BATCH), key=itemgetter(0))
    named = (next(its)[1:] for _, its in each)
    return before.again(changed, named) if before else Wording.of(named)


def vectors_of(domain_id: int, changed: Collection[str] | None) -> QuerySet[AliasVector]:
    """Those of names in use, by locator as Python orders them."""
    names = Alias.objects.in_use().filter(domain=domain_id, **of_changed("locator", changed))
    return AliasVector.objects.filter(alias__in=names).order_by(Collate("alias__locator", "C"), "alias_id")


def names_most(domain_id: int, versions: Mapping[str, int]) -> bool:
    """Whether at least every second provision of a domain has a curated name, so that one without is less likely meant.
    A domain with names whose words are not counted yet is taken to have them for most.
    """
    named = wording(domain_id, version_of("aliases", versions)).locators
    if not named:
        return False
    counts = stored_counts(domain_id, versions.get("vocabulary", 0))
    return counts is None or 2 * len(named) >= counts.sections


@lru_cache(maxsize=2)
def domains_with_unread_names(version: Version, model_id: int) -> frozenset[int]:
    """Those with names that have no vector yet, as after their law has come: until then names tell too little."""
    unread = Alias.objects.in_use().exclude(vectors__model=model_id)
    return frozenset(unread.order_by().values_list("domain", flat=True).distinct())


@newest
def named_places(
    domain_id: int,
    version: Version,
    corpus: int,
    *,
    before: Mapping[str, int] | None = None,
    changed: Collection[str] | None = None,
) -> Mapping[str, int]:
    """The current section of each locator that an alias names, at this version of the corpus. For public domains only:
    what a caller may see of a private one is asked each time.
    """
    named = Alias.objects.in_use().filter(domain=domain_id, **of_changed("locator", changed)).values("locator")
    current = Section.objects.readable(ANONYMOUS).filter(domain=domain_id, locator__in=named)
    left = {locator: place for locator, place in (before or {}).items() if locator not in changed}
    return left | dict(current.values_list("locator", "pk"))


@lru_cache(maxsize=2)
def glossary(version: int) -> Glossary:
    """Without terms that have no word, which a system check tells."""
    terms = GlossaryTerm.objects.filter(enabled=True).values_list("spanish", "english")
    return Glossary({spanish: english for spanish, english in terms if key_of(spanish)}, spoken=True)


@lru_cache(maxsize=2)
def spanish_terms(version: int) -> Mapping[str, str]:
    """The Spanish of English terms of several words that have one. A single word may be a noun in one sentence and a
    verb in another; which of several Spanish words is right in a sentence nobody says here. What shipped as people say
    it is no Spanish of law.
    """
    spoken = [row["spanish"] for row in rows_of(SPOKEN_GLOSSARY)]
    terms = GlossaryTerm.objects.filter(enabled=True, english__contains=" ").exclude(spanish__in=spoken)
    rows = terms.values_list("english", "spanish")
    count = Counter(english for english, _ in rows)
    return {english: spanish for english, spanish in rows if count[english] == 1}


@lru_cache(maxsize=2)
def words_of_glossary(version: int) -> Counter[str]:
    """How often each folded Spanish word stands in the glossary."""
    terms = GlossaryTerm.objects.filter(enabled=True).values_list("spanish", flat=True)
    return Counter(word for term in terms for word in tokens(term))


class Phrases:
    """What staff say of questions, by the words in them."""

    def __init__(self, rows: list[tuple[str, str, str, str]]):
        """`rows`: (text, language, use, answer)."""
        self.table = AliasTable.of(
            (number, text, f"{use}\n{answer}", language)
            for number, (text, language, use, answer) in enumerate(rows)
        )

    def uses(self, text: str, language: str) -> dict[str, str]:
        """What is told, by each use that a phrase in the text has."""
        if not self.table:
            return {}
        return dict(match.locator.split("\n", 1) for match in self.table.matches(text, language))

    def answers(self, text: str, language: str, use: str) -> set[str]:
        """What is told by every phrase in the text that has this use."""
        if not self.table:
            return set()
        told = (match.locator.split("\n", 1) for match in self.table.matches(text, language))
        return {answer for its, answer in told if its == use}

    def whole(self, text: str, language: str) -> dict[str, str]:
        """The same of phrases that are all of the text."""
        if not self.table:
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
    told_by_the_row = (field.name for field in fields(Thresholds) if field.name not in ("name", "is_known"))
    values = {name: getattr(row, name) for name in told_by_the_row}
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
