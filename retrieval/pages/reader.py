"""What the reader shows: a provision in its document, as a caller may read it on a day."""

import copy
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Length
from django.utils import timezone
from django.utils.translation import get_language

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.citations.reporters import CASE, UNITED_STATES_REPORTS
from retrieval.corpus import changes, graph, history
from retrieval.corpus.absence import absence_of
from retrieval.corpus.defined import DefinedTerm, terms_used
from retrieval.corpus.history import Change
from retrieval.corpus.moved import Went, where_it_went
from retrieval.corpus.ranges import holding_ranges
from retrieval.corpus.subtrees import end_of_subtree
from retrieval.corpus.translations import LANGUAGE as TRANSLATED
from retrieval.corpus.translations import translation
from retrieval.errors import NotFound
from retrieval.models import Anchor, Citation, Document, Domain, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.models.texts import InNaturalOrder
from retrieval.pages.addresses import Reader
from retrieval.pages.typesetting import Link, Offsets, Paragraph, Place, Run, linked, paragraphs
from retrieval.parsing.tree import PageStart
from retrieval.search.response import wanted_stems
from retrieval.summaries.shown import Told, headings, of_document, of_section, written_of
from retrieval.text.snippets import best_snippet, marked_words, to_sentence_end

WHOLE_OUTLINE = 500  # sections whose outline stands beside the text in full; a larger one opens as one reads
LONGEST = 150_000  # characters on one page; what holds more than that shows its outline instead
CASES = Q(locator__startswith=UNITED_STATES_REPORTS) | Q(locator__startswith=CASE)
SHOWN = 50  # documents of a domain beside the others
A_PAGE = 500  # documents of a shelf of its own
LISTED = 50  # of what cites a provision
BRIEF = (
    "document_id", "domain_id", "locator", "parent_locator", "level", "number", "heading", "heading_es",
    "plain_name", "plain_name_es", "citation", "position", "depth", "is_leaf", "is_result", "status",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the outline, and what is under it as far as it is shown."""

    section: Section
    children: tuple["Branch", ...]
    is_open: bool
    is_current: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A section as it stands on a page. `name` is its anchor there, empty for the page's own section."""

    section: Section
    name: str
    depth: int
    paragraphs: list[Paragraph]
    notes: list[list[Run]]
    changes: list[dict]
    translated: list[str]  # paragraphs in the reader's language, where that is not the law's


@dataclass(frozen=True, slots=True)
class Contents:
    """A document and its outline, with how many provisions stand in each part that others stand in."""

    document: Document
    outline: tuple[Branch, ...]
    counts: dict[str, int]
    summary: list[Told]
    absence: dict | None  # why nothing of it is in force on the day


@dataclass(frozen=True, slots=True)
class Shelf:
    """A domain and some of its documents; each knows by `provisions` how many it holds, by `about` which of them stand
    for it, and by `decision` the one that it is cited by, where it is a decision.
    """

    domain: Domain
    documents: list[Document]
    total: int

    @property
    def has_more(self) -> bool:
        return self.total > len(self.documents)


@dataclass(frozen=True, slots=True)
class Reading:
    """A provision and everything beside it. `under` is the outline of what is too long to stand on its page."""

    section: Section
    document: Document
    parts: list[Part]
    ancestors: list[Section]
    outline: tuple[Branch, ...]
    previous: Section | None
    next: Section | None
    under: tuple[Branch, ...] = ()
    versions: list[Section] = field(default_factory=list)
    cited_by: list[Section] = field(default_factory=list)
    cases: list[Section] = field(default_factory=list)
    related: list[Section] = field(default_factory=list)
    terms: list[DefinedTerm] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    summary: list[Told] = field(default_factory=list)
    written: list[dict] = field(default_factory=list)
    went: list[Went] = field(default_factory=list)


# -- What there is


def offered_domains(caller: Caller) -> list[Domain]:
    """Domains with something for this caller to read."""
    readable = Section.objects.readable(caller).filter(domain=OuterRef("pk"))
    return list(Domain.objects.visible_to(caller).filter(Exists(readable)))


def library(caller: Caller) -> list[Shelf]:
    """The first documents of each domain."""
    shelves = (shelf_of(domain, caller, range(SHOWN)) for domain in Domain.objects.visible_to(caller))
    return [shelf for shelf in shelves if shelf.total]


def shelf_of(domain: Domain, caller: Caller, places: range, day: date | None = None) -> Shelf:
    """The documents at these places of a domain's shelf, as it was on that day."""
    documents = standing(domain.pk, day, caller) if domain.is_private else standing(domain.pk, day)
    total = documents.count() if domain.is_private else public_total(domain.pk, domain.corpus_version, day)
    in_order = documents.select_related("domain").order_by(InNaturalOrder("locator"), "pk")
    shown = list(in_order[places.start : places.stop])
    readable = Section.objects.readable(caller, day)
    results = readable.results().filter(document__in=shown).order_by()
    provisions = dict(results.values_list("document").annotate(Count("pk")))
    about = headings(shown, readable)
    whole = results.filter(locator=F("document__locator")).select_related("document")
    decisions = {section.document_id: section for section in whole} if domain.citation_style == "case" else {}
    for document in shown:
        document.decision = decisions.get(document.pk)
        document.provisions = provisions.get(document.pk, 0)
        document.about = about.get(document.pk, [])
    return Shelf(domain, shown, total)


def standing(domain: int, day: date | None, caller: Caller = ANONYMOUS) -> QuerySet[Document]:
    """The documents of a public domain, or those of a private one that the caller holds, with a provision that day."""
    held = Document.objects.held_by(caller) if caller.principals else Document.objects.filter(private=False)
    results = Section.objects.live().valid_on(day).results().filter(document=OuterRef("pk"))
    return held.filter(Exists(results), domain=domain)


@lru_cache(maxsize=1_000)
def public_total(domain: int, corpus_version: int, day: date | None) -> int:
    """Counted once for each version of the corpus."""
    return standing(domain, day).count()


# -- One page


def open_locator(locator: str, reader: Reader) -> Reading | Contents | Domain | str:
    """The page of a section, a document or a domain, or the address where a deeper place stands. Raises NotFound."""
    if "\x00" in locator:
        raise NotFound("There is no such provision.")
    if reader.version is not None:
        return read(changes.version_of(reader.caller, locator, reader.as_of, reader.version), reader)
    section = reader.readable.filter(locator=locator).select_related("document", "domain").first()
    if section is not None:
        return read(section, reader)
    anchor = Anchor.objects.filter(locator=locator, section__in=reader.readable).select_related("section").first()
    if anchor is not None:
        return reader.url(anchor.section, name_under(anchor.section.locator, locator))
    if locator in (ranges := holding_ranges([locator], reader.readable)):
        return reader.url(ranges[locator])
    documents = Document.objects.visible_to(reader.caller).filter(locator=locator).select_related("domain")
    if (document := documents.first()) is not None:
        in_document = reader.readable.filter(document=document)
        tree = outline(in_document, reader.as_of)
        summary = of_document(document, in_document, get_language())
        absence = None if tree or reader.as_of is None else absence_of(document, reader.known, reader.as_of)
        told = absence and absence.to_dict()
        return Contents(document, tree, counts_of(tree, in_document), summary, told)
    if last := last_version(locator, reader):
        return read(last, reader)
    if domain := Domain.objects.visible_to(reader.caller).filter(locator_prefix=locator).first():
        return domain
    raise NotFound("There is no such provision.")


def last_version(locator: str, reader: Reader) -> Section | None:
    """The latest text of a provision that was no longer in force on the day: links to it must not die."""
    known = reader.known.filter(locator=locator)
    begun = Q(valid_from__isnull=True) | Q(valid_from__lte=reader.as_of or timezone.localdate())
    return known.filter(begun).select_related("document", "domain").order_by("-valid_to", "-pk").first()


def read(section: Section, reader: Reader) -> Reading:
    """Everything on a section's page, in about a dozen queries whatever its size."""
    section = as_it_stood(section, reader.as_of)
    in_document = reader.readable.filter(document=section.document_id)
    end = end_of_subtree(section, in_document)
    above = ancestors(section, in_document)
    before, after = neighbours(section, in_document.only(*BRIEF), end)
    below = below_on_page(section, held_by(section, reader), end)
    tree = outline(in_document, reader.as_of, [*above, section])
    return Reading(
        section=section,
        document=section.document,
        parts=parts_of(section, below, reader),
        ancestors=above,
        outline=tree,
        under=() if section.is_leaf or below else children_of(section, tree),
        previous=before.first(),
        next=after.first(),
        versions=versions_of(section, reader.caller),
        cited_by=list(citing(section, reader).exclude(CASES).in_order()[:LISTED]),
        cases=cases_on(section, reader),
        related=related_to(section, reader),
        terms=terms_used(section, [one.locator for one in above], in_document),
        summary=of_section(section, in_document, get_language()),
        written=written_of(section, in_document),
        went=where_it_went(section, reader.readable),
    )


def held_by(section: Section, reader: Reader) -> SectionQuerySet:
    """Its document on that day; what a provision held that later law had ended by then has a text today."""
    has_ended = history.standing(section.locator, reader.as_of).has_ended
    readable = Section.objects.readable(reader.caller) if has_ended else reader.readable
    return readable.filter(document=section.document_id)


def as_it_stood(section: Section, day: date | None) -> Section:
    """With the status and heading of that day: what tells of a later end of it is left out."""
    stands = history.standing(section.locator, day)
    if stands.ended is None:
        return section
    then = copy.copy(section)
    then.status = stands.status(section.status)
    then.heading, then.heading_es = stands.heading(section.heading), stands.heading(section.heading_es)
    return then


def ancestors(section: Section, in_document: SectionQuerySet) -> list[Section]:
    """The sections above, outermost first."""
    above, wanted = [], section.parent_locator
    while wanted and (parent := in_document.filter(locator=wanted).only(*BRIEF).first()):
        above.insert(0, parent)
        wanted = parent.parent_locator
    return above


def neighbours(
    section: Section, in_document: SectionQuerySet, end: int | None
) -> tuple[SectionQuerySet, SectionQuerySet]:
    """The results before a section, nearest first, and those after all that it holds."""
    results = in_document.results()
    before = results.filter(position__lt=section.position).order_by("-position", "-pk")
    after = results.filter(position__gte=end) if end is not None else results.none()
    return before, after.order_by("position", "pk")


def versions_of(section: Section, caller: Caller) -> list[Section]:
    """All texts the provision has had, newest first; empty where there is only this one."""
    known = Section.objects.live().visible_to(caller)
    same = known.filter(document=section.document_id, locator=section.locator)
    versions = changes.in_time(same.only("locator", "valid_from", "valid_to"))
    return versions[::-1] if len(versions) > 1 else []


def citing(section: Section, reader: Reader) -> SectionQuerySet:
    """What cites this provision, as far as it is looked for."""
    return reader.readable.filter(pk__in=graph.citing(section, "source")).exclude(pk=section.pk).only(*BRIEF)


def cases_on(section: Section, reader: Reader) -> list[Section]:
    """The last decisions that cite this provision, each once, newest first."""
    found = citing(section, reader).filter(CASES).only(*BRIEF, "valid_from", "document__title")
    newest = found.order_by("-valid_from", "pk").select_related("document")[:LISTED]
    each = {one.document_id: one for one in reversed(newest)}
    return list(reversed(each.values()))


def related_to(section: Section, reader: Reader) -> list[Section]:
    """The ten with most citations in common, those with most first."""
    ids = graph.related(section, reader.caller, reader.as_of)
    found = reader.readable.only(*BRIEF).in_bulk(ids) if ids else {}
    return [found[pk] for pk in ids if pk in found]


def document_title(document: Document) -> str:
    """Its title, or in Spanish the name of the domain that it is the whole of."""
    domain = document.domain
    whole = document.locator == domain.locator_prefix
    return domain.local_name if get_language() == "es" and whole else document.title


# -- Its text


def below_on_page(section: Section, in_document: SectionQuerySet, end: int | None) -> list[Section]:
    """The sections under one, in order; none where they would not fit on a page."""
    if section.is_leaf:
        return []
    under = in_document.filter(position__gt=section.position)
    under = under.filter(position__lt=end) if end is not None else under
    length = under.aggregate(length=Sum(Length("text")))["length"] or 0
    return list(under.in_order()) if length <= LONGEST else []


def parts_of(page: Section, below: Sequence[Section], reader: Reader) -> list[Part]:
    sections = [page, *below]
    citations, anchors = citations_of(sections, reader), anchors_of(sections)
    pages = pages_once(sections)
    return [
        part(page, section, citations[section.pk], anchors[section.pk], pages[section.pk], reader)
        for section in sections
    ]


def pages_once(sections: Sequence[Section]) -> dict[int, list[PageStart]]:
    """Where pages of the file begin in each section; a page that several share is named in the first."""
    seen: set[int] = set()
    begins: dict[int, list[PageStart]] = {}
    for section in sections:
        begins[section.pk] = [(start, page) for start, page in section.pages if page not in seen]
        seen |= {page for _, page in section.pages}
    return begins


def part(
    page: Section,
    section: Section,
    citations: Sequence[Citation],
    anchors: Sequence[Anchor],
    pages: Sequence[PageStart],
    reader: Reader,
) -> Part:
    section, stands = as_it_stood(section, reader.as_of), history.standing(section.locator, reader.as_of)
    passage, hits = highlights(page, reader) if section.pk == page.pk else (None, [])
    urls = {
        edge: reader.url(edge.target, name_under(edge.target.locator, edge.target_locator))
        for edge in citations
    }
    told = notes_of_changes(section, stands.made, citations)
    return Part(
        section=section,
        name=name_under(page.locator, section.locator),
        depth=section.depth - page.depth,
        paragraphs=paragraphs(
            section.text,
            links=[Link(edge.start, edge.end, url) for edge, url in urls.items() if edge.start >= 0],
            places=[Place(a.start, a.end, name_under(page.locator, a.locator)) for a in anchors],
            passage=passage,
            hits=hits,
            pages=pages,
        ),
        notes=[
            linked(note, {e.text: url for e, url in urls.items() if e.start < 0})
            for note in stands.notes(section.notes)
            if note not in told
        ],
        changes=[c.to_dict() for c in stands.made if is_told_at(section, page, c)],
        translated=translation(section.locator, section.text) if get_language() == TRANSLATED else [],
    )


def is_told_at(section: Section, page: Section, change: Change) -> bool:
    """What concerns all of a page is told once, at its head."""
    if section.pk == page.pk:
        return history.is_within(section.locator, change.provision)
    return section.locator == change.provision


def notes_of_changes(section: Section, made: Sequence[Change], citations: Sequence[Citation]) -> set[str]:
    """The source's notes that say no more than the changes told on the page: "Superseded by the Twelfth Amendment."."""
    named = {edge.target_locator: edge.text for edge in citations if edge.start < 0}
    concerning = [change for change in made if history.is_within(section.locator, change.provision)]
    return {f"{c.effect.capitalize()} by {named[c.by]}." for c in concerning if c.by in named}


def citations_of(sections: Sequence[Section], reader: Reader) -> dict[int, list[Citation]]:
    """Citations by source, only those that lead to what this caller may read."""
    visible = Section.objects.live().visible_to(reader.caller)
    edges = Citation.objects.filter(source__in=[s.pk for s in sections], target__in=visible)
    by_source: dict[int, list[Citation]] = defaultdict(list)
    for edge in edges.select_related("target"):
        by_source[edge.source_id].append(edge)
    return by_source


def anchors_of(sections: Sequence[Section]) -> dict[int, list[Anchor]]:
    by_section: dict[int, list[Anchor]] = defaultdict(list)
    for anchor in Anchor.objects.filter(section__in=[s.pk for s in sections]):
        by_section[anchor.section_id].append(anchor)
    return by_section


def name_under(page: str, locator: str) -> str:
    """A place's name on a page: /us/const/article/I/section/8 and …/clause/3 give "clause-3"."""
    return locator.removeprefix(page).strip("/").replace("/", "-")


def highlights(section: Section, reader: Reader) -> tuple[Offsets | None, list[Offsets]]:
    """The passage that answers, and the words asked for in it; sought anew where the search gave no offsets."""
    if not section.text or not (reader.question or reader.passage):
        return None, []
    language = section.document.language
    wanted = wanted_stems(reader.question)
    passage = reader.passage
    if passage is None or not 0 <= passage[0] < passage[1] <= len(section.text):
        snippet = best_snippet(section.text, wanted, language=language)
        passage = (snippet.start, snippet.end) if snippet.marks else None
    if passage is None:
        return None, []
    passage = to_sentence_end(section.text, *passage)
    hits = marked_words(section.text, wanted, language)
    return passage, [
        (word.start, word.end) for word in hits if passage[0] <= word.start and word.end <= passage[1]
    ]


# -- Its outline


def outline(
    in_document: SectionQuerySet, day: date | None, path: Sequence[Section] = ()
) -> tuple[Branch, ...]:
    """The document's tree: whole, or when it is large its top and what is open along the path."""
    rows = in_document.only(*BRIEF).in_order()
    if in_document.count() > WHOLE_OUTLINE:
        rows = rows.filter(parent_locator__in=["", *(section.locator for section in path)])
    children: dict[str, list[Section]] = defaultdict(list)
    for row in rows:
        children[row.parent_locator].append(as_it_stood(row, day))
    opened = {section.locator for section in path}
    current = path[-1].locator if path else None

    def branches(above: str) -> tuple[Branch, ...]:
        return tuple(
            Branch(row, branches(row.locator), row.locator in opened, row.locator == current)
            for row in children[above]
        )

    return branches("")


def counts_of(tree: Sequence[Branch], in_document: SectionQuerySet) -> dict[str, int]:
    """Provisions by the locator of each highest part, up to where the next one begins."""
    places = list(in_document.results().order_by("position").values_list("position", flat=True))
    begins = [bisect_left(places, branch.section.position) for branch in tree]
    ends = [*begins, len(places)][1:]
    return {
        branch.section.locator: end - begin
        for branch, begin, end in zip(tree, begins, ends, strict=True)
        if not branch.section.is_leaf
    }


def children_of(section: Section, tree: Sequence[Branch]) -> tuple[Branch, ...]:
    """What the outline has under a section."""
    for branch in tree:
        if branch.section.locator == section.locator:
            return branch.children
        if branch.is_open:
            return children_of(section, branch.children)
    return ()


def ancestors_by_locator(locators: Sequence[str], caller: Caller) -> dict[str, list[Section]]:
    """The sections above each of some provisions, outermost first; one query where locators tell the way."""
    known: dict[str, Section] = {}
    split = [locator.split("/") for locator in locators]
    wanted = {"/".join(steps[:n]) for steps in split for n in range(3, len(steps) + 1)}
    while wanted:
        found = Section.objects.readable(caller).filter(locator__in=wanted).only(*BRIEF)
        known |= {section.locator: section for section in found}
        wanted = {section.parent_locator for section in found} - known.keys() - {""}

    def chain(locator: str) -> list[Section]:
        above = known.get(known[locator].parent_locator) if locator in known else None
        return [*chain(above.locator), above] if above else []

    return {locator: chain(locator) for locator in locators}
