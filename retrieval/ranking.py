"""What stages pass on: a query, its candidates best first, and the account of what happened. Pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import UUID

import numpy as np

from retrieval.access.caller import ANONYMOUS, Caller

if TYPE_CHECKING:
    from retrieval.citations.citation import Citation
    from retrieval.targets import Selection


T = TypeVar("T")


def replace(value: T, **changes) -> T:
    """As `dataclasses.replace`, in a sixth of its time: of a dataclass without slots or `__post_init__`. A search makes
    a hundred rankings and questions.
    """
    if not changes.keys() <= value.__dict__.keys():
        raise TypeError(f"{type(value).__name__} has not all of {', '.join(changes)}")
    made = object.__new__(type(value))
    made.__dict__.update(value.__dict__, **changes)
    return made


@dataclass(frozen=True, slots=True)
class DomainScope:
    """A domain as this caller may search it; only visible ones are ever made."""

    id: int
    slug: str
    corpus_version: int
    private: bool
    languages: tuple[str, ...]
    jurisdiction: str = ""  # "us" for what lies under /us/
    prefix: str = ""  # what its locators begin with
    always_searched: bool = False  # greetings too
    names: tuple[str, ...] = ()  # in English and Spanish
    holds_law: bool = True
    takes_uploads: bool = False  # of documents that the site made itself, which have no form of citation of their own


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """How a caller wants curators' rules used. `given`: these and no others; None: all that are published.

    `coverage` joint searches once under what any rule allows, each makes sure of `quota` results for every one;
    `token_budget` bounds the results' passages; `fallback`, where no given rule fires: search all (global) or none.
    """

    given: tuple[object, ...] | None = None  # compiled by the app that owns rules
    keyword_trigger: bool = True
    coverage: str = "joint"
    quota: int = 1
    token_budget: int | None = None
    fallback: str = "global"


@dataclass(frozen=True, slots=True)
class Page:
    """Which of the results the caller wants to see: `k` at a time, pages counted from 1; `whole`: with all their text
    and notes; `facets`: counted by what they are of; `notes`: with what notes have the words, beside them.
    """

    number: int = 1
    k: int = 10
    whole: bool = False
    facets: bool = False
    notes: bool = False


NEAR_MISSES = 5  # the contract's "at most 5"
EXACT = ("citation", "rule_pin", "rule_alias")  # reasons of what a question cites or a rule puts there
ACCEPTED, UNCERTAIN, REJECTED = "accepted", "uncertain", "rejected"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """A domain's thresholds in force, named as curators edit them (`rules.models.DomainThreshold` explains each)."""

    name: str = ""
    version: int = 0
    answer_minimum: float = 0.0
    is_on_scale: bool = True  # the answer minimum was chosen on the serving reranker's scale
    minimum: float = 0.0
    verify: float = 0.2
    accept: float = 0.6
    confident: float = 0.8
    gap: float = 1.0
    alias_search: float = 0.4
    query_search: float = 0.8
    mlp_low: float = 0.4
    mlp_high: float = 0.6
    blend: float = 0.6
    llm_weight: float = 0.5
    calibration: Mapping[str, float] = field(default_factory=dict)
    is_known: bool = True  # people judged, or the reranker learned, what the domain answers

    def zone(self, probability: float) -> str:
        """What the learned reranker makes of a candidate."""
        if probability >= self.mlp_high:
            return ACCEPTED
        return REJECTED if probability <= self.mlp_low else UNCERTAIN


UNSET = Thresholds()  # what the reranker goes by in a domain without thresholds


