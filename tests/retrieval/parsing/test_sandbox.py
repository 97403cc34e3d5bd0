"""The worker that reads files: hostile ones harm nobody, and every limit answers with a reason."""

import zipfile
from io import BytesIO

import pytest

from retrieval.errors import SourceRefused
from retrieval.parsing.sandbox import extract
from tests import files

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
BILLION = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]>'


def read(content, filename, **limits):
    return extract(content, filename=filename, identifier="/d/x", name="x", **limits)


def refusal(content, filename, **limits):
    with pytest.raises(SourceRefused) as refused:
        read(content, filename, **limits)
    return refused.value.message


def packed(document: bytes) -> bytes:
    """A Word file whose document is something else."""
    file = BytesIO()
    with zipfile.ZipFile(BytesIO(files.docx(("Normal", "x")))) as good, zipfile.ZipFile(file, "w", 8) as made:
        for part in good.namelist():
            made.writestr(part, document if part == "word/document.xml" else good.read(part))
    return file.getvalue()


def test_a_document_comes_back_whole():
    page = files.column("1. Term. One year.", "2. Law. Texas.")
    document = read(files.pdf(page, "scan"), "a.pdf")
    assert [node.locator for node in document.root.walk()] == ["/d/x", "/d/x/1", "/d/x/2"]
    assert (document.pages, document.scanned_pages) == (2, (2,))
    assert document.root.children[0].pages == ((0, 1),)


def test_a_word_file_that_unpacks_to_hundreds_of_megabytes_is_refused():
    bomb = packed(bytes(201 * 2**20))
    assert len(bomb) < 2**20
    assert "unpacks to more" in refusal(bomb, "a.docx")


def test_entities_that_grow_by_the_billion_are_refused_in_word_and_mean_nothing_in_html():
    body = f"{BILLION}<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>"
    content = f"{body}<w:body><w:p><w:r><w:t>&l11;</w:t></w:r></w:p></w:body></w:document>".encode()
    assert refusal(packed(content), "a.docx")
    page = read(f"{BILLION}<html><body><p>Words &l11; here</p></body></html>".encode(), "a.html")
    assert len(page.root.children[0].text) < 2000


def test_what_is_nested_a_hundred_thousand_deep_breaks_nothing():
    assert refusal(b"<div>" * 100_000 + b"x", "a.html")
    deep = files.pdf(files.column("Words."), extra=b"/X " + b"[" * 100_000 + b"]" * 100_000)
    ring = files.pdf(files.column("Words.")).replace(b"/Kids[5 0 R]", b"/Kids[2 0 R]")
    for content in (deep, ring):
        try:
            assert read(content, "a.pdf").pages == 1
        except SourceRefused as refused:
            assert refused.message


def test_a_file_that_takes_too_long_is_given_up():
    assert "longer to read than 0.01 seconds" in refusal(b"word " * 100_000, "a.txt", seconds=0.01)


def test_a_file_that_needs_too_much_memory_is_refused():
    assert "too large" in refusal(b"<p>a" * 9_000_000, "a.html")
