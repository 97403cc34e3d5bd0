"""Which paragraphs are headings."""

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
