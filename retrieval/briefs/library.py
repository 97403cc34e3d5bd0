"""The law beside which a brief is read: what each citation leads to on a day, its words, and where else words stand.

All of it is read as the caller: a place that the caller may not read is none. Nothing is kept.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import chain
from time import monotonic
from typing import Literal, get_args

from django.db.models import Exists, OuterRef
from django.utils import timezone

from retrieval.access.caller import Caller
from retrieval.briefs.citing import Cited, Titled
from retrieval.briefs.wording import Words
from retrieval.citations.case_names import CaseNames
from retrieval.citations.citation import Source as Written
from retrieval.corpus import decided_cases, history
from retrieval.corpus.translations import translation
from retrieval.errors import NotRun
from retrieval.models import Document, Section
from retrieval.ranking import Query, Ranking
from retrieval.search.response import standing_on
from retrieval.search.service import in_scope
from retrieval.stages.citations import Place, named_alike, resolve
from retrieval.stages.legs import LexicalRetriever, PrivateLexicalRetriever
from retrieval.text.language import detect

Status = Literal["resolved", "partial", "unknown", "superseded", "overruled", "not_yet_in_force"]
STATUSES = get_args(Status)

MOST_TITLES = 1_000  # private documents whose titles are looked for
WHOLE = "/us/const/"  # all of its places are known here: what is not among them is nowhere
SHORTEST_TITLE = 6  # characters; shorter ones are words of any text
MOST_PARTS = 200  # provisions below a cited one whose words are read
SECONDS = 20  # for one brief: what is not compared by then is left, and told
LOOKED_THROUGH = 15  # provisions that a quotation is looked for in, where it is not in the cited one
LONGEST_QUESTION = 40  # words of a quotation by which it is looked for
STATUS = {  # by how a text stands on the day
    "in_force": "resolved",
    "overruled": "overruled",
    "not_yet_in_force": "not_yet_in_force",
    "amended_since": "superseded",
    "no_longer_in_force": "superseded",
}


@dataclass(frozen=True)
class Source:
    """Words that a quotation may come from, and whose they are; of a section that is cited for a place in it, `pin` is
    where that stands.
    """

    locator: str
    citation: str
    text: str
    language: str
    valid_from: date | None = None
    valid_to: date | None = None
    pin: tuple[int, int] | None = None

    @cached_property
    def words(self) -> Words:
        return Words(self.text)


@dataclass(frozen=True, slots=True)
class Stand:
    """What a citation leads to on the day. Of what is partial or unknown `section` is the nearest that is there;
    `known` says whether the law that it would stand in is here, so that what is not found does not exist.
    """

    status: Status
    standing: str = ""
    section: Section | None = None
    pin: str | None = None
    known: bool = False
    document: Document | None = None  # where a whole document is cited, or a number that it does not have

    @property
    def place(self) -> Section | Document | None:
        return self.section or self.document

    @property
    def leads(self) -> bool:
        return self.status not in ("partial", "unknown")


class Library:
    """`day`: as the law is on it; every look-up is made once."""

    def __init__(self, caller: Caller, day: date | None = None):
        self.day = day or timezone.localdate()
        scopes, _ = in_scope(caller)
        asked = {"original": "", "text": "", "normalized": "", "language": "en"}
        self.query = Query(**asked, domains=scopes, caller=caller, as_of=self.day)
        self.names: CaseNames | None = decided_cases.names_for(self.query)
        self.unsearched = False  # whether something could not be looked for
        self._until = monotonic() + SECONDS
        self._stands: dict[str, Stand] = {}
        self._sources: dict[str, list[Source]] = {}

    def is_late(self) -> bool:
        """Whether the time for this brief is over; what is left then is told as unsearched."""
        late = monotonic() > self._until
        self.unsearched = self.unsearched or late
        return late

    # -- Citations

    def stand(self, cited: Cited) -> Stand:
        key = f"{cited.locator} {'at' if cited.page else ''}"
        if key not in self._stands:
            self._stands[key] = self._look(cited)
        return self._stands[key]

    def _look(self, cited: Cited) -> Stand:
        on_day, ever = (
            next(iter(resolve(query, [cited.locator])), None)
            for query in (self.query, replace(self.query, as_of=None))
        )
        for place in (on_day, ever):
            if place and place.exact and is_named(cited, place):
                return self._standing(place.section, place.pin)
        if past := self._versions(cited.locator).first():
            return self._standing(past, None)
        if document := self._document(cited.locator):
            return Stand("resolved", "in_force", known=True, document=document)
        return self._missing(cited, on_day or ever)

    def _document(self, locator: str) -> Document | None:
        """One of which the caller may read something on the day."""
        readable = Section.objects.readable(self.query.caller, self.day).filter(document=OuterRef("pk"))
        visible = Document.objects.visible_to(self.query.caller).filter(Exists(readable))
        return visible.filter(locator=locator, domain__in=self.query.domain_ids).first()

    def _versions(self, locator: str):
        """All that was ever law at this place, the last first."""
        live = Section.objects.live().visible_to(self.query.caller).select_related("document")
        return live.filter(locator=locator, domain__in=self.query.domain_ids).order_by("-valid_from", "-pk")

    def _standing(self, section: Section, pin: str | None) -> Stand:
        stands = history.standing(pin or section.locator, self.day)
        ends = stands.end(section.valid_to)
        amended = (
            section.valid_to is not None and self._versions(section.locator).exclude(pk=section.pk).exists()
        )
        standing = standing_on(
            self.day, section.valid_from, ends, stands.status(section.status), amended=amended
        )
        return Stand(STATUS[standing], standing, section, pin, known=True)

    def _missing(self, cited: Cited, above: Place | None) -> Stand:
        """Not here as cited: the provision above it, or of what is above all provisions the nearest by name."""
        whole = cited.locator.startswith(WHOLE)
        if above is None or above.exact:
            document = self._document(cited.locator.rpartition("/")[0])
            return Stand("unknown", known=whole or document is not None, document=document)
        if above.section.is_result:
            return Stand("partial", section=above.section, known=whole or above.section.anchors.exists())
        near = named_alike(self.query, cited.locator, above.section.locator)
        nearest = Section.objects.filter(pk__in=[pk for pk, _, _ in near[:1]]).first()
        return Stand("unknown", section=nearest or above.section, known=True)

    def case_named(self, name: str) -> Section | None:
        """The decision that has this name here."""
        found = next(iter(self.names.find(Written.of(name))), None) if self.names and name else None
        return self._versions(found.items[0].locator).first() if found else None

    def titled_in(self, text: str) -> Iterator[Titled]:
        """The private documents that the text names and the caller may read."""
        if not self.query.caller.principals:
            return
        folded = text.casefold()
        held = Document.objects.held_by(self.query.caller).order_by("pk")[:MOST_TITLES]
        for document in held:
            if len(document.title) >= SHORTEST_TITLE and document.title.casefold() in folded:
                readable = Section.objects.readable(self.query.caller, self.day).filter(document=document)
                rows = readable.exclude(number="").values_list("number", "citation", "locator")
                yield Titled(document.title, document.locator, {n: (c, place) for n, c, place in rows})

    # -- Words

    def sources(self, stand: Stand) -> list[Source]:
        """The words of a cited place, and of its translation. Of a decision its opinions alone: the summary is ours.
        Empty where these are not here.
        """
        if stand.section is None and not (stand.document and stand.leads):
            return []
        key = f"{stand.section and stand.section.pk} {stand.pin} {stand.document and stand.document.pk}"
        if key not in self._sources:
            words = (
                self._words(stand.section, stand.pin) if stand.section else self._all_words(stand.document)
            )
            self._sources[key] = list(words)
        return self._sources[key]

    def _all_words(self, document: Document) -> Iterator[Source]:
        sections = (
            Section.objects.readable(self.query.caller, self.day).filter(document=document).exclude(text="")
        )
        for section in sections.in_order().select_related("document")[:MOST_PARTS]:
            yield self._source(section, section.text)

    def _words(self, section: Section, pin: str | None) -> Iterator[Source]:
        anchor = section.anchors.filter(locator=pin).first() if pin else None
        if anchor:
            yield replace(self._source(section, section.text), pin=(anchor.start, anchor.end))
            return
        below = Section.objects.live().visible_to(self.query.caller).filter(document=section.document_id)
        current = below.valid_on(self.day if not section.valid_to else None)
        parts = [
            section,
            *current.below(section.locator).exclude(locator=section.locator).in_order()[:MOST_PARTS],
        ]
        whole = "\n".join(part.text for part in parts if part.text and part.level != "case")
        if whole:
            yield self._source(section, whole)
            translated = "\n".join(chain(*(translation(part.locator, part.text) for part in parts)))
            if translated:
                yield replace(self._source(section, translated), language="es")

    def _source(self, section: Section, text: str) -> Source:
        days = section.valid_from, section.valid_to
        return Source(section.locator, section.citation, text, section.document.language, *days)

    def versions(self, stand: Stand) -> Iterator[Source]:
        """Other texts that a cited section had or has."""
        if stand.section is not None:
            for version in self._versions(stand.section.locator).exclude(pk=stand.section.pk):
                if version.level != "case":
                    yield self._source(version, version.text)

    def like(self, words: str) -> Iterator[Source]:
        """The provisions that have most of these words, in the law of the day and the caller's documents."""
        said = " ".join(words.replace('"', " ").split()[:LONGEST_QUESTION])
        asked = {"original": said, "text": said, "normalized": said.casefold(), "language": detect(said)}
        ranking = Ranking(replace(self.query, **asked))
        legs: Sequence[Callable[[Ranking], Ranking]] = (
            LexicalRetriever(k=LOOKED_THROUGH, cited=False),
            PrivateLexicalRetriever(k=LOOKED_THROUGH),
        )
        ids: list[int] = []
        for leg in legs:
            try:
                ids += [candidate.section_id for candidate in leg(ranking).candidates]
            except NotRun:
                self.unsearched = True
        readable = Section.objects.readable(self.query.caller, self.day).filter(pk__in=ids)
        by_id = {section.pk: section for section in readable.select_related("document")}
        for section in (by_id[pk] for pk in ids if pk in by_id):
            if section.level != "case":
                yield self._source(section, section.text)


def is_named(cited: Cited, place: Place) -> bool:
    """A decision is cited by the page on which it begins; another page of it only where the brief says "at"."""
    return cited.page or place.section.level != "case" or place.section.locator == cited.locator
