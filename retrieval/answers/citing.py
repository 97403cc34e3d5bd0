"""How the places that are quoted are cited: by the numbered place, and once where they follow each other; and what
editions are called. Pure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby

from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from retrieval.citations.citation import cite
from retrieval.corpus.history import is_within

QUOTING = ("yes", "no", "law")
EDITIONS = {  # what stands before the day, as `retrieval.parsing.cfr.reader` writes it
    "Code of Federal Regulations, edition of": _("Code of Federal Regulations, edition of %(day)s"),
    "eCFR, as amended to": _("eCFR, as amended to %(day)s"),
}
DATED = re.compile(r"(.*) (\d{4}-\d\d-\d\d)")


def pinned(place: Mapping) -> str:
    """The Bluebook form of the deepest numbered place that is quoted: "8 U.S.C. § 1182(d)(13)"."""
    known = place["pin"] and place["citation"] == cite(place["locator"])
    return (known and cite(place["pin"])) or place["citation"]


def together(entries: Sequence[Mapping]) -> list[list[Mapping]]:
    """The entries of an answer, those that quote one provision and follow each other in one group."""
    return [list(group) for _of, group in groupby(entries, key=provision_of)]


def provision_of(entry: Mapping) -> tuple | int:
    """What is alike of entries of one group."""
    if entry["kind"] not in QUOTING:
        return id(entry)
    return tuple({place["locator"] for place in entry["citations"]}), entry["part"]


def cited(entries: Sequence[Mapping]) -> list[dict]:
    """The places that a group cites, each once, with the words that cite it and what stands before them: in full, then
    only the pinpoint of the same provision: "8 U.S.C. § 1182(a)(3)", ", (d)(13)".
    """
    told: dict[str, dict] = {}
    before = ""
    for place in (place for entry in entries for place in deepest(entry["citations"])):
        full, citation = pinned(place), place["citation"]
        if full in told:
            continue
        goes_on = citation == before and full != citation
        words = full.removeprefix(citation).lstrip(", ") if goes_on else full
        told[full] = {"place": place, "words": words, "before": ", " if goes_on else "; " if told else ""}
        before = citation
    return list(told.values())


def deepest(places: Sequence[Mapping]) -> Iterator[Mapping]:
    """Without those that only frame a deeper one, as the words before a list do its item."""
    where = [place["pin"] or place["locator"] for place in places]
    for place, own in zip(places, where, strict=True):
        if not any(other != own and is_within(other, own) for other in where):
            yield place


def citation_of(entries: Sequence[Mapping]) -> str:
    """All of it in one line."""
    return "".join(f"{one['before']}{one['words']}" for one in cited(entries))


def named_edition(edition: str) -> str:
    """As its source names it; an edition of the regulations in the reader's language."""
    dated = DATED.fullmatch(edition)
    if not dated or dated[1] not in EDITIONS:
        return edition
    return EDITIONS[dated[1]] % {"day": date_format(date.fromisoformat(dated[2]))}
