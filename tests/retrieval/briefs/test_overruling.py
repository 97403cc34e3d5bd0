"""What briefs say of decisions that overruled others."""

from datetime import date

import pytest

from retrieval.briefs.citing import cited_in
from retrieval.briefs.overruling import untrue_overrulings
from retrieval.briefs.quoting import units
from retrieval.citations.case_names import CaseNames

DAY = date(2024, 1, 1)
NAMES = CaseNames(
    [
        ("/us/scotus/163/537", "Plessy v. Ferguson", ["Plessy"]),
        ("/us/scotus/338/25", "Wolf v. Colorado", ["Wolf"]),
        ("/us/scotus/347/483", "Brown v. Board of Education", ["Brown"]),
        ("/us/scotus/367/643", "Mapp v. Ohio", ["Mapp"]),
        ("/us/scotus/372/335", "Gideon v. Wainwright", ["Gideon"]),
        ("/us/scotus/384/436", "Miranda v. Arizona", ["Miranda"]),
    ]
)


def untrue(text, day=DAY):
    cited = cited_in(text, NAMES)
    found = untrue_overrulings(text, units(text, [(one.start, one.end) for one in cited]), cited, NAMES, day)
    return [cited[number].locator.removeprefix("/us/scotus/") for number in sorted(found)]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("Miranda v. Arizona, 384 U.S. 436 (1966), was overruled by Mapp v. Ohio, 367 U.S. 643 (1961).", "384/436"),
        ("Miranda v. Arizona, 384 U.S. 436, 444-45 (1966), has been overruled.", "384/436"),
        ("Miranda v. Arizona has since been expressly overruled by this Court.", "384/436"),
        ("Miranda v. Arizona, 384 U.S. 436 (1966), is no longer good law.", "384/436"),
        ("Miranda v. Arizona, 384 U.S. 436, 86 S. Ct. 1602 (1966), which Mapp overruled, is old.", "384/436"),
        ("Miranda v. Arizona, 384 U.S. 436 (1966), fue anulada por Mapp v. Ohio, 367 U.S. 643 (1961).", "384/436"),
        ("Wolf v. Colorado, 338 U.S. 25 (1949), was overruled by Terry v. Ohio, 392 U.S. 1 (1968).", "338/25"),
        ("Gideon v. Wainwright, 372 U.S. 335 (1963), overruled Plessy.", "372/335"),
        ("See Mapp v. Ohio, 367 U.S. 643 (1961) (overruling Plessy v. Ferguson, 163 U.S. 537 (1896)).", "163/537"),
    ],
)
def test_an_overruling_that_nobody_knows_of_is_found(text, at):
    assert untrue(text) == [at]


@pytest.mark.parametrize(
    "text",
    [
        "Wolf v. Colorado, 338 U.S. 25 (1949), overruled by Mapp v. Ohio, 367 U.S. 643 (1961).",
        "Brown v. Board of Education, 347 U.S. 483 (1954), overruled Plessy v. Ferguson, 163 U.S. 537 (1896).",
        "Segregation was upheld in Plessy v. Ferguson, 163 U.S. 537 (1896), which Brown overruled.",
        "Mapp v. Ohio, 367 U.S. 643 (1961), overruled the holding of Wolf.",
        "In Miranda v. Arizona, 384 U.S. 436 (1966), the objection was overruled.",
        "Miranda v. Arizona, 384 U.S. 436 (1966), should be overruled, and was never overruled.",
        "If Miranda v. Arizona, 384 U.S. 436 (1966), is overruled, all is lost.",
        "The Court declined to overrule Miranda v. Arizona, 384 U.S. 436 (1966).",
        "Miranda v. Arizona, 384 U.S. 436 (1966), was overruled by the Thirtieth Amendment.",
        "Smith v. Jones, 123 F.3d 456 (9th Cir. 1997), was overruled by Miranda v. Arizona, 384 U.S. 436 (1966).",
    ],
)
def test_what_is_known_or_not_said_is_not(text):
    assert untrue(text) == []


def test_the_day_decides():
    text = "Wolf v. Colorado, 338 U.S. 25 (1949), was overruled."
    assert (untrue(text), untrue(text, date(1950, 1, 1))) == ([], ["338/25"])