@dataclass(frozen=True)
class Query:
    """What is asked now. `text` is what retrieval reads (English once translated), `original` as typed.

    The caller may search only what is `within` some places; rules that fired may have `rewritten` the text, and
    `include` only some of the corpus and `exclude` some.
    """

    original: str
    text: str
    normalized: str
    language: str
    domains: tuple[DomainScope, ...]
    caller: Caller = ANONYMOUS
    as_of: date | None = None
    versions: Mapping[str, int] = field(default_factory=dict)
    translated: str | None = None
    respelled: str | None = None  # in the language it was typed in, with misspelt words put right
    citations: tuple[Citation, ...] = ()
    unresolved: str = ""  # the citation that is all of the question, where it leads to nothing that may be read here
    vector: np.ndarray | None = field(default=None, compare=False)  # of `text`, (dims,) float32, unit length
    embedded_by: int | None = None  # the embedding model's row
    thresholds: Mapping[int, Thresholds] = field(default_factory=dict)  # by domain
    named: frozenset[int] = frozenset()  # the domains that it names as where its answer stands
    routes: Mapping[int, float] = field(default_factory=dict)  # by domain, the probability that it is asked about
    domain_features: Mapping[int, tuple[float, ...]] = field(default_factory=dict)  # what tells whether each answers
    page: Page | None = None  # None where nothing is shown, as in measuring
    trace_id: UUID | None = None  # of a search that is logged
    rules: RuleOptions = RuleOptions()
    fired: tuple[object, ...] = ()  # the rules that fired, compiled, in their order
    rewritten: str | None = None
    strategy: str = ""  # by what it is best searched
    synonyms: tuple[str, ...] = ()  # words looked for besides the question's
    within: Selection | None = None
    bound: bool = False  # the caller restricted it to places, whole domains among them: it is searched nowhere else
    include: Selection | None = None
    exclude: Selection | None = None
    nameless: frozenset[str] = frozenset()  # locators whose curated names are passed over, to learn to do without
    worked_out: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, what: Hashable, work_out: Callable[[], T]) -> T:
        """What rests on the question alone is worked out once in a search, whatever bodies of law it is put to.
        `what` names it and all that it rests on.
        """
        if what not in self.worked_out:
            self.worked_out[what] = work_out()
        return self.worked_out[what]

    @property
    def selections(self) -> list[Selection]:
        """What is searched lies in each of these."""
        return [selection for selection in (self.within, self.include) if selection is not None]

    @property
    def is_restricted(self) -> bool:
        return bool(self.selections) or self.exclude is not None

    @property
    def domain_ids(self) -> list[int]:
        return [domain.id for domain in self.domains]

    @property
    def corrected_text(self) -> str:
        """The question in its own language, its misspelt words corrected."""
        return self.respelled or self.original

    @property
    def filled(self) -> tuple[DomainScope, ...]:
        """The domains that anything was ever published in."""
        return tuple(domain for domain in self.domains if domain.corpus_version)

    def route_to(self, domain: DomainScope) -> float:
        """The probability that the question is about this domain; 1 where nobody asked."""
        return self.routes.get(domain.id, 1.0)

    def thresholds_for(self, candidate: Candidate) -> Thresholds:
        return self.thresholds.get(candidate.domain_id, UNSET)


class Reason(NamedTuple):
    """Why a candidate stands where it stands: a code to translate and the values it speaks of."""

    code: str
    values: Mapping[str, str | float | int] = {}


class Candidate(NamedTuple):
    """A section in play. `scores` and `ranks` are by leg, ranks 1-based; `probability` is calibrated, 0-1; `zone`
    is what the reranker makes of it: accepted, uncertain or rejected.

    A search makes a thousand of these and of their reasons: as named tuples, in a third of the time of dataclasses.
    """

    section_id: int
    domain_id: int | None = None
    locator: str = ""
    score: float = 0.0
    chunk_id: int | None = None
    scores: Mapping[str, float] = {}
    ranks: Mapping[str, int] = {}
    reasons: tuple[Reason, ...] = ()
    probability: float | None = None
    gate: str = ""  # A accepted, B to be verified, C rejected
    zone: str = ""
    pin: str | None = None

    def but(self, **changes) -> Candidate:
        """The same with these fields changed: `_replace`, in half its time."""
        values = list(self)
        for name, value in changes.items():
            values[PLACES[name]] = value
        return tuple.__new__(Candidate, values)


