"""The law as the API shows it: a place with its words, its place in the hierarchy and what cites what; the domains; and
citations in a text. A place is a provision, or above the provisions a document, a domain, or what several domains'
locators begin with.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import date
from functools import lru_cache
from itertools import chain
from uuid import UUID

from django.db.models import Count, Exists, Func, IntegerField, OuterRef, Q, QuerySet, Sum
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers as s
from rest_framework.request import Request

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.matters import reading_in
from retrieval.api.authentication import caller_of
from retrieval.api.base import ApiView, as_stored, language_of, operation
from retrieval.api.parameters import MAX_ID, Day, Number, Parameters, Text, Uuid
from retrieval.api.serializers import CitationInText, DocumentItem, Provision
from retrieval.citations.citation import cite
from retrieval.citations.finding import find_citations, whole_citations
from retrieval.citations.titled import beside
from retrieval.corpus import graph, titled
from retrieval.corpus.absence import absence_at, in_words
from retrieval.corpus.changes import version_of
from retrieval.corpus.defined import terms_used
from retrieval.corpus.editions import edition_on, edition_with
from retrieval.corpus.moved import where_it_went
from retrieval.corpus.ranges import holding_ranges
from retrieval.corpus.subtrees import end_of_subtree
from retrieval.corpus.translations import translation
from retrieval.corpus.withdrawn import withdrawn_on
from retrieval.errors import NotFound
from retrieval.models import Anchor, Citation, Document, Domain, Matter, Section
from retrieval.models.corpus import DocumentQuerySet, SectionQuerySet
from retrieval.models.texts import InNaturalOrder
from retrieval.pages.reader import ancestors, neighbours
from retrieval.search.response import shown
from retrieval.search.service import reading
from retrieval.stages.citations import own_instead, resolve
from retrieval.summaries.shown import of_document, of_section, written_of

MAX_EDGES = 250  # citations shown each way; the most cited sections have thousands
MAX_CHILDREN = 250
LONGEST = 1_000_000  # bytes of text; what holds more is read part by part
NAMED_BY = ("locator", "citation", "heading")  # what a reference to a section is made of
ABOVE_PROVISIONS = {  # where nothing else is said
    "pin": None, "title_es": "", "plain_name": "", "plain_name_es": "", "number": "", "breadcrumb": "", "notes": [],
    "standing": "in_force", "summary_of_decision": False,
    "status": "", "is_result": False, "valid_from": None, "valid_to": None, "previous": None, "next": None,
    "anchors": [], "citations": {"made": [], "received": []}, "history": [], "domain": "", "text": "",
    "text_es": "", "text_complete": False, "source_url": "", "parent": None, "document": None, "definitions": [],
    "summary": [], "summary_written": [],
    "went_to": [], "withdrawn_on": None,
}  # fmt: skip

IN_MATTER = "Also the documents of this matter, closed or not; of private documents no others."


class SectionParameters(Parameters):
    as_of = Day(required=False, help_text="As the law was on that day.")
    version = Number(
        min_value=1,
        max_value=MAX_ID,
        required=False,
        help_text="Of several texts of that day that one, as `changes` numbers them.",
    )
    matter = Uuid(required=False, help_text=IN_MATTER)


class SectionView(ApiView):
    @operation("section", Provision, 404, url=SectionParameters)
    def get(self, request: Request, asked: dict, path: str) -> dict:
        """Read a provision, a document or what is above it by its locator. A deeper place answers its section, with the
        place as `pin`.
        """
        with reading_in(number := asked.pop("matter", None), caller_of(request)) as caller:
            account = place_account(path, caller, reader=language_of(request), **asked)
            closed = number and Matter.objects.filter(public_id=number).values_list("closed_on", flat=True).first()
        return account | {"url": url_in(number, account["url"]), "matter_closed_on": closed}


def url_in(matter: UUID | None, url: str) -> str:
    """The page as members of the matter read it."""
    return f"{url}?matter={matter}" if matter else url


def place_account(
    locator: str,
    caller: Caller,
    as_of: date | None = None,
    version: int | None = None,
    reader: str = "en",
) -> dict:
    """What this caller may read there on that day; `reader`: the language they read in. Raises NotFound."""
    readable = Section.objects.readable(caller, as_of)
    if version:
        return section_account(version_of(caller, locator, as_of, version), None, readable, reader, as_of)
    if found := find(readable, locator):
        return section_account(*found, readable, reader, as_of)
    if document := documents_in_force(caller, as_of).filter(locator=locator).first():
        return account_above(document, readable, reader, as_of)
    return domain_account(locator, caller, as_of)


def section_account(
    section: Section, pin: str | None, readable: SectionQuerySet, reader: str, as_of: date | None
) -> dict:
    in_document = readable.filter(document=section.document_id).order_by("position", "pk")
    end = end_of_subtree(section, in_document)
    before, after = neighbours(section, in_document, end)
    from_here = in_document.filter(position__gte=section.position)
    below = from_here if end is None else from_here.filter(position__lt=end)
    return shown(section, as_of, section.document.source_url, amended=is_amended(section)) | {
        **as_stored(section, "level", "number", "is_result"),
        "pin": pin,
        "domain": section.domain.slug,
        **(whole(section.text) if section.is_leaf else text_of(below)),
        "text_es": "\n".join(translation(section.locator, section.text)),
        "summary": of_section(section, readable, reader),
        "summary_written": written_of(section, readable),
        "parent": parent_of(section, in_document),
        **children(in_document.filter(parent_locator=section.locator), *NAMED_BY),
        "previous": first(before),
        "next": first(after),
        "anchors": anchors_of(section),
        "citations": {
            "made": citations_made(section, readable),
            "received": citations_received(section, readable),
        },
        "definitions": definitions_for(section, in_document),
        "went_to": [reference(to.locator, to.citation, to.heading) for to in where_it_went(section, readable)],
        "document": DocumentItem(section.document).data | {"publication": edition_with(section)},
        "withdrawn_on": withdrawn_on(section.document) if section.valid_to else None,
    }


def definitions_for(section: Section, in_document: SectionQuerySet) -> list[dict]:
    """The defined terms that it uses."""
    above = [one.locator for one in ancestors(section, in_document)]
    told = terms_used(section, above, in_document)
    return [as_stored(one, "term", "locator", "citation", "scope") for one in told]


def is_amended(section: Section) -> bool:
    same = Section.objects.live().filter(document=section.document_id, locator=section.locator)
    return section.valid_to is not None and same.filter(valid_from__gte=section.valid_to).exists()


def account_above(document: Document, readable: SectionQuerySet, reader: str, as_of: date | None) -> dict:
    """A document that is no provision itself, as the Constitution and what came from a file."""
    in_document = readable.filter(document=document).order_by("position", "pk")
    return ABOVE_PROVISIONS | {
        **reference(document.locator, cite(document.locator), document.title),
        "level": "document",
        "domain": document.domain.slug,
        **text_of(in_document),
        "summary": of_document(document, readable, reader),
        "withdrawn_on": withdrawn_on(document),
        "source_url": document.source_url,
        "url": f"/law{document.locator}",
        "parent": domain_above(document),
        **children(in_document.filter(parent_locator=""), *NAMED_BY),
        "document": DocumentItem(document).data | {"publication": edition_on(document, as_of)},
    }


def domain_account(locator: str, caller: Caller, as_of: date | None) -> dict:
    """The domain of this locator with its documents, or the domains whose locators begin with it."""
    begins = Q(locator_prefix=locator) | Q(locator_prefix__under=f"{locator}/")
    domains = Domain.objects.visible_to(caller).filter(begins)
    if not domains.exists():
        raise NotFound(no_such(locator, caller, as_of))
    account = ABOVE_PROVISIONS | {"url": reverse("retrieval:law")}
    if domain := domains.filter(locator_prefix=locator).first():
        documents = documents_in_force(caller, as_of).filter(domain=domain).order_by(InNaturalOrder("locator"))
        named = {"title_es": domain.name_es, "level": "domain", "domain": domain.slug}
        below = children(documents, "locator", "title", "title")
        return account | reference(locator, "", domain.name) | named | below
    below = children(domains, "locator_prefix", "name", "name")
    return account | reference(locator, "", locator) | {"level": "domains"} | below


def no_such(locator: str, caller: Caller, as_of: date | None, never: str = "There is no such provision.") -> str:
    """What of a place that is here is read on other days alone is told with what ended it, and what was withdrawn since
    when.
    """
    known = Section.objects.live().visible_to(caller)
    text = known.filter(locator=locator).select_related("document").first()
    held = text.document if text else Document.objects.visible_to(caller).filter(locator=locator).first()
    if held and (day := withdrawn_on(held)) and (as_of is None or as_of >= day):
        return f"Its document was withdrawn on {day}: ask with an earlier day as `as_of`."
    absence = absence_at(locator, known, as_of or timezone.localdate())
    if absence is None or absence.place.locator != locator:
        return never
    told = in_words(absence.to_dict(), written=str)
    change = absence.change
    return f"{told} It was {change.effect} on {change.day} by {change.citation}." if change else told


def documents_in_force(caller: Caller, as_of: date | None = None) -> DocumentQuerySet:
    """Documents of which the caller may read something on that day; withdrawn ones are none of them."""
    readable = Section.objects.readable(caller, as_of).filter(document=OuterRef("pk"))
    return Document.objects.visible_to(caller).filter(Exists(readable)).select_related("domain")


def find(readable: SectionQuerySet, locator: str) -> tuple[Section, str | None] | None:
    """The section of this locator or of its number, or the one that holds it as an anchor and the pin."""
    readable = readable.select_related("domain", "document__domain").order_by("pk")
    if section := readable.filter(locator=locator).first():
        return section, None
    if section := readable.filter(anchors__locator=locator).first():
        return section, locator
    section = holding_ranges([locator], readable).get(locator)
    return (section, None) if section else None


def text_of(sections: SectionQuerySet) -> dict:
    """Their words in order."""
    length = Sum(Func("text", function="octet_length", output_field=IntegerField()))  # unpacks no text
    if (sections.aggregate(length=length)["length"] or 0) > LONGEST:
        return {"text": "", "text_complete": False}
    return whole("\n\n".join(text for text in sections.values_list("text", flat=True) if text))


def whole(text: str) -> dict:
    return {"text": text, "text_complete": True}


def parent_of(section: Section, in_document: SectionQuerySet) -> dict | None:
    """The section above; above all sections the document, and above a section that is all of it the domain."""
    if section.parent_locator:
        return first(in_document.filter(locator=section.parent_locator))
    document = section.document
    if section.locator == document.locator:
        return domain_above(document)
    return reference(document.locator, cite(document.locator), document.title)


def domain_above(document: Document) -> dict | None:
    """None where the domain is this one document and has no locator of its own."""
    domain = document.domain
    return (
        None
        if domain.locator_prefix == document.locator
        else reference(domain.locator_prefix, "", domain.name)
    )


def children(rows: QuerySet, *named_by: str) -> dict:
    """The first of them; `documents` pages through all."""
    return {"children": references(rows[:MAX_CHILDREN], *named_by), "children_total": rows.count()}


def anchors_of(section: Section) -> list[dict]:
    rows = section.anchors.order_by("start", "-end", "pk")
    return list(rows.values("locator", "level", "number", "start", "end"))


def citations_made(section: Section, readable: SectionQuerySet) -> list[dict]:
    """Named as what is cited is on the day."""
    edges = Citation.objects.filter(source=section, target__locator__in=readable.values("locator"))
    columns = ("text", "start", "end", "target_locator", "target__locator")
    rows = list(edges.order_by("start", "pk").values_list(*columns)[:MAX_EDGES])
    there = readable.filter(locator__in={row[-1] for row in rows}).order_by("pk").values_list(*NAMED_BY)
    named = {place[0]: place for place in there}
    return [
        {"text": text, "start": start, "end": end, "pin": pin, **reference(*named[locator])}
        for text, start, end, pin, locator in rows
    ]


def citations_received(section: Section, readable: SectionQuerySet) -> list[dict]:
    edges = Citation.objects.filter(pk__in=graph.citing(section, "pk"), source__in=readable)
    in_order = edges.order_by("source__document_id", "source__position", "start", "pk")
    columns = ("target_locator", *(f"source__{name}" for name in NAMED_BY))
    rows = in_order.values_list("text", *columns)[:MAX_EDGES]
    return [{"text": text, "pin": pin, **reference(*place)} for text, pin, *place in rows]


def references(rows: QuerySet, *named_by: str) -> list[dict]:
    return [reference(*row) for row in rows.values_list(*named_by)]


def first(sections: SectionQuerySet) -> dict | None:
    return next(iter(references(sections[:1], *NAMED_BY)), None)


def reference(locator: str, citation: str, heading: str) -> dict:
    return {"locator": locator, "citation": citation or heading, "title": heading or citation}


def existing(locators: list[str], caller: Caller) -> set[str]:
    """Those of the locators that name a provision, or a place in one, that this caller may read now."""
    readable = Section.objects.readable(caller)
    sections = readable.filter(locator__in=locators).values_list("locator", flat=True)
    anchors = Anchor.objects.filter(locator__in=locators, section__in=readable)
    return {*sections, *anchors.values_list("locator", flat=True)}


def nearest_above(locators: Iterable[str], caller: Caller) -> dict[str, str]:
    """By locator the place above it that this caller may read now, where it stands in a provision's text."""
    above = {at: [at.rsplit("/", up)[0] for up in range(1, at.count("/"))] for at in locators}
    wanted = {*chain(*above.values())}
    provisions = Section.objects.readable(caller).results()
    known = {*provisions.filter(locator__in=wanted).values_list("locator", flat=True)}
    known |= {*Anchor.objects.filter(locator__in=wanted, section__in=provisions).values_list("locator", flat=True)}
    nearest = {at: next(filter(known.__contains__, places), "") for at, places in above.items()}
    ranges = holding_ranges([at for at, place in nearest.items() if not place], provisions)
    nearest |= {at: section.locator for at, section in ranges.items()}
    return {at: place for at, place in nearest.items() if place}


