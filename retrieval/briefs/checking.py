"""A brief checked: every citation, every quotation beside the words it is said to come from, and every sentence that
cites law without quoting it beside that law.

Nothing of a brief is stored, cached or logged. What is found is read as the caller.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property
from itertools import takewhile

from django.utils.translation import gettext

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.briefs import wording
from retrieval.briefs.apart import is_cited_apart, is_of_another_opinion
from retrieval.briefs.citing import Cited, admits, cited_in
from retrieval.briefs.library import Library, Source, Stand
from retrieval.briefs.opinions import with_opinions
from retrieval.briefs.overruling import untrue_overrulings
from retrieval.briefs.propositions import PropositionCheck, check_propositions
from retrieval.briefs.quoting import Belongs, Quotation, Unit, belongs, quotations, units
from retrieval.briefs.wording import Comparison, Difference
from retrieval.citations.case_names import alike, initials, words_of
from retrieval.citations.citation import Source as Written
from retrieval.corpus import history, titled
from retrieval.errors import gettext_noop
from retrieval.models import Document, Section
from retrieval.proof.types import Outcome, Verdict, outcome
from retrieval.text.language import detect
from retrieval.text.separate_opinions import SEPARATE

MAX_TEXT = 64_000  # characters of a brief
MOST_CITATIONS = 500  # that are looked up; a brief of this length has some hundreds
MOST_SOUGHT = 60  # quotations that are looked for elsewhere
MOST_QUOTATIONS = 500
MOST_TRIED = 6  # citations that one quotation may belong to
FEWEST = 3  # words of a quotation that is missed where it is not found; fewer are terms
OURS = 0.8  # of the words: a Spanish quotation that is less alike is from a translation which is not ours
TELLING = 12  # words of it: one of fewer may be from another too where any differs, but for a "not" or a number
EXCERPT = 600  # characters of a source that are shown
NOTICE = gettext_noop("Read beside the law that is here, as of %(day)s. This is no legal advice.")
QUOTED = ("exact", "altered", "not_found", "unchecked", "unattributed")
KINDS = (
    *("unknown", "partial", "superseded", "overruled", "not_yet_in_force", "shared", "name", "year", "overruling"),
    *("altered", "misplaced", "not_found", "opinion", "contradicted", "unsupported", "outdated"),
)
_ONE_PARTY = re.compile(r"(?<![a-z])(?:see\s|in re|ex parte|matter of)")
_LIST = re.compile(r"[\s,&–-]*(?:and|or|y|o)?\s*")
_SIDES = re.compile(r"(?<!\w)vs?\.?(?!\w)", re.IGNORECASE)
# A party so named may be the one that is known by another name: shortened, the public, or who holds an office.
_MAY_BE_ANY = re.compile(
    r"[.'’]|\b[A-Z]{2,}\b|\b(?i:state|people|commonwealth|government|commissioner|secretary|warden|director"
    r"|superintendent|sheriff|mayor|governor)\b"
)


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """A citation, what it leads to, and what is wrong with it: "name" and "year" of a decision, an "overruling" told of
    it that is not known, a title that is "shared". `meant` is the decision of that name; `admitted`: the brief says
    itself that this is no longer law.
    """

    cited: Cited
    stand: Stand
    problems: tuple[str, ...] = ()
    meant: Section | None = None
    admitted: bool = False

    @property
    def verdict(self) -> Verdict:
        good = self.stand.status == "resolved" or self.admitted
        return "supported" if self.stand.leads and good and not self.problems else "not_found"

    @property
    def findings(self) -> Iterator[str]:
        if self.cited.again:
            return
        missing = self.stand.status in ("partial", "unknown")
        if missing and (self.stand.known or self.meant or self.cited.is_misprinted):
            yield self.stand.status
        if self.stand.status in ("superseded", "overruled", "not_yet_in_force") and not self.admitted:
            yield self.stand.status
        yield from self.problems

    def to_dict(self, day: date) -> dict:
        nearest = self.meant or (None if self.stand.leads else self.stand.place)
        made = history.standing(self.stand.pin or self.cited.locator, day).made if self.stand.leads else ()
        return {
            **{name: getattr(self.cited, name) for name in ("text", "start", "end", "normalized", "locator")},
            "status": self.stand.status,
            "standing": self.stand.standing or None,
            "found": place(self.stand.place) if self.stand.leads else None,
            "nearest": place(nearest),
            "history": [change.to_dict() for change in made],
            "known_from": self.stand.known_from and self.stand.known_from.isoformat(),
            "admitted": self.admitted,
            "withdrawn_on": self.stand.withdrawn_on and self.stand.withdrawn_on.isoformat(),
            "findings": list(self.findings),
        }


@dataclass(frozen=True, slots=True)
class QuotationCheck:
    """A quotation beside the place that its citation (by its number) leads to. `elsewhere` has its very words."""

    quotation: Quotation
    status: str  # of QUOTED; unchecked: its source's words are not here; unattributed: nothing is cited
    citation: int | None = None
    comparison: Comparison = Comparison("not_found")
    source: Source | None = None
    elsewhere: Source | None = None
    missed: bool = False  # it is said to be there
    of_another: bool = False  # opinion of the decision than the brief says

    @property
    def verdict(self) -> Verdict:
        """Where nothing is cited for it, it claims nothing."""
        if self.status == "unattributed":
            return "not_a_claim"
        return "supported" if self.status == "exact" and not self.of_another else "not_found"

    @property
    def is_left(self) -> bool:
        """Whether a reader has to compare it: its source is not here, or nothing is cited for more than a term."""
        uncited = self.status == "unattributed" and wording.count_words(self.quotation.words) >= FEWEST
        return self.status == "unchecked" or uncited

    @property
    def differences(self) -> Sequence[Difference]:
        return self.comparison.differences if self.status != "exact" else ()

    @property
    def span_elsewhere(self) -> tuple[int, int] | None:
        found = self.elsewhere and wording.found_exactly(self.quotation.words, self.elsewhere.words)
        return found.span if found else None

    @property
    def findings(self) -> Iterator[str]:
        if self.status == "altered":
            yield "altered"
        if self.status == "not_found" and self.missed:
            yield "misplaced" if self.elsewhere else "not_found"
        if self.of_another:
            yield "opinion"

    def to_dict(self) -> dict:
        return {
            "text": self.quotation.words,
            "start": self.quotation.start,
            "end": self.quotation.end,
            "citation": self.citation,
            "status": self.status,
            "differences": [asdict(difference) for difference in self.differences],
            "source": excerpt(self.source, self.comparison.span),
            "elsewhere": excerpt(self.elsewhere, self.span_elsewhere),
            "findings": list(self.findings),
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at, at a place of the brief; `number` is its place among what `of` names."""

    start: int
    end: int
    kind: str
    of: str
    number: int


