"""A document comes back from JSON as it was."""

import json

from retrieval.parsing.files import tree_json
from tests import files
from tests.retrieval.parsing.files.reading import read


def test_a_document_comes_back_as_it_was():
    page = files.column("1. Término. Un año.", "2. Law. Texas.")
    document = read(files.pdf(page, "scan"), "a.pdf")
    written = tree_json.dumped(document)
    assert tree_json.loaded(json.loads(written)) == document
    assert "Término" in written
