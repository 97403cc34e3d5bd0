"""The tree of sections: titles, long stretches, language."""

from tests import files
from tests.retrieval.parsing.files.reading import BODY, read


def test_a_title_is_the_files_own_else_its_first_heading_else_its_name():
    plain = files.column(BODY)
    headed = [*files.column("SUPPLY AGREEMENT", font="F2"), *files.column(BODY, top=150)]
    assert read(files.pdf(plain, title="Lease of 2020"), "a.pdf").title == "Lease of 2020"
    assert read(files.pdf(headed, title="Microsoft Word - x.doc"), "a.pdf").title == "SUPPLY AGREEMENT"
    assert read(files.pdf(plain), "a.pdf").title == "Fallback"


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
