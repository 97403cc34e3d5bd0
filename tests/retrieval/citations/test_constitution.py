"""Citations of the Constitution, in running text and as whole queries."""

import pytest

from retrieval.citations import constitution
from retrieval.citations.citation import Source


def locators(matches):
    return [item.locator for match in matches for item in match.items]


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("the preamble to the constitution", "/us/const/preamble"),
        ("see U.S. Const. amend. XIV, § 1", "/us/const/amendment/XIV/section/1"),
        ("article VI, section 2", "/us/const/article/VI/clause/2"),
        ("Art. I, § 8, cl. 3 of the Constitution", "/us/const/article/I/section/8/clause/3"),
    ],
)
def test_a_citation_inside_a_sentence(text, locator):
    assert locators(constitution.find(Source.of(text))) == [locator]


@pytest.mark.parametrize(
    "text", ["the preamble of the treaty", "I.8.3", "fifth", "the first amendment to the lease"]
)
def test_what_is_too_loose_for_a_sentence(text):
    assert locators(constitution.find(Source.of(text))) == []


def test_numbers_alone_are_a_whole_query():
    assert "/us/const/article/I/section/8/clause/3" in locators(constitution.find_loose(Source.of("I.8.3")))


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("fifth", "/us/const/amendment/V"),
        ("14A", "/us/const/amendment/XIV"),
        ("xiv", "/us/const/amendment/XIV"),
        ("preamble", "/us/const/preamble"),
        ("v", None),
        ("3d", None),
        ("house", None),
    ],
)
def test_a_bare_number_is_an_amendment_where_it_can_be_nothing_else(text, locator):
    found = constitution.find_bare(Source.of(text), 0, len(text))
    assert (found and found.items[0].locator) == locator


def test_a_bare_list_is_of_amendments():
    found = constitution.find_bare_list(Source.of("5th & 14th"))
    assert locators([found]) == ["/us/const/amendment/V", "/us/const/amendment/XIV"]
    assert constitution.find_bare_list(Source.of("5 & 14")) is None
