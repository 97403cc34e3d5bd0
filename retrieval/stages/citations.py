"""Citations: a query that is only a citation is answered by its place; one inside a question finds a candidate.
Questions of what changed a provision are answered by the provision that did, then by the one that is cited.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import reduce
from operator import or_

from django.db.models import Count, Q, QuerySet
from django.db.models.query import RawQuerySet

from retrieval.citations.amending import changed_provisions, changing_provisions
from retrieval.citations.citation import Citation
from retrieval.citations.finding import absent_provision, find_citations, named_case, whole_citations
from retrieval.citations.heads import words
from retrieval.citations.titled import beside
from retrieval.corpus import decided_cases, graph, history, titled
from retrieval.corpus.decided_cases import OF_CASES
from retrieval.corpus.filters import above, searched, written_as_searched
from retrieval.corpus.history import Change, is_within
from retrieval.corpus.moved import MOVED, where_it_went
from retrieval.corpus.ranges import holding_ranges
from retrieval.corpus.statements import rows
from retrieval.models import Section
from retrieval.pipeline import unless_final
from retrieval.ranking import NEAR_MISSES, Candidate, Query, Ranking, Reason
from retrieval.stages.acts import acts_named
from retrieval.text.normalization import fold

MAX_UNDER = 100  # sections shown under a cited node, and decisions of those that cite it
MOST_CITED = 20  # sections below a cited node of which decisions are looked for
# Of a question that asks for the decisions on what it cites, and for nothing else.
_CASES = frozenset(words("cases decisions rulings opinions precedents casos fallos sentencias decisiones precedentes"))
_ABOUT_THEM = frozenset(
    words(
        "which what are there is list show me find give all any the of a supreme court scotus leading landmark main "
        "important key major on about under concerning regarding construing construe interpreting interpret "
        "interpreted applying apply applied citing cite discussing discuss that have has by in que cuales son hay los "
        "las el la de del sobre acerca bajo interpretan interpreta aplican aplica citan cita corte suprema principales"
    )
)
_CODES = ("/us/usc/", "/us/cfr/")
_WHOLE = ("/us/const/", *_CODES)  # of a provision here all places are known: others are nowhere


@dataclass(frozen=True)
class Place:
    """Where a cited locator leads: a section, and the deeper anchor if one was cited."""

    locator: str
    section: Section
    pin: str | None
    exact: bool


@dataclass(frozen=True)
class ResolveCitations:
    """Reads citations. A query that is nothing but one, or a list of them, is answered by their places in order, and
    ranking stages pass; so is one of documents that the site made itself, where it is none of the law searched.
    """

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        names, private = decided_cases.names_for(query), any(domain.private for domain in query.domains)
        whole = whole_citations(query.original, names=names, short_names=not private)  # a client may be named so
        found = whole or cited_in(query, query.original)
        ranking = replace(ranking, query=replace(query, citations=found))
        places = resolve(query, [citation.locator for citation in whole])
        if own := own_instead(query.original, query, places):
            return self._titled(ranking, own)
        if lacked := [] if places else titled.lacking(query.original, query):
            return self._absent(ranking, lacked[0], lacked[0].locator.rpartition("/")[0])
        if not found:
            return self._without(ranking)
        if len(whole) == 1:
            return self._one(ranking, whole[0], places)
        named = ranking.noting(", ".join(citation.normalized for citation in found))
        all_here = whole and {c.locator for c in whole if c.text} <= {p.locator for p in places if p.exact}
        return self._final(named, in_ranges(ranking.query, whole, places)) if all_here else named

    def _titled(self, ranking: Ranking, own: Sequence[Citation]) -> Ranking:
        query = replace(ranking.query, citations=tuple(own))
        named = ", ".join(citation.normalized for citation in own)
        return self._final(replace(ranking, query=query).noting(named), resolve(query, [c.locator for c in own]))

    def _without(self, ranking: Ranking) -> Ranking:
        """Private documents have articles and amendments of their own."""
        named = absent_provision(ranking.query.original) or case_not_here(ranking.query)
        if not named or any(domain.private for domain in ranking.query.domains):
            return ranking.noting("no citation")
        return replace(ranking, query=replace(ranking.query, unresolved=named)).noting(f"there is no {named}")

    def _one(self, ranking: Ranking, citation: Citation, places: list[Place]) -> Ranking:
        if not places:
            query = replace(ranking.query, unresolved=citation.normalized)
            return replace(ranking, query=query).noting(f"{citation.normalized} is not in these domains")
        if not (places[0].exact or places[0].section.is_result):
            if any(domain.private for domain in ranking.query.domains):  # their articles have numbers of their own
                return ranking.noting(f"{citation.normalized} is not in the law here")
            return self._absent(ranking, citation, places[0].section.locator)
        if not places[0].exact and citation.locator.startswith(_WHOLE):
            ranking = replace(ranking, query=replace(ranking.query, unresolved=citation.normalized))
        return self._final(ranking.noting(citation.normalized), places)

    def _final(self, ranking: Ranking, places: list[Place]) -> Ranking:
        found: dict[int, Candidate] = {}
        for place in places:
            node = cited_candidate(place.section.pk, place)
            node = node.but(domain_id=place.section.domain_id, locator=place.section.locator)
            for one in (node, *successors(ranking.query, place), *self._under(ranking, place)):
                found.setdefault(one.section_id, one)
        ordered = tuple(c.but(score=1.0 / rank) for rank, c in enumerate(found.values(), start=1))
        return replace(ranking, candidates=ordered, final=True)

    def _absent(self, ranking: Ranking, citation: Citation, above: str) -> Ranking:
        """What it stands under is here, it is not: told at once, beside the provisions of the nearest name."""
        query = replace(ranking.query, unresolved=citation.normalized)
        near = named_alike(query, citation.locator, above)
        told = Reason("near_citation", {"citation": citation.normalized})
        candidates = tuple(candidate(pk, told, domain_id=domain, locator=name) for pk, domain, name in near)
        reason = Reason("no_such_provision", {"citation": citation.normalized})
        found = replace(ranking, query=query, candidates=candidates, final=True)
        return found.abstaining(reason, type(self)).noting(f"there is no {citation.normalized}")

    def _under(self, ranking: Ranking, place: Place) -> list[Candidate]:
        if place.section.is_leaf:
            return []
        under = sections_under(ranking.query, place).exclude(pk=place.section.pk)
        reason = Reason("citation_under", {"citation": place.section.citation})
        return [
            candidate(pk, reason, domain_id=place.section.domain_id, locator=locator)
            for pk, locator in under.values_list("pk", "locator")[:MAX_UNDER]
        ]


@dataclass(frozen=True)
class CitationRetriever:
    """Sections cited in the question: a strong candidate, no more. A node above the result level means those below.
    An act that is named without one of its sections means its first, half as strongly.
    """

    weight: float = 3.0

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        acts = acts_alone(query)
        if not (query.citations or acts):
            return ranking.noting("no citation in the question", skipped=True)
        candidates: dict[int, Candidate] = {}
        read: set[tuple[int, bool]] = set()  # places that have others below them
        for place in resolve(query, [citation.locator for citation in query.citations]):
            if (place.section.pk, place.exact) not in read:
                for section in result_sections(query, place):
                    candidates.setdefault(section, cited_candidate(section, place))
            if not place.section.is_leaf:
                read.add((place.section.pk, place.exact))
            for one in successors(query, place):
                candidates.setdefault(one.section_id, one)
        for place in resolve(query, list(acts)):
            if place.exact:
                candidates.setdefault(place.section.pk, act_candidate(place.section.pk, acts[place.locator]))
        named = (*(citation.normalized for citation in query.citations), *acts.values())
        return ranking.with_candidates(candidates.values()).noting(", ".join(named))


def acts_alone(query: Query) -> dict[str, str]:
    """The acts that the question names without citing a section of theirs, by the locator of their first."""
    named = {found.act for found in acts_named(query)}
    cited = [citation.locator for citation in query.citations]
    return {act.first: act.name for act in named if not any(act.holds(locator) for locator in cited)}


def act_candidate(section: int, act: str) -> Candidate:
    reason = Reason("named_act", {"act": act})
    return Candidate(section, scores={"citation": 0.5}, ranks={"citation": 2}, reasons=(reason,))


def cited_in(query: Query, text: str) -> tuple[Citation, ...]:
    """What a reading of the question cites, decisions by the names of those that are searched among them."""
    names = decided_cases.names_for(query)

    def cited() -> tuple[Citation, ...]:
        return tuple(beside(find_citations(text, asked=True, names=names), titled.cited_in(text, query, asked=True)))

    return query.once(("cited", text, *query.domain_ids), cited)


def own_instead(text: str, query: Query, law: Sequence[Place]) -> list[Citation]:
    """What the whole of a text cites of documents that the site made itself, where the law that it may cite is not
    here: by a number alone only where nothing above that law is.
    """
    return [] if any(place.exact for place in law) else titled.cited_whole(text, query, alone=not law)


def case_not_here(query: Query) -> str:
    """The case that is all of the question, where cases are searched, and it was not found among them."""
    return named_case(query.original) if decided_cases.names_for(query) else ""


def resolve(query: Query, locators: list[str]) -> list[Place]:
    """The readable places of cited locators, in order. A place that does not exist leads to the nearest above it."""
    return list({place.locator: place for place in places_of(query, locators).values()}.values())


def in_ranges(query: Query, cited: Sequence[Citation], places: Iterable[Place]) -> list[Place]:
    """The places that are here, a range of sections with all that stands between its ends: "5 U.S.C. §§ 551-559" has a
    section 552a.
    """
    here = {place.locator: place for place in places if place.exact}
    found: list[Place] = []
    in_range = False
    for citation in cited:
        if not citation.text and citation.locator.startswith(_CODES):
            in_range = True
        elif place := here.get(citation.locator):
            found += between(query, found[-1].section, place.section) if in_range and found else []
            found.append(place)
            in_range = False
    return found


def between(query: Query, first: Section, last: Section) -> list[Place]:
    """The result sections that stand after the one and before the other, if they are of one document."""
    if first.document_id != last.document_id:
        return []
    places = {"position__gt": first.position, "position__lt": last.position}
    ranged = searched(query).results().filter(document=last.document_id, **places)
    return [Place(section.locator, section, None, True) for section in ranged.in_order()[:MAX_UNDER]]


def places_of(query: Query, locators: Sequence[str]) -> dict[str, Place]:
    """By cited locator, in a few statements however many there are."""
    if not locators:
        return {}
    # What is above, nearest first, up to "/us/usc/t8".
    chains = {place: [place, *above(place)[:1:-1]] for place in {*locators, *map(lettered, locators)}}
    names = {name for chain in chains.values() for name in chain}
    readable = searched(query)
    sections = sections_at(query, names)
    wanted = {locator: read_as(locator, sections) for locator in locators}
    nearest = {locator: next((name for name in chains[locator] if name in sections), "") for locator in wanted.values()}
    pins = anchored(query, [locator for locator in nearest if locator not in sections])
    pages = cases_with_pages(readable, [locator for locator in nearest if not nearest[locator] and locator not in pins])
    ranges = holding_ranges([at for at, name in nearest.items() if at not in pins and name.count("/") < 4], readable)

    def place(locator: str) -> Place | None:
        if locator in pins:
            return anchored_place(locator, pins[locator])
        if locator in ranges:
            return Place(locator, ranges[locator], None, True)
        if name := nearest[locator]:
            return Place(locator, sections[name], None, name == locator)
        return Place(locator, pages[locator], None, True) if locator in pages else None

    return {cited: found for cited, locator in wanted.items() if (found := place(locator))}


PLACES = "SELECT * FROM ({searched}) AS searched WHERE locator = ANY(%s) ORDER BY document_id, position, id"
ANCHORED = """
SELECT searched.*, anchor.locator AS place FROM ({searched}) AS searched
JOIN retrieval_anchor anchor ON anchor.section_id = searched.id WHERE anchor.locator = ANY(%s)
ORDER BY document_id, position, id
"""


def sections_at(query: Query, locators: Iterable[str]) -> dict[str, Section]:
    return {section.locator: section for section in sections_by(PLACES, query, locators)}


def sections_by(sql: str, query: Query, locators: Iterable[str]) -> RawQuerySet:
    readable, scope = written_as_searched(query)
    return Section.objects.raw(sql.format(searched=readable), [*scope, list(locators)])


def anchored_place(locator: str, section: Section) -> Place:
    """A place in a section; of a decision's other citation, all of it."""
    if is_within(locator, section.locator):
        return Place(locator, section, locator, True)
    return Place(locator, section.parent or section, None, True)


