"""PDF files that cannot be read, and what is a scan."""

import pytest

from retrieval.parsing.files import formats
from tests import files
from tests.retrieval.parsing.files.reading import BODY, read, refusal, sections, texts


def test_scanned_pages_are_reported_and_a_whole_scan_is_refused():
    assert formats.read(files.pdf(files.column(BODY), "scan", "blank"), "a.pdf").scanned_pages == (2,)
    assert "All 2 pages are scans" in refusal(files.pdf("scan", "scan"), "a.pdf")


HEAD, FOOT = (72, 45, 9, "F1", "Marlow County Code, Supp. No. 31"), (72, 760, 9, "F1", "Recorded by the Clerk, 1/4")


def test_a_scan_under_a_running_head_and_foot_is_reported():
    pages = [[HEAD, *files.column(*[BODY] * 5), FOOT]] * 3
    assert formats.read(files.pdf(pages[0], [HEAD, "scan", FOOT], *pages[1:]), "a.pdf").scanned_pages == (2,)
    assert formats.read(files.pdf([HEAD, "scan", *files.column(BODY)]), "a.pdf").scanned_pages == ()


def test_a_scan_alone_is_refused_whatever_stands_at_its_edges():
    assert "All 1 pages are scans" in refusal(files.pdf([HEAD, "scan", FOOT]), "a.pdf")


def test_a_page_with_a_figure_and_its_words_at_the_edges_is_no_scan():
    pages = files.pdf([HEAD, "figure", FOOT], "figure", files.column(BODY))
    assert formats.read(pages, "a.pdf").scanned_pages == (2,)  # which has nothing else
    assert texts(files.pdf([HEAD, "figure", FOOT]), "a.pdf") == [HEAD[-1], FOOT[-1]]


def test_a_locked_pdf_and_a_broken_one_are_refused_with_the_reason():
    assert "encrypted" in refusal(files.encrypted_pdf(), "a.pdf")
    other = files.encrypted_pdf().replace(b"/Filter/Standard", b"/Filter/Foreign1")  # of another maker
    assert "encrypted" in refusal(other, "a.pdf")
    assert "broken" in refusal(b"%PDF-1.7\n" + bytes(range(256)) * 4, "a.pdf")


@pytest.mark.parametrize(
    ("written", "title"),
    [
        (r"\376\377\000A\000\000\000B\040\056\000\r", "AB"),  # NUL, a mark that turns the line around
        (r"\376\377\330\000\000A", "Fallback"),  # half of a character
        ("Microsoft Word - lease.doc", "Fallback"),
        ("Document1", "Fallback"),
        ("Document Retention Policy", "Document Retention Policy"),
    ],
)
def test_a_title_of_a_pdf_can_be_kept_and_shown(written, title):
    plain = files.pdf([(72, 100, 12, "F1", "The tenant pays the rent on the first day.")], title=written)
    assert read(plain, "a.pdf").title == title


RENT = [(72, 100, 10, "F1", "The rent is nine"), (140.9, 100, 10, "F1", ".")]  # in two, as browsers print it
BEHIND = 143.7


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([*RENT, (BEHIND, 96, 8, "F1", "12")], "The rent is nine.¹²"),
        ([*RENT, (BEHIND, 96, 6, "F1", "1"), (150, 100, 10, "F1", "It is due.")], "The rent is nine.¹ It is due."),
        ([(72, 96, 8, "F1", "1"), (79, 100, 10, "F1", "Added in 2011.")], "¹ Added in 2011."),
        ([(72, 100, 10, "F1", "On May 9"), (115.4, 96, 8, "F1", "th")], "On May 9th"),
        ([*RENT, (BEHIND, 100, 8, "F1", "12")], "The rent is nine.12"),
    ],
)
def test_marks_of_notes_stand_raised_behind_their_words(words, text):
    assert texts(files.pdf(words), "a.pdf") == [text]


EIGHT = (72, 100, 10, "F1", "It pays 8")
OF_RENT = (128, 100, 10, "F1", "percent.")


@pytest.mark.parametrize(
    "fraction",
    [
        [(110, 96, 6, "F1", "1/2")],
        [(110, 96, 6, "F1", "1"), (113.4, 100, 10, "F1", "/2")],
        [(113, 96, 6, "F1", "1/2")],
    ],
)
def test_a_fraction_that_is_set_raised_is_a_number_of_its_own(fraction):
    assert texts(files.pdf([EIGHT, *fraction, OF_RENT]), "a.pdf") == ["It pays 8 1/2 percent."]


def test_marks_beside_a_slash_stay_raised():
    page = [(72, 100, 10, "F1", "His"), (86, 96, 6, "F1", "1"), (89.4, 100, 10, "F1", "/her lease of 1/4")]
    assert texts(files.pdf([*page, (161, 96, 6, "F1", "2")]), "a.pdf") == ["His¹/her lease of 1/4²"]


def test_a_mark_is_no_word_of_a_heading():
    heading = [(72, 100, 10, "F2", "1. Rent"), (105.4, 96, 6, "F2", "3")]
    document = read(files.pdf([*heading, *files.column(BODY, top=120), *files.column("2. Term", top=150)]), "a.pdf")
    assert [node.heading for node in sections(document).values()] == ["Rent", "Term"]
