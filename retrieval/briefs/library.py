"""The law beside which a brief is read: what each citation leads to on a day, its words, and where else words stand.

All of it is read as the caller: a place that the caller may not read is none. Nothing is kept.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, reduce
from itertools import chain
from math import ceil, inf
from operator import or_
from time import monotonic
from typing import Literal, get_args

from django.db.models import Count, Exists, OuterRef, Q, Value, prefetch_related_objects
from django.utils import timezone

from retrieval.access.caller import Caller
from retrieval.briefs.citing import Cited, Titled
from retrieval.briefs.wording import Words
from retrieval.citations.case_names import CaseNames
from retrieval.citations.citation import Source as Written
from retrieval.corpus import decided_cases, history
from retrieval.corpus.absence import ENDED, UNKNOWN, Absence, absences
from retrieval.corpus.filters import above, searched
from retrieval.corpus.moved import GONE
from retrieval.corpus.ranges import ends_of
from retrieval.corpus.translations import translation
from retrieval.errors import NotRun
from retrieval.models import Anchor, Document, Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.parsing.run_in import may_hold
from retrieval.proof import types as proof
from retrieval.ranking import Ranking
from retrieval.search.response import standing_on
from retrieval.search.service import reading
from retrieval.stages.citations import Place, places_of
from retrieval.stages.legs import LexicalRetriever, PrivateLexicalRetriever
from retrieval.text.language import detect

Key = tuple[str, bool]  # a cited locator, and whether only a page of it is cited
Status = Literal["resolved", "partial", "unknown", "superseded", "overruled", "not_yet_in_force"]
STATUSES = get_args(Status)

MOST_TITLES = 1_000  # private documents whose titles are looked for
WHOLE = "/us/const/"  # all of its places are known here: what is not among them is nowhere
SHORTEST_TITLE = 6  # characters; shorter ones are words of any text
AT_ONCE = 400  # beginnings of locators that one statement looks for
MOST_PARTS = 200  # provisions below a cited one whose words are read
SECONDS = 20  # for one brief: what is not compared by then is left, and told
SAME_NAME = 2 / 3  # of the letters of what a missing provision is called, that what is near to it has too
LOOKED_THROUGH = 15  # provisions that a quotation is looked for in, where it is not in the cited one
LONGEST_QUESTION = 40  # words of a quotation by which it is looked for
BREAKS_OFF = re.compile(r"\A.{,300}[^.;!?”\")\s]\s*\Z", re.DOTALL)  # short words that go on in what is below them
NUMBERED = re.compile(r"(?P<kind>[a-z]+)/(?P<number>[0-9]{1,9})")  # of what stands below: "section/5"
STATUS = {  # by how a text stands on the day
    "in_force": "resolved",
    "overruled": "overruled",
    "departed": "resolved",  # it may be cited; its standing and history tell what later law did
    "not_yet_in_force": "not_yet_in_force",
    "amended_since": "superseded",
    "no_longer_in_force": "superseded",
}


@dataclass(frozen=True)
class Source(proof.Source):
    """Words that a quotation may come from, and whose they are; of a section that is cited for a place in it, `pin` is
    where that stands. `opinion`: which of a decision's it is: "majority".
    """

    valid_from: date | None = None
    valid_to: date | None = None
    pin: tuple[int, int] | None = None
    opinion: str = ""

    @cached_property
    def words(self) -> Words:
        return Words(self.text)

    def after(self, opening: str) -> "Source":
        before = len(opening) + 1
        pin = self.pin and (self.pin[0] + before, self.pin[1] + before)
        return replace(self, text=f"{opening} {self.text}", pin=pin)


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
    absence: Absence | None = None  # where it has a text on other days alone

    @property
    def place(self) -> Section | Document | None:
        return self.section or self.document

    @property
    def known_from(self) -> date | None:
        """Of what may have been law on the day or not: from when on the law that it would stand in is here."""
        return self.absence.day if self.absence and self.absence.kind == UNKNOWN else None

    @property
    def withdrawn_on(self) -> date | None:
        return self.absence.day if self.absence and self.absence.withdrawn else None

    @property
    def key(self) -> tuple[int | None, str | None, int | None]:
        """What words it has; one that is not here has none, though a document above it is."""
        return self.section and self.section.pk, self.pin, self.document.pk if self.is_of_document else None

    @property
    def is_of_document(self) -> bool:
        return self.section is None and self.document is not None and self.leads

    @property
    def leads(self) -> bool:
        return self.status not in ("partial", "unknown")


class Library:
    """`day`: as the law is on it; every look-up is made once, those of many citations in a few statements."""

    def __init__(self, caller: Caller, day: date | None = None):
        self.day = day or timezone.localdate()
        self.query = reading(caller, self.day)
        self.names: CaseNames | None = decided_cases.names_for(self.query)
        self.unsearched = False  # whether something could not be looked for
        self._until = monotonic() + SECONDS
        self._stands: dict[tuple[str, bool], Stand] = {}
        self._sources: dict[tuple, list[Source]] = {}
        self._openings: dict[int, str] = {}  # by section, the words above it that it goes on with
        self._cases: dict[str, Section | None] = {}
        self._several: set[str] = set()  # locators of cited sections that have more than one version

    def is_late(self) -> bool:
        """Whether the time for this brief is over; what is left then is told as unsearched."""
        late = monotonic() > self._until
        self.unsearched = self.unsearched or late
        return late

    # -- Citations

    def stand(self, cited: Cited) -> Stand:
        self.look_up([cited])
        return self._stands[key_of(cited)]

    def look_up(self, many: Sequence[Cited]) -> None:
        """Finds what these lead to, and the decisions that they name."""
        self._name([cited.name for cited in many])
        new = {key: cited for cited in many if (key := key_of(cited)) not in self._stands}
        if not new:
            return
        locators = list({cited.locator for cited in new.values()})
        found = [places_of(query, locators) for query in (self.query, replace(self.query, as_of=None))]
        stood: dict[Key, Place] = {}
        absent: dict[Key, Place | None] = {}
        for key, cited in new.items():
            places = [place for each in found if (place := each.get(cited.locator))]
            here = next((place for place in places if place.exact and is_named(cited, place, self.day)), None)
            if here:
                stood[key] = here
            else:
                absent[key] = next(iter(places), None)
        self._prepare([place.section for place in stood.values()])
        self._stands |= {key: self._standing(place.section, place.pin) for key, place in stood.items()}
        of_another_day = self._of_another_day(stood, absent)
        absent = {key: place for key, place in absent.items() if key not in of_another_day}
        self._stands |= of_another_day | (self._absent(absent) if absent else {})

    def _of_another_day(self, stood: Mapping[Key, Place], absent: Collection[Key]) -> dict[Key, Stand]:
        """What has no text on the day and has one on others. Of what is not here at all nobody knows whether it was
        then, where the law that it would stand in was not here then either.
        """
        later = {key: at.section.locator for key, at in stood.items() if (at.section.valid_from or date.min) > self.day}
        chains = {key: (later.get(key, key[0]), *above(key[0])[::-1]) for key in (*later, *absent)}
        found = absences({*chain(*chains.values())}, self._of_any_day(), self.day)
        stands = {}
        for key, places in chains.items():
            lost = next((found[place] for place in places if place in found), None)
            if lost is None or not (lost.kind == UNKNOWN or lost.text.is_result or lost.place.locator == key[0]):
                continue
            if lost.kind == UNKNOWN:
                stands[key] = Stand("unknown", absence=lost)
            elif key not in later or lost.kind == ENDED:
                stands[key] = Stand(STATUS[lost.kind], lost.kind, lost.text, known=True, absence=lost)
        self._prepare([stand.section for stand in stands.values() if stand.section])
        return stands

    def _prepare(self, sections: Sequence[Section]) -> None:
        """Reads their documents, and whether they have other versions."""
        prefetch_related_objects(sections, "document")
        versions = self._versions({section.locator for section in sections}).order_by()
        several = versions.values("locator").annotate(many=Count("pk")).filter(many__gt=1)
        self._several.update(several.values_list("locator", flat=True))

    def _documents(self, locators: Collection[str]) -> dict[str, Document]:
        """Those of which the caller may read something on the day."""
        readable = Section.objects.readable(self.query.caller, self.day).filter(document=OuterRef("pk"))
        visible = Document.objects.visible_to(self.query.caller).filter(Exists(readable))
        found = visible.filter(locator__in=locators, domain__in=self.query.domain_ids)
        return {document.locator: document for document in reversed(found)}

    def _versions(self, locators: Collection[str]) -> SectionQuerySet:
        """All that was ever law at these places, the last first."""
        texts = self._of_any_day().select_related("document")
        return texts.filter(locator__in=locators).order_by("-valid_from", "-pk")

    def _of_any_day(self) -> SectionQuerySet:
        return Section.objects.live().visible_to(self.query.caller).filter(domain__in=self.query.domain_ids)

    def _last_versions(self, locators: Collection[str]) -> dict[str, Section]:
        last = self._versions(locators).order_by("locator", "-valid_from", "-pk").distinct("locator")
        return {section.locator: section for section in last}

    def _standing(self, section: Section, pin: str | None) -> Stand:
        stands = history.standing(pin or section.locator, self.day)
        ends = stands.end(section.valid_to)
        amended = section.valid_to is not None and section.locator in self._several
        standing = standing_on(
            self.day, section.valid_from, ends, stands.status(section.status), amended=amended
        )
        return Stand(STATUS[standing], standing, section, pin, known=True)

    def _absent(self, places: Mapping[Key, Place | None]) -> dict[Key, Stand]:
        """Whole documents; and what is not here as cited: the provision above it, of what is above all provisions the
        nearest by name, and where all parts of what is above are known the nearest by number.
        """
        locators = {locator for locator, _ in places}
        documents = self._documents({*locators, *(locator.rpartition("/")[0] for locator in locators)})
        tops = {locator: place.section for (locator, _), place in places.items() if place and not place.exact}
        parted = {at: top.locator for at, top in tops.items() if at.startswith(WHOLE) and not top.is_leaf}
        others = {at: top.locator for at, top in tops.items() if at not in parted and not top.is_result}
        near = self._nearest_by_number(parted) | self._nearest_by_name(others)
        divided = Section.objects.filter(pk__in=[top.pk for top in tops.values() if top.is_result])
        with_anchors = set(divided.filter(anchors__isnull=False).values_list("pk", flat=True))
        doubtful = may_be_in({at: top for at, top in tops.items() if top.pk in with_anchors})
        self._prepare([*tops.values(), *near.values()])

        def stand(locator: str) -> Stand:
            whole, top = locator.startswith(WHOLE), tops.get(locator)
            if locator in documents:
                return Stand("resolved", "in_force", known=True, document=documents[locator])
            if top is None and history.standing(locator, self.day).overtaken == history.OVERRULED:
                return Stand("overruled", "overruled", known=True)
            if top is None:
                document = documents.get(locator.rpartition("/")[0])
                return Stand("unknown", known=whole or document is not None, document=document)
            if top.status in GONE and not whole:
                return self._standing(top, None)
            if top.is_result and locator not in parted:
                known = whole or (top.pk in with_anchors and locator not in doubtful)
                return Stand("partial", section=top, known=known)
            return Stand("unknown", section=near.get(locator) or (top if top.parent_id else None), known=True)

        return {key: stand(key[0]) for key in places}

    def _nearest_by_name(self, tops: Mapping[str, str]) -> dict[str, Section]:
        """By locator the first provision whose locator begins with most of this one's, below the one above it; none
        where most of its number is another.
        """
        least = {at: len(top) + 1 + ceil(SAME_NAME * len(first_below(at, top))) for at, top in tops.items()}
        begun = {at: [at[:end] for end in range(len(at) - 1, least[at] - 1, -1)] for at in tops}
        wanted, first = list(dict.fromkeys(chain(*begun.values()))), dict[str, int]()
        results = searched(self.query).results().order_by("position", "id")
        while wanted and not self.is_late():
            some, wanted = wanted[:AT_ONCE], wanted[AT_ONCE:]
            one, *more = (
                results.filter(locator__under=part).annotate(part=Value(part)).values_list("part", "pk")[:1]
                for part in some
            )
            first |= dict(one.union(*more, all=True))
        near = {at: first[part] for at, parts in begun.items() if (part := next(filter(first.get, parts), None))}
        sections = Section.objects.in_bulk(near.values())
        return {locator: sections[pk] for locator, pk in near.items() if pk in sections}

    def _nearest_by_number(self, tops: Mapping[str, str]) -> dict[str, Section]:
        """By locator the first provision of the part of its kind with the nearest number, below the one above it."""
        here = list(searched(self.query).results().filter(locator__under=WHOLE).in_order()) if tops else []
        near = {}
        for at, top in tops.items():
            below = [section for section in here if section.locator.startswith(f"{top}/")]
            off = [apart(first_below(at, top), first_below(section.locator, top)) for section in below]
            if (least := min(off, default=inf)) < inf:
                near[at] = below[off.index(least)]
        return near

    def case_named(self, name: str) -> Section | None:
        """The decision that has this name here."""
        self._name([name])
        return self._cases[name]

    def _name(self, names: Iterable[str]) -> None:
        new = {name for name in names if name not in self._cases}
        found = {name: next(iter(self.names.find(Written.of(name))), None) for name in new if self.names and name}
        places = {name: case.items[0].locator for name, case in found.items() if case}
        cases = self._last_versions(places.values()) if places else {}
        self._cases |= {name: cases.get(places.get(name, "")) for name in new}

    def titled_in(self, text: str) -> list[Titled]:
        """The private documents that the text names and the caller may read; what is withdrawn only where no other of
        its title is in force.
        """
        if not self.query.caller.principals:
            return []
        folded = text.casefold()
        held = Document.objects.held_by(self.query.caller).order_by("pk")[:MOST_TITLES]
        named = [one for one in held if len(one.title) >= SHORTEST_TITLE and one.title.casefold() in folded]
        here = self._documents([document.locator for document in named]) if named else {}
        titles = {document.title.casefold() for document in here.values()}
        return [
            Titled(document.title, document.locator)
            for document in named
            if document.locator in here or document.title.casefold() not in titles
        ]

    # -- Words

    def sources(self, stand: Stand) -> list[Source]:
        """The words of a cited place, and of its translation. Of a decision its opinions alone: the summary is ours.
        Empty where these are not here.
        """
        self.read([stand])
        return self._sources[stand.key]

    def opened(self, stand: Stand) -> list[Source]:
        """The same in English behind the words with which the list begins that a cited section is an item of; none
        where it is none.
        """
        self.read([stand])
        opening = self._openings.get(stand.section.pk, "") if stand.section else ""
        return [source.after(opening) for source in self.sources(stand) if opening and source.language == "en"]

    def read(self, stands: Iterable[Stand]) -> None:
        """Reads the words of these places."""
        new = {stand.key: stand for stand in stands if stand.key not in self._sources}
        if not new:
            return
        sections = [stand.section for stand in new.values() if stand.section]
        places = [stand.pin for stand in new.values() if stand.pin]
        anchors = Anchor.objects.filter(section__in=sections, locator__in=places)
        pins = {(anchor.section_id, anchor.locator): (anchor.start, anchor.end) for anchor in reversed(anchors)}
        self._openings |= openings(sections, Section.objects.readable(self.query.caller, None))
        below = self._below([one.section for one in new.values() if one.section and one.key[:2] not in pins])
        former = self._before_they_were_gone(sections)
        documents = self._parts_of([stand.document for stand in new.values() if stand.is_of_document])
        for key, stand in new.items():
            if pin := pins.get(key[:2]):
                self._sources[key] = [replace(self._source(stand.section, stand.section.text), pin=pin)]
            elif stand.section:
                words = former.get(stand.section.locator, stand.section)
                self._sources[key] = list(self._words(words, below.get(stand.section.pk, ())))
            else:
                parts = documents.get(stand.document.pk, ()) if stand.is_of_document else ()
                self._sources[key] = [self._source(part, part.text) for part in parts]

    def _before_they_were_gone(self, sections: Iterable[Section]) -> dict[str, Section]:
        """By locator the last text of those in whose place only "Repealed" or "Reserved" stands."""
        gone = {section.locator for section in sections if section.status in GONE} & self._several
        return {text.locator: text for text in reversed(self._versions(gone).exclude(status__in=GONE))} if gone else {}

    def _words(self, section: Section, below: Sequence[Section]) -> Iterator[Source]:
        if section.level == "case":
            yield from (replace(self._source(part, part.text), opinion=part.level) for part in below if part.text)
            return
        parts = [section, *below]
        whole = "\n".join(part.text for part in parts if part.text)
        if whole:
            yield self._source(section, whole)
            translated = "\n".join(chain(*(translation(part.locator, part.text) for part in parts)))
            if translated:
                yield replace(self._source(section, translated), language="es")

    def _below(self, sections: Sequence[Section]) -> Mapping[int, list[Section]]:
        """By section what stands under it: on the day, or now where its own text is one of the past. Of a title or
        chapter, which may hold a whole code, the first.
        """
        ids: defaultdict[int, list[int]] = defaultdict(list)
        for past in (False, True):
            tops: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
            readable = Section.objects.readable(self.query.caller, None if past else self.day)
            for top in {section.pk: section for section in sections}.values():
                under = Q(document=top.document_id, locator__under=f"{top.locator}/")
                if bool(top.valid_to) is past and top.is_result:
                    tops[top.document_id, top.locator].add(top.pk)
                elif bool(top.valid_to) is past and not self.is_late():
                    ids[top.pk] += readable.filter(under).in_order().values_list("pk", flat=True)[:MOST_PARTS]
            if tops:
                under = reduce(or_, (Q(document=document, locator__under=f"{top}/") for document, top in tops))
                for pk, document, locator in readable.filter(under).in_order().values_list("pk", "document", "locator"):
                    for top in chain(*(tops.get((document, place), ()) for place in above(locator))):
                        ids[top].append(pk)
        return first_of(ids)

    def _parts_of(self, documents: Sequence[Document]) -> Mapping[int, list[Section]]:
        """By document its parts that have words."""
        readable = Section.objects.readable(self.query.caller, self.day).filter(document__in=documents)
        ids: defaultdict[int, list[int]] = defaultdict(list)
        for document, pk in readable.exclude(text="").in_order().values_list("document", "pk"):
            ids[document].append(pk)
        return first_of(ids)

    def _source(self, section: Section, text: str) -> Source:
        days = section.valid_from, section.valid_to
        return Source(section.locator, section.citation, text, section.document.language, *days)

    def versions(self, stand: Stand) -> Iterator[Source]:
        """Other texts that a cited section had or has."""
        if stand.section is not None and stand.section.locator in self._several:
            for version in self._versions([stand.section.locator]).exclude(pk=stand.section.pk):
                if version.level != "case":
                    yield self._source(version, version.text)

    def like(self, words: str) -> Iterator[Source]:
        """The provisions that have most of these words, in the law of the day and the caller's documents."""
        said = " ".join(words.replace('"', " ").split()[:LONGEST_QUESTION])
        asked = {"original": said, "text": said, "normalized": said.casefold(), "language": detect(said)}
        ranking = Ranking(replace(self.query, **asked))
        legs: Sequence[Callable[[Ranking], Ranking]] = (
            LexicalRetriever(k=LOOKED_THROUGH, called=False, cited=False),
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


def openings(sections: Iterable[Section], readable: SectionQuerySet) -> dict[int, str]:
    """By section the words above it that go on in it: "The Congress shall have Power" is said of each clause."""
    above = {section.pk: section.parent_id for section in sections if section.parent_id}
    texts = dict(readable.filter(pk__in=set(above.values())).exclude(text="").values_list("pk", "text"))
    return {pk: texts[parent] for pk, parent in above.items() if BREAKS_OFF.search(texts.get(parent, "."))}


def first_below(locator: str, top: str) -> str:
    """The first name below the one above: "s9999", "section/9"."""
    name = re.match(r"/((?:[a-z]+/)?[^/]+)", locator.removeprefix(top))
    return name[1] if name else ""


def apart(one: str, other: str) -> float:
    """How far the number of one part is from that of another, 2 of "section/7" and "section/5"; inf of another kind."""
    first, second = NUMBERED.fullmatch(one), NUMBERED.fullmatch(other)
    is_alike = first and second and first["kind"] == second["kind"]
    return abs(int(first["number"]) - int(second["number"])) if is_alike else inf


def key_of(cited: Cited) -> Key:
    return cited.locator, cited.page


def first_of(ids: Mapping[int, Sequence[int]]) -> dict[int, list[Section]]:
    """The first of these sections by what they belong to."""
    first = {of: some[:MOST_PARTS] for of, some in ids.items()}
    sections = Section.objects.select_related("document").in_bulk(set(chain(*first.values())))
    return {of: [sections[pk] for pk in some if pk in sections] for of, some in first.items()}


def may_be_in(tops: Mapping[str, Section]) -> set[str]:
    """Of locators that are no places of the sections above them, those whose numbers stand in the lines of the deepest
    place that is known.
    """
    above = {at: [at.rsplit("/", up)[0] for up in range(1, at.count("/"))] for at in tops}
    anchors = Anchor.objects.filter(section__in=tops.values(), locator__in={*chain(*above.values())})
    spans = {(anchor.section_id, anchor.locator): (anchor.start, anchor.end) for anchor in anchors}
    found = set()
    for at, top in tops.items():
        deepest = next((place for place in above[at] if (top.pk, place) in spans), top.locator)
        start, end = spans.get((top.pk, deepest), (0, len(top.text)))
        if may_hold(top.text[start:end], at.removeprefix(deepest).strip("/").split("/")):
            found.add(at)
    return found


def is_named(cited: Cited, place: Place, day: date) -> bool:
    """A decision is cited by the page on which it begins; another page of it only where the brief says "at". What
    stands for several numbers only since a later day says nothing of one of them.
    """
    section = place.section
    if ends_of(section.locator) and section.locator != cited.locator:
        return (section.valid_from or date.min) <= day
    return cited.page or section.level != "case" or section.locator == cited.locator