_LETTERED = re.compile(r"(/us/(?:usc|cfr)/t\w+/s[^/]*[0-9])([A-Za-z])((?:/\w+)*)")


def lettered(locator: str) -> str:
    """With the last letter of the section read as its subdivision: "42 USC 405g" as § 405(g)."""
    parts = _LETTERED.fullmatch(locator)
    return f"{parts[1]}/{parts[2].lower()}{parts[3]}" if parts else locator


def read_as(locator: str, sections: Mapping[str, Section]) -> str:
    """The locator, or where there is no such section its other reading, if that section is here."""
    whole, other = ("/".join(name.split("/")[:5]) for name in (locator, lettered(locator)))
    return lettered(locator) if whole not in sections and other in sections else locator


_PAGE = re.compile(r"(?P<volume>/us/(?:scotus|case/[^/]+)/[^/]+/)(?P<page>[0-9]+)")
_MOST_PAGES = 200  # of one decision


def cases_with_pages(readable: QuerySet[Section], locators: Iterable[str]) -> dict[str, Section]:
    """The decision that the page of "410 U.S. at 163" or "123 F.3d at 459" is in: the last that begins before it in
    its volume.
    """
    pages = {locator: page for locator in locators if (page := page_in(locator))}
    if not pages:
        return {}
    volumes = reduce(or_, (Q(locator__under=volume) for volume, _ in pages.values()))
    begun: defaultdict[str, dict[int, Section]] = defaultdict(dict)
    for case in readable.filter(volumes, level="case"):
        if begins := page_in(case.locator):
            begun[begins[0]][begins[1]] = case
    found = {}
    for locator, (volume, page) in pages.items():
        if first := max((first for first in begun[volume] if first <= page <= first + _MOST_PAGES), default=None):
            found[locator] = begun[volume][first]
    return found