@dataclass(frozen=True)
class Report:
    text: str
    day: date
    citations: tuple[CitationCheck, ...]
    quotations: tuple[QuotationCheck, ...]
    propositions: tuple[PropositionCheck, ...]
    complete: bool  # whether everything was looked up
    opinion: str = ""  # what became of asking a language model; empty where none was
    scanned_pages: tuple[int, ...] = ()  # of the file: scans, of which nothing was read

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """In the order of the text."""
        checked = {
            "citation": [(check.cited, check) for check in self.citations],
            "quotation": [(check.quotation, check) for check in self.quotations],
            "proposition": [(check.claim, check) for check in self.propositions],
        }
        found = [
            Finding(said.start, said.end, kind, of, number)
            for of, checks in checked.items()
            for number, (said, check) in enumerate(checks)
            for kind in check.findings
        ]
        return tuple(sorted(found, key=lambda finding: (finding.start, finding.end)))

    @property
    def verification(self) -> Outcome:
        """Of its citations, its quotations and the sentences that cite law; never clean where not all was looked up, or
        a quotation is left to compare.
        """
        checks = (*self.citations, *self.quotations, *(check.claim for check in self.propositions))
        found = outcome(check.verdict for check in checks)
        left = found == "verified" and any(check.is_left for check in self.quotations)
        return found if self.complete and not left else "not_verified"

    def to_dict(self) -> dict:
        """As the API gives it; not the text."""
        return {
            "as_of": self.day.isoformat(),
            "complete": self.complete,
            "scanned_pages": list(self.scanned_pages),
            "opinion": self.opinion or None,
            "verification": self.verification,
            "citations": [check.to_dict(self.day) for check in self.citations],
            "quotations": [check.to_dict() for check in self.quotations],
            "propositions": [check.to_dict() for check in self.propositions],
            "findings": [asdict(finding) for finding in self.findings],
            "notice": self.notice,
        }

    @property
    def notice(self) -> str:
        """In the language of the moment."""
        return gettext(NOTICE) % {"day": self.day.isoformat()}