# -- Citations in a text, and which of them lead to a provision here

MAX_TEXT = 64_000  # characters read for citations
MAX_CITATIONS = 250
BYTES_A_REQUEST = 1_000  # the work grows with the text: 64 kB take as long as some dozens of searches


@extend_schema_serializer(component_name="CitingText")
class TextParameters(Parameters):
    """A text that may hold citations."""

    q = Text(max_length=MAX_TEXT, allow_blank=True, help_text="Text that holds citations.")


class ResolvedCitation(CitationInText):
    resolved = s.BooleanField(help_text="Whether it leads to a provision that the caller may read.")
    within = s.CharField(
        allow_null=True, help_text="Of a place that is not here itself, the provision or place above it that is."
    )


class ResolvedCitations(s.Serializer):
    complete = s.BooleanField(help_text=f"Whether these are all; after {MAX_CITATIONS} citations no more are told.")
    citations = ResolvedCitation(many=True)


class CitationsView(ApiView):
    bytes_a_request = BYTES_A_REQUEST
    max_body = 12 * MAX_TEXT + 1_024  # bytes: every character escaped, as a surrogate pair

    @operation("resolve_citations", ResolvedCitations, url=TextParameters)
    def get(self, request: Request, asked: dict) -> dict:
        """Read the citations in a text and say which of them lead to a provision here."""
        return resolved(asked["q"], caller_of(request))

    @operation("resolve_citations_of_long_text", ResolvedCitations, body=TextParameters)
    def post(self, request: Request, asked: dict) -> dict:
        """The same for a text too long for an address."""
        return resolved(asked["q"], caller_of(request))


