"""The tree of sections: titles, long stretches, language."""

import pytest

from tests import files
from tests.retrieval.parsing.files.reading import BODY, read, sections


def test_a_title_is_the_files_own_else_its_first_heading_else_its_name():
    plain = files.column(BODY)
    headed = [*files.column("SUPPLY AGREEMENT", font="F2"), *files.column(BODY, top=150)]
    assert read(files.pdf(plain, title="Lease of 2020"), "a.pdf").title == "Lease of 2020"
    assert read(files.pdf(headed, title="Microsoft Word - x.doc"), "a.pdf").title == "SUPPLY AGREEMENT"
    assert read(files.pdf(plain), "a.pdf").title == "Fallback"


@pytest.mark.parametrize("name", ["lease.html", "Lease final (3).DOCX", "C:\\\\leases\\\\harbor.wpd"])
def test_the_name_of_a_file_is_no_title(name):
    headed = [*files.column("LEASE AGREEMENT", font="F2"), *files.column(BODY, top=150)]
    assert read(files.pdf(headed, title=name), "a.pdf").title == "LEASE AGREEMENT"
    assert read(f"<title>{name}</title><p>The tenant pays.</p>".encode(), "a.html").title == "Fallback"


def test_spanish_is_told_from_english():
    content = "El arrendatario pagará la renta el primer día de cada mes y no podrá subarrendar.".encode()
    assert read(content, "a.txt").language == "es"


def test_what_programs_write_and_headings_of_pages_are_no_titles():
    headed = [*files.column("SUPPLY AGREEMENT", font="F2"), *files.column(BODY, top=150)]
    assert read(files.pdf(headed, title="\\(anonymous\\)"), "a.pdf").title == "SUPPLY AGREEMENT"
    assert read(files.pdf(files.column(BODY), title="\\(anonymous\\)"), "a.pdf").title == "Fallback"
    assert read(b"<title>(anonymous)</title><p>The tenant pays.</p>", "a.html").title == "Fallback"
    pages = [[*files.column("ACME LEGAL DEPARTMENT", font="F2"), *files.column(BODY, top=150)]] * 2
    assert read(files.pdf(*pages), "a.pdf").title == "Fallback"


@pytest.mark.parametrize(
    ("under", "heading", "text"),
    [
        ("The employer shall pay.", "", "The employer shall pay."),
        ("Definitions\n\nThe employer shall pay.", "Definitions", "The employer shall pay."),
    ],
)
def test_the_title_of_a_contract_is_not_that_of_its_first_article(under, heading, text):
    content = f"EMPLOYMENT AGREEMENT\n\nARTICLE I\n\n{under}\n\nARTICLE II\n\nThe worker shall come."
    document = read(content.encode(), "a.txt")
    article = sections(document)["article-i"]
    assert (document.title, article.heading, article.text) == ("EMPLOYMENT AGREEMENT", heading, text)


def test_titles_that_stand_above_the_numbers_of_articles_stay_theirs():
    content = "DEFINITIONS\n\nARTICLE I\n\nThe employer shall pay.\n\nWORK\n\nARTICLE II\n\nThe worker shall come."
    found = sections(read(content.encode(), "a.txt"))
    assert [found[name].heading for name in ("article-i", "article-ii")] == ["DEFINITIONS", "WORK"]


@pytest.mark.parametrize(
    ("front", "title"),
    [
        (
            "EXHIBIT 4.1 CONSULTING AGREEMENT\n\nThe parties agree as follows.\n\nWHEREAS:",
            "CONSULTING AGREEMENT",
        ),
        ("AUTOMOTIVE REFINISH\n\nDISTRIBUTOR AGREEMENT", "DISTRIBUTOR AGREEMENT"),
        ("Exhibit 1.1\n\nDistributorship agreement\n\nbetween", "Distributorship agreement"),
        ("MATERIAL OMITTED\n\nCONTRATO DE ARRENDAMIENTO\n\nREUNIDOS", "CONTRATO DE ARRENDAMIENTO"),
        ("FRANCHISE AGREEMENT TABLE OF CONTENTS", "FRANCHISE AGREEMENT"),
        ("WHEREAS:\n\nThis Agreement is dated today.\n\nBETWEEN", "Fallback"),
        ("Re: Lease at 5 Main Street\n\nDear Sir, the roof leaks.", "Fallback"),
        ("EMPLOYEE HANDBOOK\n\nThe rules of the house follow here.\n\nLEASE OF A CAR", "EMPLOYEE HANDBOOK"),
    ],
)
def test_a_contract_has_the_title_that_says_what_it_is(front, title):
    content = f"{front}\n\nARTICLE I\n\nThe tenant shall pay.\n\nARTICLE II\n\nThe owner shall repair."
    assert read(content.encode(), "a.txt").title == title


def test_what_stands_above_the_title_stands_with_what_stands_under_it():
    content = "Exhibit 10.3\n\nSUPPLY AGREEMENT\n\nThe parties agree.\n\nARTICLE I\n\nThe tenant shall pay."
    found = sections(read(content.encode(), "a.txt"))
    assert found["supply-agreement"].text.startswith("Exhibit 10.3\n") and "supply-agreement~2" not in found


ORDINANCE = """Sec. 4-12. Animals at large.

(a) No owner shall permit a dog to be at large.

(b) An officer may impound it, and

(1) shall notify the owner; and

(2) shall hold it for five days.

Sec. 4-13. Penalties.

(b) A violation is an infraction.
"""


def test_numbers_that_nest_at_the_beginning_of_lines_are_places():
    first, second = sections(read(ORDINANCE.encode(), "a.txt")).values()
    assert [each.locator for each in first.anchors] == [f"{first.locator}/{path}" for path in ("a", "b", "b/1", "b/2")]
    assert first.text[first.anchors[1].start : first.anchors[1].end].splitlines() == first.text.splitlines()[1:]
    assert second.anchors == ()


def test_a_section_with_others_below_it_has_no_places():
    content = f"<h1>Article 1</h1><p>(a) {BODY}.</p><h2>A</h2><p>{BODY}.</p>".encode()
    assert not any(node.anchors for node in sections(read(content, "a.html")).values())


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# Adult Sepsis Protocol (MED-12)", "Adult Sepsis Protocol (MED-12)"),
        ("# Infusion Pump BX-200", "Infusion Pump BX-200"),
        ("# Normas del bloque quirúrgico (QX-02)", "Normas del bloque quirúrgico (QX-02)"),
        ("# IT Policy 2026", "IT Policy 2026"),
        ("# Draft 3, 12 May 2021", "Fallback"),
        ("# Página 1 de 3", "Fallback"),
    ],
)
def test_a_heading_with_a_number_is_a_title_where_it_says_more(heading, title):
    content = f"{heading}\n\n## 1. Screening\n\nMeasure the lactate."
    assert read(content.encode(), "a.md").title == title
