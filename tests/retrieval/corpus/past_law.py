"""A title of regulations of which the editions of 2005 to 2016 are here, and what changed between them."""

from datetime import date

import pytest

from retrieval.models import Document, Domain, Section
from tests.builders import a_document, a_section

FIRST, ENDED, BACK = date(2005, 7, 1), date(2006, 7, 1), date(2013, 7, 1)
TITLE = "/us/cfr/t37"


@pytest.fixture
def regulations(db) -> Document:
    domain = Domain.objects.get(slug="code_of_federal_regulations")
    edition = "Code of Federal Regulations, edition of July 1, 2016"
    document = a_document(domain, locator=TITLE, title="Title 37", publication=edition)
    holding = {"is_result": False, "is_leaf": False, "valid_from": FIRST}
    title = a_section(document, locator=TITLE, citation="Title 37", level="title", **holding)
    named = {"level": "part", "citation": "37 C.F.R. pt. 1", "parent": title, "parent_locator": TITLE, "depth": 1}
    part = a_section(document, locator=f"{TITLE}/pt1", **named, **holding)
    for number, text, begins, ends, status in (
        ("1.47", "A petition may be filed by the other joint inventors.", FIRST, BACK, ""),
        ("1.47", "", BACK, None, "reserved"),
        ("1.48", "The inventorship may be corrected on request.", FIRST, None, ""),
        ("1.106-1.108", "", BACK, None, "reserved"),
        ("1.109", "The effective filing date is that of the application.", FIRST, ENDED, ""),
        ("1.109", "A claim is rejected for double patenting.", BACK, None, ""),
        ("1.110", "The Office may inquire into inventorship.", ENDED, None, ""),
        ("1.265", "An examination support document is required.", ENDED, date(2010, 7, 1), ""),
    ):
        a_section(
            document,
            text,
            locator=f"{TITLE}/s{number}",
            number=number,
            citation=f"37 C.F.R. § {number}",
            heading="Reserved" if status else f"Rule {number}",
            parent=part,
            parent_locator=part.locator,
            depth=2,
            valid_from=begins,
            valid_to=ends,
            status=status,
        )
    return document


def text_of(number: str, begins: date = FIRST) -> Section:
    return Section.objects.get(locator=f"{TITLE}/s{number}", valid_from=begins)