def resolved(text: str, caller: Caller) -> dict:
    """A text that is nothing but a citation may be written more loosely ("art 1 s 8 c 3")."""
    query, law = reading(caller), whole_citations(text)
    own = own_instead(text, query, resolve(query, [citation.locator for citation in law]))
    every = own or law or titled.lacking(text, query) or beside(find_citations(text), titled.cited_in(text, query))
    found = every[:MAX_CITATIONS]
    known = existing([citation.locator for citation in found], caller)
    above = nearest_above([citation.locator for citation in found if citation.locator not in known], caller)
    citations = [
        asdict(one) | {"resolved": one.locator in known, "within": above.get(one.locator)} for one in found
    ]
    return {"complete": len(every) == len(found), "citations": citations}


# -- The domains that a caller may see

COUNTED = {
    "documents": Count("document", distinct=True),
    "sections": Count("pk"),
    "results": Count("pk", filter=Q(is_result=True)),
}


class DomainItem(s.ModelSerializer):
    locator = s.CharField(source="locator_prefix", help_text="What every locator of this domain begins with.")
    private = s.BooleanField(source="is_private", help_text="Only granted documents are read.")
    corpus_version = s.IntegerField(allow_null=True, help_text="Counts its changes; null for a private domain.")
    documents = s.IntegerField(help_text="Of which the caller may read something today.")
    sections = s.IntegerField(help_text="Of these, in force.")
    results = s.IntegerField(help_text="Of these, ranked by searches.")

    class Meta:
        model = Domain
        fields = [
            "slug", "name", "name_es", "description", "description_es", "languages", "locator", "private",
            "holds_law", "corpus_version", "documents", "sections", "results",
        ]  # fmt: skip
        read_only_fields = fields


