"""Which edition of the law an answer was read in, and that it is no legal advice."""

import re
from collections.abc import Sequence
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from retrieval.answers import passages as reading
from retrieval.answers.citing import named_edition

DAY = re.compile(r"\d{4}-\d\d-\d\d")


def notice(sections: Sequence[int], day: date | None, language: str) -> str:
    """Which edition of the law was read, and that this is no advice."""
    told = [
        ", ".join(filter(None, (title, edition_of(edition), _("read on %(day)s") % {"day": date_format(read)})))
        for title, edition, read in reading.editions(sections, language)
    ]
    as_of = [_("The law as it was on %(day)s.") % {"day": date_format(day)}] if day else []
    if day and reading.any_undated(sections):
        as_of.append(_("Since when these words have been law is not known here."))
    return " ".join([*as_of, *(f"{one}." for one in told), _("This is information, not legal advice.")])


def edition_of(edition: str) -> str:
    """As its source names it; where people gave its day alone, by that."""
    if not DAY.fullmatch(edition):
        return named_edition(edition)
    return _("edition of %(day)s") % {"day": date_format(date.fromisoformat(edition))}
