"""Which paragraphs are headings."""

import pytest

from retrieval.parsing.files.headings import numbered, ordinals
from tests import files
from tests.retrieval.parsing.files.reading import read, sections


def test_numbered_headings_make_nested_sections():
    page = [
        *files.column("ARTICLE II", "GRANT OF RIGHTS", font="F2"),
        *files.column("2.1 Appointment. The seller appoints the buyer.", top=150),
        *files.column("2.2 Fees. The buyer pays ten dollars.", top=180),
        *files.column("ARTICLE III", "TERM", font="F2", top=220),
        *files.column("3.1 The term is one year.", top=260),
    ]
    found = sections(read(files.pdf(page), "a.pdf"))
    assert list(found) == ["article-ii", "article-ii/2.1", "article-ii/2.2", "article-iii", "article-iii/3.1"]
    assert found["article-ii"].heading == "GRANT OF RIGHTS"
    assert (found["article-ii/2.2"].number, found["article-ii/2.2"].heading) == ("2.2", "Fees")
    assert found["article-ii/2.2"].text == "2.2 Fees. The buyer pays ten dollars."


def test_a_list_inside_a_section_makes_no_sections():
    lines = ["1. Term. One year.", "2. Goods. These:", "1. apples;", "2. pears.", "3. Law. Texas."]
    page = [words for row, line in enumerate(lines) for words in files.column(line, top=100 + 30 * row)]
    assert list(sections(read(files.pdf(page), "a.pdf"))) == ["1", "2", "3"]


@pytest.mark.parametrize(
    "text",
    ["ADDENDUM TO LEASE", "SCHEDULE OF PAYMENTS", "TITLE INSURANCE", "EXHIBIT LIST", "Primera vez", "PART OF THE DEAL"],
)
def test_the_first_letters_of_a_word_are_no_number(text):
    assert numbered(text) is None


@pytest.mark.parametrize(
    ("text", "level", "number", "title"),
    [
        ("ARTICLE ONE", "article", "ONE", ""),
        ("Section Two. Rent", "section", "TWO", "Rent"),
        ("ARTICULO SEGUNDO", "article", "SEGUNDO", ""),
        ("Cláusula primera", "clause", "PRIMERA", ""),
        ("Sección Segunda: Renta", "section", "SEGUNDA", "Renta"),
        ("PRIMERA. Objeto", "clause", "PRIMERA", "Objeto"),
        ("Sec. 1. Short title.", "section", "1", "Short title"),
        ("SEC. 3. PENALTIES.", "section", "3", "PENALTIES"),
        ("Sec. 5-101.", "section", "5-101", ""),
        ("Art. 5.", "article", "5", ""),
        ("§ 4a.", "section", "4a", ""),
        ("Rule 5.", "rule", "5", ""),
        ("Exhibit A-1", "exhibit", "A-1", ""),
    ],
)
def test_a_heading_is_read_by_its_number(text, level, number, title):
    found = numbered(text)
    assert (found.level, found.number, found.title) == (level, number, title)


@pytest.mark.parametrize("text", ["Sec. 5. The tenant shall pay.", "Section 5 of this lease shall end.", "art. 5."])
def test_a_sentence_with_a_number_is_no_heading(text):
    assert numbered(text) is None


def test_numbers_with_letters_and_hyphens_stand_in_order():
    numbers = ["4", "4A", "5", "5-101", "5-102", "SEXTA"]
    assert sorted(numbers, key=ordinals) == numbers
