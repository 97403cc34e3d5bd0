"""Reporters besides the United States Reports: their names in locators, which of several a case is placed by, and what
courts are called. What eyecite knows of them is read when something names one. Pure.
"""

import re
from collections.abc import Iterable
from functools import cache

CASE = "/us/case/"
UNITED_STATES_REPORTS = "/us/scotus/"
# Of the first ninety volumes of the United States Reports, which are cited by who reported them: how many each has, and
# how many there are before his.
NOMINATIVE = {
    "dall": (4, 0), "cranch": (9, 4), "wheat": (12, 13), "pet": (16, 25), "how": (24, 41), "black": (2, 65),
    "wall": (23, 67),
}  # fmt: skip
SHORT_NAME = 120  # characters of a case's name where it is cited
_NOT_A_SLUG = re.compile(r"[^a-z0-9]+")
_KINDS = ("federal", "scotus_early", "state_regional", "state")  # cited before neutral and vendors' citations


def slug_of(reporter: str) -> str:
    """ "f3d" of F.3d, "f-supp-2d" of F. Supp. 2d."""
    return _NOT_A_SLUG.sub("-", reporter.lower().replace(".", "").replace("'", "")).strip("-")


def volume_of(reporter: str, volume: int) -> int | None:
    """The volume of the United States Reports that "4 Wheat." is, 17; None where he reported no such one."""
    many, before = NOMINATIVE[reporter]
    return before + volume if 0 < volume <= many else None


@cache
def _known() -> dict[str, tuple[int, str]]:
    """By their names in locators, the place of their kind and how they are cited; of two of one name the first kind."""
    from reporters_db import REPORTERS

    kinds = {
        edition: _KINDS.index(each["cite_type"]) if each["cite_type"] in _KINDS else len(_KINDS)
        for reporters in REPORTERS.values()
        for each in reporters
        for edition in each["editions"]
    }
    ordered = sorted(((kind, edition) for edition, kind in kinds.items()), reverse=True)
    return {slug_of(edition): (kind, edition) for kind, edition in ordered}


def written(slug: str) -> str:
    """The reporter as it is cited; the name itself where nobody knows it."""
    return _known().get(slug, (0, slug))[1]


def best(locators: Iterable[str]) -> str:
    """Where a case is placed that has several citations, whatever their order: by the United States Reports, else the
    Supreme Court Reporter, else a federal, a regional or a state's own reporter. "" of none.
    """
    return min(locators, key=_order, default="")


def _order(locator: str) -> tuple[bool, bool, int, str]:
    slug = locator.removeprefix(CASE).split("/")[0]
    elsewhere = not locator.startswith(UNITED_STATES_REPORTS)
    return elsewhere, slug != "s-ct", _known().get(slug, (len(_KINDS), ""))[0] if elsewhere else 0, locator


@cache
def _courts() -> dict[str, str]:
    from courts_db import courts

    return {court["id"]: court["citation_string"] for court in courts}


def court_named(identifier: str) -> str:
    """ "9th Cir." of CourtListener's ca9, also at the end of an address; "" of a court that nobody knows."""
    return _courts().get(identifier.rstrip("/").rpartition("/")[2], "")


def cite_case(name: str, cited: str, court: str, year: int | None) -> str:
    """Smith v. Jones, 123 F.3d 456 (9th Cir. 1997). A court that its reporter names is not said again."""
    named = "" if court and cited.partition(" ")[2].startswith(court) else court
    decided = " ".join(filter(None, (named, str(year or ""))))
    return f"{name}, {cited}" + (f" ({decided})" if decided else "")