def page_in(locator: str) -> tuple[str, int] | None:
    """The volume of a reporter, as what its decisions lie under, and the page in it."""
    read = _PAGE.fullmatch(locator)
    return (read["volume"], int(read["page"])) if read else None


ALIKE = f"""
WITH searched AS NOT MATERIALIZED (SELECT * FROM ({{searched}}) AS every WHERE is_result), nearest AS (
    SELECT begins, ends FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS names(begins, ends, place)
    WHERE EXISTS (SELECT FROM searched WHERE locator ~>=~ begins AND locator ~<~ ends) ORDER BY place LIMIT 1
)
SELECT id, domain_id, locator FROM nearest JOIN searched ON locator ~>=~ begins AND locator ~<~ ends
ORDER BY position, id LIMIT {NEAR_MISSES}
"""


def named_alike(query: Query, locator: str, above: str) -> list[tuple[int, int, str]]:
    """The first provisions (id, domain, locator) whose locator begins with most of this one's, below the one above."""
    begins = [locator[:end] for end in range(len(locator) - 1, len(above), -1)]
    ends = [f"{beginning[:-1]}{chr(ord(beginning[-1]) + 1)}" for beginning in begins]
    readable, scope = written_as_searched(query)
    return rows(ALIKE.format(searched=readable), [*scope, begins, ends])