def check_brief(
    text: str,
    scanned_pages: Sequence[int] = (),
    *,
    as_of: date | None = None,
    caller: Caller = ANONYMOUS,
    opinion: bool = False,
) -> Report:
    """1. Find the citations, and what each leads to on the day.
    2. Find the quotations, and the citation that each belongs to.
    3. Compare each with the words of that place; look for it elsewhere where they differ.
    4. Read the sentences that cite law without quoting it beside that law.
    5. Have a language model say what it thinks of those that stay unsure, where the caller wants and may.
    """
    with as_caller(caller):
        library = Library(caller, as_of)
        found = cited_in(text, library.names, library.titled_in(text), titled.cited_in(text, library.query, ever=True))
        cited = found[:MOST_CITATIONS]
        library.look_up(cited)
        spans = [(one.start, one.end) for one in cited]
        among = units(text, spans)
        said = [said_of(number, text, among) for number in range(len(cited))]
        untrue = untrue_overrulings(text, among, cited, library.names, library.day)
        citations = tuple(
            check_citation(one, library, said[number], is_untrue=number in untrue) for number, one in enumerate(cited)
        )
        library.read(check.stand for check in citations)
        checker = Quotations(text, citations, spans, among, library)
        quoted = quotations(text)
        checks = tuple(checker.check(quotation) for quotation in quoted[:MOST_QUOTATIONS])
        stands = [check.stand for check in citations]
        propositions = check_propositions(text, among, cited, stands, quoted, library)
    all_read = (
        len(found) <= MOST_CITATIONS and len(quoted) <= MOST_QUOTATIONS and checker.sought <= MOST_SOUGHT
    )
    complete = all_read and not library.unsearched and not scanned_pages
    propositions, outcome = with_opinions(propositions, caller) if opinion else (propositions, "")
    return Report(text, library.day, citations, checks, propositions, complete, outcome, tuple(scanned_pages))


def said_of(number: int, text: str, among: Sequence[Unit]) -> str:
    """The sentence that a citation stands in, with the one that calls its note."""
    return " ".join(text[unit.start : unit.end] for unit in among if number in unit.citations)


# -- Citations


def check_citation(cited: Cited, library: Library, sentence: str, *, is_untrue: bool = False) -> CitationCheck:
    stand = library.stand(cited)
    named = library.case_named(cited.name)
    meant = named if named and named.locator != cited.locator else None
    if not stand.leads:
        return CitationCheck(cited, stand, meant=meant)
    case = stand.section if stand.section and stand.section.level == "case" else None
    wrong_year = bool(case and cited.year and case.valid_from and cited.year != case.valid_from.year)
    may_differ = bool(case and cited.name) and (named is None or meant is not None)
    wrong_name = may_differ and is_other_case(cited.name, case, meant)
    problems = ("shared",) * cited.shared + ("name",) * wrong_name + ("year",) * (wrong_year and not wrong_name)
    problems += ("overruling",) * is_untrue
    return CitationCheck(cited, stand, problems, meant if wrong_name else None, admits(sentence))


def is_other_case(name: str, case: Section, meant: Section | None) -> bool:
    """Whether the name is not that of the case cited: no party is the same, or one is plainly another; or one may be,
    and the name is another's.
    """
    folded = (_ONE_PARTY.sub(" ", Written.of(one).folded) for one in (name, case.heading))
    said, known = (_SIDES.split(one, maxsplit=1) for one in folded)
    if len(said) != len(known):
        return meant is not None
    sides = zip(_SIDES.split(name, maxsplit=1), said, known, strict=False)
    others = [side for side, one, other in sides if not is_party(one, other)]
    plainly = not all(map(_MAY_BE_ANY.search, others))
    return len(others) == len(said) or plainly or bool(others and meant)


def is_party(said: str, known: str) -> bool:
    """By one word, in full or short: "Bd.", "Nat'l", "INS"."""
    words, parties = ([word.text for word in words_of(side)] for side in (said, known))
    if not words or not parties:
        return True
    begun = [word for word in re.findall(r"[a-z]{3,}", said) if word not in ("the", "and", "see")]
    return (
        any(alike(word, party) for word in words for party in parties)
        or any(party.startswith(word) for word in begun for party in parties)
        or initials(parties) in words
    )


# -- Quotations


