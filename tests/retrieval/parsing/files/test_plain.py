"""Plain text: wrapped lines, form feeds, encodings."""

import pytest

from tests.retrieval.parsing.files.reading import read, refusal, sections, texts


def test_text_is_unwrapped_and_its_form_feeds_are_pages():
    content = b"1. Term. The lease runs for one\nyear from today.\n\f2. Rent. Nine dollars.\n"
    document = read(content, "lease.txt")
    found = sections(document)
    assert found["1"].text == "1. Term. The lease runs for one year from today."
    assert (document.pages, found["2"].pages) == (2, ((0, 2),))
    assert read(b"1. Term. A year.", "lease.txt").pages is None


def test_letters_of_other_encodings_are_read_and_bytes_are_not_taken_for_letters():
    assert texts("Año 2020 “sí”".encode("cp1252"), "a.txt") == ["Año 2020 “sí”"]
    assert texts("Año".encode("utf-16"), "a.txt") == ["Año"]
    assert "binary" in refusal(b"abc\x00def", "a.txt")


PARAGRAPHS = ["The tenant shall pay rent each month.", "The landlord shall repair the house.", "It begins today."]


@pytest.mark.parametrize("between", ["\n", "\n\n", "\n\n\n"])
def test_paragraphs_of_one_line_stay_apart(between):
    assert texts(between.join(PARAGRAPHS).encode(), "a.txt") == PARAGRAPHS


def test_a_wrapped_paragraph_beside_those_of_one_line_is_one():
    wrapped = "The buyer may end this agreement\nif the seller does not\ndeliver the goods."
    text = "\n\n".join([*PARAGRAPHS, wrapped])
    assert texts(text.encode(), "a.txt") == [*PARAGRAPHS, wrapped.replace("\n", " ")]


def test_lines_written_double_spaced_are_one_paragraph():
    text = "The tenant shall pay rent to\n\nthe landlord each month and\n\nno later than the fifth day."
    assert texts(text.encode(), "a.txt") == [text.replace("\n\n", " ")]
