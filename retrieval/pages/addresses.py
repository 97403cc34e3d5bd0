"""Who reads which law, and the addresses of what they read, made and read: the day and the matter go along."""

from dataclasses import dataclass, replace
from datetime import date
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.urls import reverse

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.matters import caller_in, matter_of
from retrieval.errors import ArfError, NotFound
from retrieval.models import Section
from retrieval.models.corpus import SectionQuerySet
from retrieval.pages.fields import DayField, PassageField
from retrieval.pages.typesetting import Offsets
from retrieval.request import MAX_QUERY

FILTERS = ("domain", "language", "notes", "within")  # of a search that led to a provision


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads, the law of which day, and what they came for: their words, and the passage they were shown; in which
    matter, where its documents are read as a member of it, and since when that is closed; the filters of the search
    that led here; and which of several texts of that day.
    """

    caller: Caller = ANONYMOUS
    as_of: date | None = None
    question: str = ""
    passage: Offsets | None = None
    matter: UUID | None = None
    filters: tuple[tuple[str, str], ...] = ()
    version: int | None = None
    closed_on: date | None = None

    @property
    def readable(self) -> SectionQuerySet:
        return Section.objects.readable(self.caller, self.as_of)

    @property
    def known(self) -> SectionQuerySet:
        """The texts of any day."""
        return Section.objects.live().visible_to(self.caller)

    def url(self, section: Section, name: str = "") -> str:
        """The page of a section, or a named place on it, on the day read and in the same matter."""
        return self.url_of(section.locator, name)

    def url_of(self, locator: str, name: str = "") -> str:
        fragment = f"#{name}" if name else ""
        return f"{self._address('retrieval:provision', locator)}{fragment}"

    def versions_url(self, section: Section) -> str:
        """Where the versions of a section are compared, on the same way."""
        return self._address("retrieval:compare", section.locator)

    def citations_url(self, section: Section) -> str:
        """Where what it cites and is cited by is listed, two steps around."""
        return self._address("retrieval:citations", section.locator, self.version)

    def _address(self, page: str, locator: str, version: int | None = None) -> str:
        kept = self.kept | ({"version": version} if version else {})
        query = f"?{urlencode(kept)}" if kept else ""
        return f"{reverse(page, args=[locator.removeprefix('/')])}{query}"

    @property
    def kept(self) -> dict[str, str]:
        """What goes along from page to page."""
        kept = {"as_of": self.as_of and self.as_of.isoformat(), "matter": self.matter and str(self.matter)}
        return {name: value for name, value in kept.items() if value}

    @property
    def search_url(self) -> str:
        """The search that they come from, with its filters, of the same day and in the same matter."""
        asked = [("q", self.question), *self.filters, *self.kept.items()]
        return f"{reverse('retrieval:search')}?{urlencode(asked)}"

    def url_on(self, day: date | None, locator: str, version: int | None = None) -> str:
        """The page of a place on another day, or one of several texts of that day; on none, as it is today."""
        url = replace(self, as_of=day).url_of(locator)
        return f"{url}&version={version}" if version else url


class Unreadable(ArfError):
    """An address with a value that is none; the message is in the reader's language."""


class ReaderForm(forms.Form):
    """How a provision is read: on which day, and with which words highlighted."""

    q = forms.CharField(required=False, max_length=MAX_QUERY)
    passage = PassageField(required=False)
    as_of = DayField(required=False)
    matter = forms.UUIDField(required=False)
    version = forms.IntegerField(required=False)

    def reader(self, caller: Caller) -> Reader:
        """A passage that cannot be read is left out: an old or mangled link still leads to its provision. In a matter
        its members read as it does. Raises NotFound for who is none, and Unreadable for what is no day: the law of
        another would be shown in its place.
        """
        self.is_valid()
        if "matter" in self.errors:
            raise NotFound("There is no such matter.")
        if problems := self.errors.get("as_of") or self.errors.get("version"):
            raise Unreadable(problems[0])
        said = self.cleaned_data
        as_of: date | None = said.get("as_of")
        number: UUID | None = said.get("matter")
        matter = matter_of(number, caller) if number else None
        return Reader(
            caller_in(matter, caller) if matter else caller,
            as_of,
            said.get("q", ""),
            said.get("passage"),
            number,
            self.filters(),
            said.get("version"),
            closed_on=matter.closed_on if matter else None,
        )

    def filters(self) -> tuple[tuple[str, str], ...]:
        """Those of the search that led here, which the way back has again."""
        return tuple((name, value) for name in FILTERS for value in self.data.getlist(name))