@dataclass(slots=True)
class Quotations:
    """Of one brief, in order; counts those that had to be looked for."""

    text: str
    citations: Sequence[CitationCheck]
    spans: Sequence[tuple[int, int]]
    among: Sequence[Unit]
    library: Library
    sought: int = 0

    def check(self, quotation: Quotation) -> QuotationCheck:
        places = belongs(quotation, self.text, self.spans, self.among)
        if not places.citations:
            return QuotationCheck(quotation, "unattributed")
        if self.library.is_late():
            return QuotationCheck(quotation, "unchecked", places.citations[0])
        tried = list(self.beside_each(quotation, places.citations[:MOST_TRIED]))
        best = next((check for check in tried if check.status == "exact"), None)
        if best is not None and (
            self.is_listed(tried[0].citation, best.citation)
            or places.how != "surely"
            or tried[0].status == "unchecked"
        ):
            return best
        if places.how == "above":
            return tried[0] if tried[0].comparison.alike > 0.8 else QuotationCheck(quotation, "unattributed")
        return self.missing(tried[0], places)

    def beside_each(self, quotation: Quotation, numbers: Sequence[int]) -> Iterator[QuotationCheck]:
        """Beside the first, and the others while there is time."""
        for number in numbers:
            yield self.beside(quotation, number)
            if self.library.is_late():
                break

    def is_listed(self, first: int, other: int) -> bool:
        """Whether they are one, of documents that share a title, or neighbours in one list: "§ 1158(a)(1)-(2)"."""
        if self.spans[other] == self.spans[first]:
            return True
        return other == first + 1 and bool(
            _LIST.fullmatch(self.text, self.spans[first][1], self.spans[other][0])
        )

    def beside(self, quotation: Quotation, number: int) -> QuotationCheck:
        """Compared with all words of the place cited, and with those above its list: as near as they come."""
        stand = self.citations[number].stand
        sources = [*self.library.sources(stand), *self.library.opened(stand)]
        if not sources:
            return QuotationCheck(quotation, "unchecked", number)
        compared = [(wording.compare(quotation.words, source.words), source) for source in sources]
        cited = self.citations[number].cited
        apart = is_cited_apart(self.text, cited)

        def nearness(pair: tuple[Comparison, Source]) -> tuple[bool, float, bool]:
            return pair[0].status == "exact", pair[0].alike, (pair[1].opinion in SEPARATE) == apart

        comparison, source = max(compared, key=nearness)
        length = wording.count_words(quotation.words)
        if comparison.status == "not_found" and length > wording.LONGEST:
            return QuotationCheck(quotation, "unchecked", number)
        tells = comparison.status == "exact" or comparison.is_turned or length >= TELLING
        may_be_ours = comparison.alike >= OURS and tells
        if not may_be_ours and sources[0].language == "en" and detect(quotation.words) == "es":
            return QuotationCheck(quotation, "unchecked", number)  # in somebody's own translation
        if comparison.status == "exact" and source.pin and not overlap(comparison.span, source.pin):
            return QuotationCheck(quotation, "not_found", number, elsewhere=source, missed=True)
        of_another = comparison.status in ("exact", "altered") and is_of_another_opinion(
            self.text, quotation, cited, self.among, source
        )
        return QuotationCheck(quotation, comparison.status, number, comparison, source, of_another=of_another)

    def missing(self, check: QuotationCheck, places: Belongs) -> QuotationCheck:
        """Not there word by word: perhaps it is elsewhere."""
        quotation, citation = check.quotation, self.citations[check.citation]
        if check.status == "unchecked" or check.elsewhere or wording.count_words(quotation.words) < FEWEST:
            return check
        elsewhere = self.elsewhere(quotation, citation.stand)
        status = "not_found" if elsewhere else check.status
        return replace(
            check,
            status=status,
            source=check.source if check.comparison.span else None,
            elsewhere=elsewhere,
            missed=citation.stand.leads and (places.how == "surely" or elsewhere is not None),
        )

    def elsewhere(self, quotation: Quotation, stand: Stand) -> Source | None:
        """In what else the brief cites, in another text of the same place, or in the law with most of these words."""
        stands = {id(check.stand): check.stand for check in self.citations}.values()
        others = (source for each in stands for source in self.library.sources(each))
        others = takewhile(lambda _: not self.library.is_late(), others)
        if found := first_exact(quotation, others) or first_exact(quotation, self.library.versions(stand)):
            return found
        self.sought += 1
        return (
            first_exact(quotation, self.library.like(quotation.words)) if self.sought <= MOST_SOUGHT else None
        )


def first_exact(quotation: Quotation, sources: Iterator[Source]) -> Source | None:
    return next((source for source in sources if is_in(quotation, source)), None)


def is_in(quotation: Quotation, source: Source) -> bool:
    found = wording.found_exactly(quotation.words, source.words)
    return found is not None and found.status == "exact"


def overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


# -- As JSON


def place(found: Section | Document | None) -> dict | None:
    if found is None:
        return None
    title, citation = (
        (found.title, found.title) if isinstance(found, Document) else (found.heading, found.citation)
    )
    return {
        "locator": found.locator,
        "citation": citation or title,
        "title": title or citation,
        "url": f"/law{found.locator}",
    }


def excerpt(source: Source | None, span: tuple[int, int] | None) -> dict | None:
    if source is None:
        return None
    return {
        "locator": source.locator,
        "citation": source.citation,
        "language": source.language,
        "valid_from": source.valid_from and source.valid_from.isoformat(),
        "valid_to": source.valid_to and source.valid_to.isoformat(),
        "text": source.text[slice(*span)][:EXCERPT] if span else "",
    }