PLACES = {name: place for place, name in enumerate(Candidate._fields)}


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate no longer in play: by which stage and why."""

    candidate: Candidate
    stage: str
    reason: Reason


@dataclass(frozen=True)
class StageReport:
    """One line of the trace. `status`: applied, skipped or failed; times in ms; `legs` of a fusion stand inside."""

    name: str
    status: str
    ms: float
    before: int
    after: int
    note: str = ""
    details: Mapping = field(default_factory=dict)


ANOTHER_COUNTRY = "another_country"  # the notice that what is asked is its law: what is found is no answer
CRISIS = "crisis"  # the code of what is told to a cry for help


@dataclass(frozen=True, slots=True)
class Notice:
    """What is told above the results, or instead of a search, in the language of the question."""

    code: str
    text: str
    searched: bool = True


@dataclass(frozen=True, slots=True)
class Shadow:
    """What a reranker that does not serve would put first, beside what the one that serves does: ten locators each."""

    model_id: int
    served: tuple[str, ...]
    instead: tuple[str, ...]


@dataclass(frozen=True)
class Ranking:
    """A query and its candidates, best first; `final` means that ranking stages leave the order alone;
    `answer` is the probability that the pool holds one, where a reranker gave it; `doubtful`: it hardly was enough.
    """

    query: Query
    candidates: tuple[Candidate, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    reports: tuple[StageReport, ...] = ()
    final: bool = False
    abstained: bool = False
    confident: bool = False
    answer: float | None = None
    doubtful: bool = False
    near_misses: tuple[Candidate, ...] = ()
    suggestions: tuple[str, ...] = ()
    in_notes: tuple[Mapping, ...] = ()  # notes that have the words, as they are told; never candidates
    missing_words: tuple[str, ...] = ()  # what the question puts in quotes, where nothing found has all of it
    degraded: tuple[str, ...] = ()
    corrected: tuple[str, ...] = ()  # the stages that put the question right after a search that found too little
    support: float | None = None  # the probability that what was found answers; None: not worked out
    shadow: Shadow | None = None
    notice: Notice | None = None
    shown: Mapping = field(default_factory=dict)  # the page that was asked for
    curated: Mapping = field(default_factory=dict)  # what rules did, as the answer tells it
    note: str = ""
    details: Mapping = field(default_factory=dict)

    def with_candidates(self, candidates: Iterable[Candidate], **changes) -> Ranking:
        """Ordered by score, ties by section id: the same candidates give the same page."""
        ordered = sorted(candidates, key=lambda c: (-c.score, c.section_id))
        return replace(self, candidates=tuple(ordered), **changes)

    def drop(self, gone: Mapping[int, Reason], by: type) -> Ranking:
        """Takes candidates out by section id, keeping each with its reason and the dropping stage for the trace."""
        kept = tuple(c for c in self.candidates if c.section_id not in gone)
        dropped = tuple(
            Dropped(c, by.__name__, gone[c.section_id]) for c in self.candidates if c.section_id in gone
        )
        return replace(self, candidates=kept, dropped=self.dropped + dropped)

    def dropped_by(self, *stages: type) -> list[Candidate]:
        names = {stage.__name__ for stage in stages}
        return [gone.candidate for gone in self.dropped if gone.stage in names]

    def abstaining(self, reason: Reason, by: type) -> Ranking:
        """Every candidate dropped for this reason; the first of them are near misses."""
        misses = (self.candidates or self.near_misses)[:NEAR_MISSES]
        gone = {candidate.section_id: reason for candidate in self.candidates}
        return replace(self.drop(gone, by), abstained=True, near_misses=misses)

    def noting(self, note: str, **details) -> Ranking:
        """Says something in the trace line of the stage now running."""
        return replace(self, note=note, details={**self.details, **details})
