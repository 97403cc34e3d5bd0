"""A file is what its name says."""

from tests import files
from tests.retrieval.parsing.files.reading import BODY, refusal


def test_a_file_that_is_not_what_its_name_says_is_refused():
    assert "no .txt file" in refusal(files.pdf(files.column(BODY)), "a.txt")
    assert "no .docx file" in refusal(b"plain text", "a.docx")
    assert "known format" in refusal(b"MZ", "a.exe")
    assert "empty" in refusal(b"", "a.pdf")
    assert "no text" in refusal(b" \n", "a.txt")