class DomainList(s.Serializer):
    domains = DomainItem(many=True)


class DomainsView(ApiView):
    @operation("domains", DomainList)
    def get(self, request: Request, asked: dict) -> dict:
        """List the bodies of law that the caller may see, and how much of each the caller may read today."""
        caller = caller_of(request)
        domains = list(Domain.objects.visible_to(caller))
        held = held_counts(caller) if any(domain.is_private for domain in domains) else {}
        return {"domains": [account(domain, held) for domain in domains]}


def account(domain: Domain, held: Mapping[int, dict[str, int]]) -> dict:
    """A private domain's version counts what others change in it, so it is told to nobody."""
    named = as_stored(domain, "slug", "name", "name_es", "description", "description_es", "languages", "holds_law")
    return named | {
        "locator": domain.locator_prefix,
        "private": domain.is_private,
        "corpus_version": None if domain.is_private else domain.corpus_version,
        **(
            held.get(domain.pk, dict.fromkeys(COUNTED, 0))
            if domain.is_private
            else public_counts(domain.pk, domain.corpus_version)
        ),
    }


@lru_cache(maxsize=1_000)
def public_counts(domain: int, corpus_version: int) -> dict[str, int]:
    """Counted once for each version of the corpus."""
    return Section.objects.readable(ANONYMOUS).filter(domain=domain).aggregate(**COUNTED)


def held_counts(caller: Caller) -> dict[int, dict[str, int]]:
    """Of each private domain, of the caller's own and granted documents alone: no other's is looked at."""
    held = Document.objects.held_by(caller).values("pk")
    sections = Section.objects.live().in_force().filter(document__in=held).order_by()
    return {row.pop("domain"): row for row in sections.values("domain").annotate(**COUNTED)}
