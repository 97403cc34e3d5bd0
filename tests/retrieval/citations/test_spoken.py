"""Numbers in words become figures, and what is read in them stands where the words did."""

import pytest

from retrieval.citations.citation import Source
from retrieval.citations.finding import find_citations, whole_citations
from retrieval.citations.spoken import with_figures


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("title twenty-eight section fourteen ninety one", "title 28 section 1491"),
        ("section two twelve", "section 212"),
        ("eleven oh one", "1101"),
        ("one one eight two", "1182"),
        ("section eight thousand eight hundred", "section 8800"),
        ("one thousand one hundred and eighty-two", "1182"),
        ("two hundred fourteen point two", "214.2"),
        ("sections seven and eight", "sections 7 and 8"),
        ("sección mil ciento ochenta y dos", "sección 1182"),
        ("doscientos doce", "212"),
        ("dos mil trescientos cuarenta", "2340"),
        ("título dieciocho punto", "título 18 punto"),
    ],
)
def test_numbers_are_written_in_figures(text, figures):
    assert with_figures(Source.of(text)).visible == figures


def test_a_text_without_numbers_in_words_has_no_other_reading():
    assert with_figures(Source.of("8 U.S.C. § 1182")) is None


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("title eight section thirteen twenty five", "/us/usc/t8/s1325"),
        ("twenty eight u s c twenty two fifty four", "/us/usc/t28/s2254"),
        ("title eighteen section nine twenty four c", "/us/usc/t18/s924/c"),
        ("section nineteen eighty one", "/us/usc/t42/s1981"),
        ("eight cfr two fourteen point two", "/us/cfr/t8/s214.2"),
        ("section two forty five i of the immigration and nationality act", "/us/usc/t8/s1255/i"),
        ("sección mil ciento ochenta y dos del título ocho", "/us/usc/t8/s1182"),
    ],
)
def test_a_section_that_is_said_aloud_is_read(text, locator):
    assert [citation.locator for citation in whole_citations(text)] == [locator]


def test_a_citation_in_words_says_where_it_stands():
    text = "¿Qué dice el título dieciocho, sección mil uno sobre mentir?"
    [citation] = find_citations(text, asked=True)
    assert (citation.text, citation.locator) == ("título dieciocho, sección mil uno", "/us/usc/t18/s1001")


@pytest.mark.parametrize(
    "text",
    [
        "I have two kids and one visa",
        "twenty one pilots",
        "section eight housing",
        "tengo treinta y dos años",
    ],
)
def test_words_that_only_count_cite_nothing(text):
    assert not whole_citations(text) and not find_citations(text, asked=True)
