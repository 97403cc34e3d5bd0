"""Provisions of the documents that a site made itself, by what they are cited as: title or collection, and number. Each
is looked up by an index, and of private documents those that the caller holds alone are looked at.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice, product
from typing import NamedTuple, TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet

from retrieval.citations.citation import Citation, Found, Item, Source, cite_plain, longest
from retrieval.citations.titled import Name, Numbered, as_words, whole, within
from retrieval.corpus.filters import inside, searched
from retrieval.models import Anchor, Document, Section
from retrieval.models.corpus import DocumentQuerySet, SectionQuerySet
from retrieval.ranking import Query

MOST = 100  # documents or provisions that a citation may mean; what may mean more is none
MOST_IN_TEXT = 5_000  # that all citations of a text may, and all numbers or headings of some documents
MOST_PARTS = 200  # of titles, by which documents are looked for in one text
MOST_HEADED = 5  # documents of which all headings are looked at
SHORTEST = 6  # letters of a title in running text; shorter ones are words of any text


class Titled(NamedTuple):
    pk: int
    locator: str
    title: str
    cited_as: str
    private: bool


class Provision(NamedTuple):
    """A place in a document, in its order; `divided`: places below it are known."""

    document: int
    position: int
    pk: int
    domain: int
    locator: str
    citation: str
    level: str
    number: str
    heading: str
    divided: bool


Row = TypeVar("Row", Titled, Provision)


@dataclass(slots=True)
class Meaning:
    """What words may name: documents with this title, domains, documents with titles that end or begin so."""

    titled: list[Titled] = field(default_factory=list)
    domains: list[int] = field(default_factory=list)
    ended: list[Titled] = field(default_factory=list)
    begun: list[Titled] = field(default_factory=list)

    @property
    def documents(self) -> list[int]:
        return [one.pk for one in (*self.titled, *self.ended, *self.begun)]

    @property
    def is_private(self) -> bool:
        return any(one.private for one in self.titled)

    def among(self, places: Sequence[Provision], level: str) -> list[Provision]:
        """Of these places those in the likeliest that has any; of this level, if it has such."""
        titled, partly = ({one.pk for one in some} for some in (self.titled, (*self.ended, *self.begun)))
        found = (
            [place for place in places if place.document in titled]
            or [place for place in places if place.domain in self.domains]
            or [place for place in places if place.document in partly]
        )
        return [place for place in found if place.level == level] or found


def cited_whole(text: str, query: Query, *, alone: bool = True) -> list[Citation]:
    """What a whole query cites that is nothing but a citation, or a list of them; where one may be several places, all.
    `alone`: also by a number that nothing names.
    """
    source, own = Source.of(text), Own(query)
    for read in chain.from_iterable(one.readings for one in whole(source)):
        if found := own.meant_by(read if alone else replace(read, bare=False)):
            return [one for place in found for one in source.citations(place)]
    return []


def lacking(text: str, query: Query) -> list[Citation]:
    """What a whole query cites that is nothing but a number which a document that is here, or was, does not have."""
    source, own = Source.of(text), Own(query, ever=True)
    found = next(filter(None, map(own.lacked_by, whole(source))), None)
    return list(source.citations(found)) if found else []


def cited_in(text: str, query: Query, *, asked: bool = False, ever: bool = False) -> list[Citation]:
    """What a running text cites, in order; in a question that is `asked` titles count in small letters too. With `ever`
    also what is in force on another day, and numbers that a document which is here does not have.
    """
    source, own = Source.of(text), Own(query, asked=asked, ever=ever)
    found = longest(own.in_text(within(source)), len(source.folded))
    return [one for place in found for one in source.citations(place)]


def cited(reach: tuple[int, int], place: Provision, read: Numbered, between: Iterable[Provision] = ()) -> Found:
    """With the places below it; of a provision that is not divided all of it is meant. What lies `between` it and the
    beginning of its range stands nowhere in the text.
    """
    below = "".join(f"/{step}" for step in read.below) if place.divided else ""
    said = "".join(f"({step})" for step in read.below)
    start, end = reach
    within = (Item(start, start, one.locator, one.citation) for one in between)
    return Found(start, end, (*within, Item(start, end, f"{place.locator}{below}", f"{place.citation}{said}")))


@dataclass(frozen=True)
class Own:
    """The documents that a site made itself, as a query may read them."""

    query: Query
    asked: bool = False
    ever: bool = False

    @cached_property
    def domains(self) -> dict[int, tuple[str, ...]]:
        """What each of their domains is called."""
        own = (domain for domain in self.query.domains if domain.takes_uploads)
        return {domain.id: tuple(map(as_words, (*domain.names, domain.slug))) for domain in own}

    @cached_property
    def held(self) -> DocumentQuerySet | None:
        """The caller's private ones, where these are searched."""
        caller = self.query.caller
        searches = caller.principals and any(domain.private for domain in self.query.domains)
        return Document.objects.held_by(caller) if searches else None

    def sections(self, domains: Iterable[int]) -> list[SectionQuerySet]:
        """Public ones, which are found by their numbers, and private ones, by their documents."""
        readable = searched(self.query)
        if self.ever:
            readable = Section.objects.live().visible_to(self.query.caller).filter(inside(self.query.within))
        found = readable.filter(domain__in=list(domains))
        held = [] if self.held is None else [found.filter(private=True, document__in=self.held.values("pk"))]
        return [found.filter(private=False), *held]

    def documents(self, where: Q, *, most: int) -> list[Titled]:
        public = Document.objects.filter(where, private=False, domain__in=self.domains)
        held = [] if self.held is None else [self.held.filter(where, domain__in=self.domains)]
        return sorted(chain(*(at_most(most, each, Titled) for each in (public, *held))))

    def provisions(self, where: Q, domains: Iterable[int], *, most: int = MOST) -> list[Provision]:
        divided = Exists(Anchor.objects.filter(section=OuterRef("pk")))
        found = (each.filter(where).annotate(divided=divided) for each in self.sections(domains))
        by_locator = {one.locator: one for one in sorted(chain(*(at_most(most, each, Provision) for each in found)))}
        return list(by_locator.values())

    def meanings(self, words: Set[str], parts: Set[str], domains: Iterable[int], *, most: int) -> dict[str, Meaning]:
        """By words what they name, where that is anything: titles, these domains, and by `parts` titles that begin or
        end so, public ones with more than a word.
        """
        meant: defaultdict[str, Meaning] = defaultdict(Meaning)
        for one in self.documents(Q(cited_as__in=words), most=most) if words else ():
            meant[one.cited_as].titled.append(one)
        for pk in domains:
            for said in words:
                if any(is_called(said, name) for name in self.domains[pk]):
                    meant[said].domains.append(pk)
        partly = self.documents(Q(*map(with_part, parts), _connector=Q.OR), most=most) if parts else []
        for said, one in product(parts, partly):
            if one.private or is_telling(said):
                meant[said].ended += [one] * one.cited_as.endswith(f" {said}")
                meant[said].begun += [one] * one.cited_as.startswith(f"{said} ")
        return {said: one for said, one in meant.items() if one.documents or one.domains}

    def placed(self, read: Sequence[Numbered], meant: Iterable[Meaning], *, most: int = MOST) -> list[Provision]:
        """The places with these numbers in what is meant, each once."""
        documents = {pk for each in meant for pk in each.documents}
        domains = {pk for each in meant for pk in each.domains}
        where = Q(number__in=set().union(*(one.spellings for one in read)))
        found = self.provisions(where, domains, most=most) if domains else []
        if documents:
            found += self.provisions(where & Q(document__in=documents), self.domains, most=MOST_IN_TEXT)
        return sorted(set(found))

    # -- Whole queries

    def meant_by(self, read: Numbered) -> list[Found]:
        """The places it may mean, or each number of its list: by a title, the name of a domain or a part of a title; by
        the number alone. Without a sign an ordinary number is one behind a title alone. None where one leads nowhere.
        """
        if not self.domains:
            return []
        words = {name.words for name in read.names}
        loose = words if read.level or read.is_compound else set()
        meant = self.meanings(words, loose, self.domains if loose else (), most=MOST)
        headed = self.headed(read.heading, meant.values()) if read.heading else []
        places = headed or self.placed(read.listed, meant.values())
        found: list[Found] = []
        before: list[Provision] = []
        for n, one in enumerate(read.listed):
            here = headed or [place for place in places if place.number in one.spellings]
            if by := named_by(read.names, one.level, meant, here):
                reach, places_of_one = read.reach(by[0], n), by[1][:MOST]
            else:
                reach, places_of_one = read.reach(None, n), self.alone(one) if read.bare else []
            if not places_of_one:
                return []
            between = self.between(before, places_of_one) if one.through else []
            found += [cited(reach, place, one, between) for place in places_of_one]
            before = places_of_one
        return found

    def lacked_by(self, read: Numbered) -> Found | None:
        """The number that the document which a whole query names does not have: by a part of its title only where that
        is surely that of a provision, "4.2" or behind a sign, and by its domain behind a sign alone; not "fees of 2024"
        or "MRI safety 3T", nor "Manual 2" if that is a title.
        """
        is_sure = bool(read.level) or read.is_compound
        is_small = read.number.isdigit() and len(read.number) < len("2024")
        if not self.domains or read.more or not (read.number and (is_sure or is_small)):
            return None
        words = {name.words for name in read.names if is_sure or is_telling(name.words)}
        meant = self.meanings(words, words if is_sure else set(), self.domains if read.level else (), most=MOST)
        found = next(self.lacking(replace(read, level=read.level or "section"), 0, meant), None)
        with_number = Q(cited_as__in=[f"{name} {as_words(read.number)}" for name in words])
        return found if found and not self.documents(with_number, most=MOST) and self.was_here(found) else None

    def was_here(self, found: Found) -> bool:
        """Whether the document has, or had, anything to read: of one being read nothing is told yet."""
        document = found.items[0].locator.rpartition("/")[0]
        return any(each.filter(locator__under=f"{document}/").exists() for each in self.sections(self.domains))

    def alone(self, read: Numbered) -> list[Provision]:
        """The places of a number in the only document that has it, of all that is searched, law of others too."""
        number = Q(number__in=read.spellings)
        holders = self.holders(number, self.query.domain_ids)
        only = Q(document__in=holders, level=read.level) if len(holders) == 1 else Q(pk__in=[])
        return self.provisions(number & only, self.domains)

    def between(self, first: Sequence[Provision], last: Sequence[Provision]) -> list[Provision]:
        """What stands between the ends of a range, if these are two places of one document, and not too much."""
        if len(first) != 1 or len(last) != 1 or first[0].document != last[0].document:
            return []
        after, before = first[0].position, last[0].position
        where = Q(document=last[0].document, level=last[0].level, position__gt=after, position__lt=before)
        return sorted(self.provisions(where, self.domains))

    def headed(self, heading: str, meant: Iterable[Meaning]) -> list[Provision]:
        documents = [one.pk for each in meant for one in each.titled][:MOST_HEADED]
        found = self.provisions(Q(document__in=documents, number=""), self.domains, most=MOST_IN_TEXT)
        return [place for place in found if as_words(place.heading) == heading]

    def holders(self, where: Q, domains: Iterable[int]) -> dict[int, int]:
        """The documents that have such places, with their domains: two where there are more."""
        found: dict[int, int] = {}
        for each in self.sections(domains):
            having = each.filter(where).order_by().values_list("document", "domain")
            for _ in range(2):
                found |= dict(having.exclude(document__in=found)[:1])
        return found

    # -- Running text

    def in_text(self, read: Sequence[Numbered]) -> Iterator[Found]:
        """Numbers beside a title or the name of a domain, of public ones where these are more than a word, and titles
        are written as such; and compound ones by themselves, where of all that is named so in the text one document has
        them.
        """
        if not (read and self.domains):
            return
        names = [name for one in read for name in one.names if len(name.words) >= SHORTEST]
        parts = dict.fromkeys(name.words for name in names if name.is_title and is_telling(name.words))
        some = {*islice(parts, MOST_PARTS)}
        meant = self.meanings({name.words for name in names}, some, self.domains, most=MOST_IN_TEXT)
        meant = {said: one for said, one in meant.items() if is_telling(said) or one.is_private}
        read = [replace(one, names=tuple(name for name in one.names if self.is_meant(name, meant))) for one in read]
        meant = {name.words: meant[name.words] for one in read for name in one.names}
        by_number = defaultdict(list)
        readings = [one for some in read for reading in some.readings for one in reading.listed]
        for place in self.placed(readings, meant.values(), most=MOST_IN_TEXT):
            by_number[place.number].append(place)
        for some in read:
            known = (one for one in some.readings if any(map(by_number.get, one.spellings)))
            yield from self.in_list(next(known, some), meant, by_number)

    def in_list(
        self, read: Numbered, meant: Mapping[str, Meaning], by_number: Mapping[str, Sequence[Provision]]
    ) -> Iterator[Found]:
        """What the numbers of one list lead to."""
        before: list[Provision] = []
        for n, one in enumerate(read.listed):
            here = [place for number in one.spellings for place in by_number.get(number, ())]
            name, found = named_by(read.names, one.level, meant, here) or (None, [])
            if name is None and read.bare and one.is_compound:
                found = [place for place in here if place.level == one.level]
            titled = [document.pk for document in meant[name.words].titled] if name else []
            if places := self.in_each(found, titled):
                between = self.between(before, places) if one.through else []
                reach = read.reach(name, n)
                items = (cited(reach, place, one, between).items for place in places)
                yield Found(*reach, tuple(chain(*items)))
            elif self.ever and not found:
                yield from self.lacking(read, n, meant)
            before = places

    def in_each(self, found: Sequence[Provision], titled: Collection[int]) -> list[Provision]:
        """The first place in the only document that has any; with `ever` of several with one title in each of those
        that are in force.
        """
        if self.ever and len({place.document for place in found}) > 1:
            locators = [place.locator for place in found]
            here = {*searched(self.query).filter(locator__in=locators).values_list("locator", flat=True)}
            found = [place for place in found if place.locator in here] or found
        first = {place.document: place for place in reversed(found)}
        is_one = len(first) == 1 or (self.ever and first.keys() <= {*titled})
        return sorted(first.values()) if is_one else []

    def is_meant(self, name: Name, meant: Mapping[str, Meaning]) -> bool:
        """Whether words of a text name what they may: "good faith, § 3" no public document "Good Faith"."""
        one = meant.get(name.words)
        return one is not None and (self.asked or name.is_title or one.is_private or bool(one.domains))

    def lacking(self, read: Numbered, place: int, meant: Mapping[str, Meaning]) -> Iterator[Found]:
        """One listed that a document does not have: that of this title, or the one with numbers like it."""
        number = read.listed[place].number
        for name, one in ((name, meant[name.words]) for name in read.names if name.words in meant):
            ended = one.ended if len(one.ended) == 1 else []
            if document := next(iter(one.titled or ended), None) or self.with_like_numbers(number, one):
                normalized = cite_plain(document.title, read.level, number, "")
                yield Found.one(*read.reach(name, place), f"{document.locator}/{number}", normalized)
                return

    def with_like_numbers(self, number: str, meant: Meaning) -> Titled | None:
        """The one document with numbers that begin as this one does: "4-" of "4-99"."""
        like, documents = re.match(r".*[.-]", number), [one.pk for one in meant.begun]
        if not (like and (documents or meant.domains)):
            return None
        where = Q(number__under=like[0], **({"document__in": documents} if documents else {}))

        def found() -> Titled | None:
            holders = self.holders(where, self.domains if documents else meant.domains)
            return next(iter(self.documents(Q(pk__in=holders), most=1)), None)

        return self.query.once(("numbers like", like[0], *documents, *meant.domains), found)


def named_by(
    names: Iterable[Name], level: str, meant: Mapping[str, Meaning], places: Sequence[Provision]
) -> tuple[Name, list[Provision]] | None:
    """By which of these names a number leads to any of these places, and to which: to none where a document of a title
    does not have it.
    """
    for name in names:
        if one := meant.get(name.words):
            found = one.among(places, level)
            if found or one.titled:
                return name, found
    return None


def at_most(most: int, rows: QuerySet, kind: type[Row]) -> list[Row]:
    """These rows, or none where there are more: how many there are beyond costs nothing."""
    found = list(rows.order_by().values_list(*kind._fields)[: most + 1])
    return [kind(*row) for row in found] if len(found) <= most else []


def is_telling(words: str) -> bool:
    """More than a word, which may be one of many titles."""
    return " " in words


def is_called(words: str, domain: str) -> bool:
    return words == domain or (is_telling(words) and f" {words} " in f" {domain} ")


def with_part(words: str) -> Q:
    return Q(cited_as__under=f"{words} ") | Q(cited_back__under=f"{words[::-1]} ")
