"""Files of briefs: read as uploads are, and kept nowhere."""

import pytest

from retrieval.briefs import reading
from retrieval.briefs.checking import MAX_TEXT, check_brief
from retrieval.briefs.reading import TooManyReaders, read_brief
from retrieval.errors import SourceRefused, Unprocessable
from retrieval.models import Upload
from tests.files import column, docx, encrypted_pdf, noted_docx, pdf

BODY = "Congress “shall make no law.” U.S. Const. amend. I."


def test_text_is_read_as_it_is():
    assert read_brief("brief.txt", f"Argument\n\n{BODY}\n".encode()) == (f"Argument\n\n{BODY}\n", ())


def test_other_formats_are_read_in_a_process_apart():
    word = docx(("Heading 1", "Argument"), ("Normal", BODY), ("Heading 1", "Conclusion"), ("Normal", "So."))
    text = read_brief("brief.docx", word).text
    assert BODY in text and text.index("Argument") < text.index(BODY) < text.index("Conclusion")
    read = read_brief("brief.PDF", pdf(column("Congress shall make no law.", "U.S. Const. amend. I."), "scan", "scan"))
    assert "no law" in read.text and read.scanned_pages == (2, 3)


@pytest.mark.django_db
def test_quotations_are_compared_with_what_the_footnotes_behind_them_cite():
    quoted = "“Congress shall make {} law respecting an establishment of religion.”"
    said = [quoted.format("some"), 1, " More text follows. ", quoted.format("no"), 2, " So it stands for all of us."]
    report = check_brief(*read_brief("brief.docx", noted_docx(said, ["U.S. Const. amend. I."] * 2)))
    assert [check.status for check in report.quotations] == ["altered", "exact"]
    assert [finding.kind for finding in report.findings] == ["altered"]


@pytest.mark.django_db
def test_a_file_is_kept_nowhere():
    read_brief("brief.pdf", pdf(column("Congress shall make no law.")))
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("brief.exe", b"x"),
        ("brief.txt", b""),
        ("brief.txt", b"  "),
        ("brief.pdf", b"no pdf"),
        ("b.pdf", encrypted_pdf()),
    ],
)
def test_what_cannot_be_read_is_refused(name, content):
    with pytest.raises(SourceRefused):
        read_brief(name, content)


def test_too_long_a_text_is_refused():
    with pytest.raises(Unprocessable, match="64,000"):
        reading.checked_length("x" * (MAX_TEXT + 1))


def test_few_files_are_read_at_once():
    for _ in range(2):
        reading.READERS.acquire()
    try:
        with pytest.raises(TooManyReaders):
            read_brief("brief.pdf", pdf(column("words")))
        assert read_brief("brief.txt", b"words").text == "words"
    finally:
        for _ in range(2):
            reading.READERS.release()
