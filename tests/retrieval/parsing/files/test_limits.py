"""What is longer than the limits is refused by every reader, in words that name the limit."""

import pytest

from retrieval.errors import SourceRefused
from retrieval.parsing.files import docx, html, limits, pdf, plain, structure
from tests import files
from tests.retrieval.parsing.files.reading import read, refusal

LONG = {
    "a.txt": (plain, b"some words here"),
    "a.html": (html, b"<p>some words here</p>"),
    "a.docx": (docx, files.docx(("Normal", "some words here"))),
    "a.pdf": (pdf, files.pdf(files.column("some words here"))),
}


@pytest.mark.parametrize("filename", LONG)
def test_a_text_that_is_too_long_is_refused(filename, monkeypatch):
    reader, content = LONG[filename]
    monkeypatch.setattr(reader, "MAX_CHARACTERS", 5)
    assert refusal(content, filename) == "The file holds more than 5 characters."


@pytest.mark.parametrize(
    ("filename", "reader", "content"),
    [("a.txt", plain, b"one\ftwo"), ("a.pdf", pdf, files.pdf(files.column("one"), files.column("two")))],
)
def test_too_many_pages_are_refused(filename, reader, content, monkeypatch):
    monkeypatch.setattr(reader, "MAX_PAGES", 1)
    assert refusal(content, filename) == "The file has 2 pages; at most 1 are read."


def test_too_many_sections_are_refused(monkeypatch):
    monkeypatch.setattr(structure, "MAX_SECTIONS", 1_000)
    text = "".join(f"# {number}. Term\n\nWords.\n" for number in range(1_001)).encode()
    with pytest.raises(SourceRefused, match="The file has 1,001 sections; at most 1,000 are read: divide it."):
        read(text, "a.md")


def test_a_file_is_read_within_a_step_of_a_job_and_a_longest_text_is_handed_back_whole():
    assert limits.MAX_SECONDS < 120
    assert limits.MAX_OUTPUT > 4 * limits.MAX_CHARACTERS  # bytes of UTF-8
