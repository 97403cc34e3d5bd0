"""Which edition of the law an answer was read in, and that it is no legal advice."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from retrieval.answers.citing import named_edition

DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Edition:
    """What its source calls it, and when it was read: "" and None where it does not have the text, which had ended.
    `title_es`: of a document that is the whole of its domain, the domain's name.
    """

    title: str
    title_es: str
    publication: str
    read_on: date | None
    of_law: bool = True

    def to_text(self, language: str) -> str:
        title = (language == "es" and self.title_es) or self.title
        read = _("read on %(day)s") % {"day": date_format(self.read_on)} if self.read_on else ""
        return ", ".join(filter(None, (title, edition_of(self.publication), read)))


def notice(editions: Iterable[Edition], day: date | None, language: str, *, undated: bool, is_law: bool) -> str:
    """Which edition of the law was read, and that this is no advice. `undated`: whether the source of something that is
    quoted does not say since when it holds: it is read on every earlier day too. `is_law`: else of other documents.
    """
    every = set(editions)
    former = {one.title for one in every if one.read_on is None}
    named = [one for one in every if one.read_on is None or one.title not in former]
    told = [one.to_text(language) for one in sorted(named, key=lambda one: (one.title, one.publication))]
    then = _("The law as it was on %(day)s.") if is_law else _("The documents as they were on %(day)s.")
    as_of = [then % {"day": date_format(day)}] if day else []
    if day and undated and is_law:
        as_of.append(_("Since when these words have been law is not known here."))
    advice = _("This is information, not legal advice.")
    if not is_law:
        advice = _("This is information from the documents, as of their edition.")
    return " ".join([*as_of, *(f"{one}." for one in told), advice])


def edition_of(edition: str) -> str:
    """As its source names it; where people gave its day alone, by that."""
    if not DAY.fullmatch(edition):
        return named_edition(edition)
    return _("edition of %(day)s") % {"day": date_format(date.fromisoformat(edition))}
