"""Decisions beside the Constitution, as they ship: their words are ours, not the Court's."""

from datetime import date

import pytest

from retrieval.citations.citation import cite
from retrieval.corpus import decided_cases
from retrieval.models import Domain, Section
from tests.builders import a_document, a_section

DECIDED = [
    ("/us/scotus/163/537", "Plessy v. Ferguson", date(1896, 5, 18)),
    ("/us/scotus/347/483", "Brown v. Board of Education", date(1954, 5, 17)),
    ("/us/scotus/367/643", "Mapp v. Ohio", date(1961, 6, 19)),
    ("/us/scotus/384/436", "Miranda v. Arizona", date(1966, 6, 13)),
    ("/us/scotus/410/113", "Roe v. Wade", date(1973, 1, 22)),
]


@pytest.fixture
def decisions(db, monkeypatch):
    monkeypatch.setattr(decided_cases, "_known", {})
    domain = Domain.objects.get(slug="supreme_court_cases")
    for locator, name, day in DECIDED:
        document = a_document(domain, locator=locator, title=name)
        a_section(
            document,
            f"Facts. What happened. Held. What {name} held.",
            locator=locator,
            level="case",
            heading=name,
            citation=cite(locator),
            valid_from=day,
        )


def an_opinion(locator: str, text: str, kind: str = "majority") -> None:
    """The Court's own words, or those of a Justice."""
    case = Section.objects.get(locator=locator)
    place = {"locator": f"{locator}/opinion/{kind}", "citation": f"{cite(locator)} ({kind})"}
    a_section(case.document, text, level=kind, parent_locator=locator, **place)
