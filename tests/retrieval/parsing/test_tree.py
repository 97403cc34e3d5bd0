"""The tree of provisions, which comes back from JSON as it was."""

import json

import pytest

from retrieval.parsing.tree import Node, SourceDocument, page_at, unused_locator
from tests import files
from tests.retrieval.parsing.files.reading import read


def node(locator: str, *children: Node) -> Node:
    return Node(level="section", heading="", locator=locator, children=children)


def test_nodes_are_walked_in_the_laws_order():
    tree = node("/t", node("/t/1", node("/t/1/a"), node("/t/1/b")), node("/t/2"))
    assert [each.locator for each in tree.walk()] == ["/t", "/t/1", "/t/1/a", "/t/1/b", "/t/2"]


@pytest.mark.parametrize(("offset", "page"), [(0, 3), (9, 3), (10, 4), (19, 4), (20, 6), (1_000, 6)])
def test_a_page_goes_on_until_the_next_begins(offset, page):
    assert page_at([(0, 3), (10, 4), (20, 6)], offset) == page


def test_a_text_without_pages_has_none():
    assert page_at([], 5) is None


def test_a_locator_that_is_taken_is_numbered():
    used: set[str] = set()
    assert [unused_locator("/s1932", used) for _ in range(3)] == ["/s1932", "/s1932~2", "/s1932~3"]
    assert unused_locator("/s1933", used) == "/s1933"
    assert used == {"/s1932", "/s1932~2", "/s1932~3", "/s1933"}


def test_a_document_comes_back_as_it_was():
    page = files.column("1. Término. Un año.", "2. Law. Texas.", "(a) Austin.")
    document = read(files.pdf(page, "scan"), "a.pdf")
    written = document.to_json()
    assert SourceDocument.of_file(json.loads(written)) == document
    assert "Término" in written
