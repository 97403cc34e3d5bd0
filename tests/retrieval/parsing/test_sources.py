"""What formats a domain is read from. Hostile files harm nobody, and every limit answers with a reason."""

import zipfile
from io import BytesIO

import pytest

from retrieval.errors import SourceRefused
from retrieval.models import Domain
from retrieval.parsing.sources import extract, read_source
from tests import files
from tests.retrieval.parsing.uslm.samples import CONSTITUTION, TITLE

LEASES = Domain(slug="leases", name="Leases", locator_prefix="/leases", citation_style="plain")


def test_xml_is_read_as_uslm_to_the_level_of_the_domain():
    lowest = read_source(CONSTITUTION, Domain(result_level=Domain.ResultLevel.LOWEST))
    sections = read_source(CONSTITUTION, Domain(result_level=Domain.ResultLevel.SECTION))
    assert lowest.identifier == sections.identifier
    assert len(list(lowest.root.walk())) > len(list(sections.root.walk()))


def test_the_end_of_a_name_may_be_in_capitals(tmp_path):
    (tmp_path / "usc42.XML").write_text(TITLE)
    assert read_source(tmp_path / "usc42.XML", Domain()).identifier == "/us/usc/t42"


@pytest.mark.parametrize(
    ("filename", "locator"), [("My Lease (2).txt", "/leases/my-lease-2"), ("¿?.txt", "/leases/document")]
)
def test_a_file_has_its_place_by_its_name(tmp_path, filename, locator):
    (tmp_path / filename).write_text("1. Term. A year.\n")
    assert read_source(tmp_path / filename, LEASES).identifier == locator


def test_what_is_missing_or_of_another_domain_is_refused(tmp_path):
    with pytest.raises(SourceRefused, match="There is no file gone.xml"):
        read_source(tmp_path / "gone.xml", LEASES)
    (tmp_path / "a.txt").write_text("words")
    with pytest.raises(SourceRefused, match="in no format that The Code is read from"):
        read_source(tmp_path / "a.txt", Domain(name="The Code", citation_style="bluebook"))


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
