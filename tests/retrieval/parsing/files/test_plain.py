"""Plain text: wrapped lines, form feeds, encodings."""

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