def anchored(query: Query, locators: list[str]) -> dict[str, Section]:
    """Sections holding these deeper places, by locator."""
    return {section.place: section for section in sections_by(ANCHORED, query, locators)} if locators else {}


def result_sections(query: Query, place: Place) -> list[int]:
    """The place itself where nothing is below it, else the result sections under it, in order: all of what is cited,
    the first of what is nearest to a place that is not here.
    """
    if place.section.is_leaf:
        return [place.section.pk]
    under = sections_under(query, place).values_list("pk", flat=True)
    return list(under if place.exact else under[:MAX_UNDER])


def sections_under(query: Query, place: Place) -> QuerySet[Section]:
    """The readable result sections of the place's document under it, in order."""
    under = searched(query).results().below(place.section.locator)
    return under.filter(document=place.section.document_id).in_order()


def successors(query: Query, place: Place) -> list[Candidate]:
    """Where what is cited went, if it is no longer in force and its words say so."""
    code = "moved_here" if place.section.status in MOVED else "named_instead"
    reason = Reason(code, {"citation": place.section.citation})
    went = [to for to in where_it_went(place.section, searched(query)) if to.section]
    return [
        candidate(
            to.section.pk,
            reason,
            domain_id=to.section.domain_id,
            locator=to.section.locator,
            pin=None if to.locator == to.section.locator else to.locator,
        )
        for to in went
    ]


def cited_candidate(section: int, place: Place) -> Candidate:
    code = "citation" if place.exact else "citation_near"
    reason = Reason(code, {"citation": place.section.citation, "locator": place.locator})
    return candidate(section, reason, pin=place.pin)


def candidate(section: int, reason: Reason, **known) -> Candidate:
    return Candidate(section, scores={"citation": 1.0}, ranks={"citation": 1}, reasons=(reason,), **known)


@dataclass(frozen=True)
class AnswerChanges:
    """Where a question asks what changed, repealed or replaced a cited provision or overruled a decision, and the
    history of the law tells: what did, in the order of days, then what is cited, then the parts of it that were
    changed. Where it asks what a cited provision changed: that, then what is cited. Ranking stages pass.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        text, changing = ranking.query.original, history.changing()
        names = decided_cases.names_for(ranking.query)
        if cited := changed_provisions(text, changing, names):
            return with_changes(ranking, reasons_of(cited))
        if cited := changing_provisions(text, changing, names):
            return with_changed(ranking, reasons_of(cited))
        return ranking.noting("the question asks of no change to or by a cited provision", skipped=True)


@dataclass(frozen=True)
class AnswerCases:
    """Where a question asks for the decisions on a provision that it cites, and for nothing else: those that cite it,
    of which those that cite fewest others come first, then the newest; then what is cited. Ranking stages pass.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        cited = [citation for citation in query.citations if not citation.locator.startswith(OF_CASES)]
        if len(cited) != 1 or len(query.citations) != 1 or not asks_for_cases(query.original, cited[0]):
            return ranking.noting("the question asks for no decisions on a cited provision", skipped=True)
        locator, reason = cited[0].locator, Reason("cites", {"citation": cited[0].normalized})
        places = [(case, reason) for case in cases_citing(query, locator)]
        return answered(ranking, [locator], [*places, *reasons_of(cited).items()]) if places else ranking


def asks_for_cases(text: str, cited: Citation) -> bool:
    """Whether nothing else stands around the citation."""
    said = {word.rstrip(".") for word in re.findall(r"[\w.]+", fold(f"{text[: cited.start]} {text[cited.end :]}"))}
    return bool(said & _CASES) and said <= _CASES | _ABOUT_THEM


def cases_citing(query: Query, locator: str) -> list[str]:
    """The decisions searched of which a part cites this place or one in it, as far as they are looked for."""
    readable = Section.objects.readable(query.caller, query.as_of)
    of_places = [graph.citing(place, "source") for place in readable.below(locator)[:MOST_CITED]]
    citing = Section.objects.filter(reduce(or_, (Q(pk__in=sources) for sources in of_places), Q(pk=None)))
    cases = searched(query).filter(level="case", document__in=citing.values("document"))
    narrow = cases.annotate(cites=Count("citations_made")).order_by("cites", "-valid_from", "pk")
    return list(narrow.values_list("locator", flat=True)[:MAX_UNDER])


def reasons_of(cited: Sequence[Citation]) -> dict[str, Reason]:
    return {c.locator: Reason("citation", {"citation": c.normalized, "locator": c.locator}) for c in cited}


def with_changes(ranking: Ranking, asked: Mapping[str, Reason]) -> Ranking:
    """Answered by what changed the provisions asked about, then by these, then by their parts; else as it was."""
    day = ranking.query.as_of
    made = in_order({change for locator in asked for change in history.standing(locator, day).made})
    did = [(c.by, Reason(f"{c.effect}_it", {"citation": c.changed, "year": c.day.year})) for c in made]
    parts = [c.provision for c in made if any(is_within(c.provision, whole) for whole in asked)]
    changed = [(part, Reason("was_changed")) for part in parts]
    return answered(ranking, asked, [*did, *asked.items(), *changed] if made else [])


def with_changed(ranking: Ranking, asked: Mapping[str, Reason]) -> Ranking:
    """Answered by what the provisions asked about changed, then by these; else as it was."""
    day = ranking.query.as_of or date.max
    made = in_order(
        c for c in history.changes() if c.day <= day and any(is_within(c.by, whole) for whole in asked)
    )
    changed = [
        (c.provision, Reason(f"{c.effect}_by", {"citation": c.citation, "year": c.day.year})) for c in made
    ]
    return answered(ranking, asked, [*changed, *asked.items()] if made else [])


def in_order(made: Iterable[Change]) -> list[Change]:
    return sorted(made, key=history.changes().index)


def answered(ranking: Ranking, asked: Iterable[str], places: Sequence[tuple[str, Reason]]) -> Ranking:
    """By these places, of which the caller may read, for the first reason of each; without any as it was."""
    names = ", ".join(asked)
    found = resolve(ranking.query, [locator for locator, _ in places])
    by_locator = {place.locator: place for place in found if place.exact}
    first = {locator: reason for locator, reason in reversed(places) if locator in by_locator}
    in_turn = [locator for locator in dict.fromkeys(locator for locator, _ in places) if locator in first]
    if not in_turn:
        return ranking.noting(f"no change to or by {names} is known")
    candidates = tuple(
        candidate_of(by_locator[locator], first[locator]).but(score=1.0 / rank)
        for rank, locator in enumerate(in_turn, start=1)
    )
    return replace(ranking, candidates=candidates, final=True).noting(f"changes of {names}")


def candidate_of(place: Place, reason: Reason) -> Candidate:
    section = place.section
    return candidate(section.pk, reason, domain_id=section.domain_id, locator=section.locator, pin=place.pin)
