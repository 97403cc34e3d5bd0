"""The text that citations are read from, and which of overlapping ones stay."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.citations.citation import Found, Item, Source, longest
from retrieval.citations.finding import find_citations


def test_combining_and_invisible_marks_do_not_hide_a_citation():
    text = "la deci\u0301ma\u200b enmienda"
    [citation] = find_citations(text)
    assert citation.locator == "/us/const/amendment/X"
    assert text[citation.start : citation.end] == citation.text


@given(st.text(alphabet=st.sampled_from("aÉn\u0301\u200b İß§ ")))
def test_a_source_knows_the_way_back(text):
    source = Source.of(text)
    assert len(source.folded) == len(source.visible)
    for place, character in enumerate(source.visible):
        start, end = source.span(place, place + 1)
        assert text[start] == character and start < end


def found(start, end):
    return Found(start, end, (Item(start, end, "", ""),))


def test_of_two_that_overlap_the_longer_stays():
    assert longest([found(0, 4), found(3, 9), found(9, 11)], 11) == [found(3, 9), found(9, 11)]


def test_a_list_is_divided_among_its_items():
    match = Found(2, 20, (Item(6, 8, "a", ""), Item(12, 14, "b", "")))
    assert [(start, end) for start, end, _ in match.spans()] == [(2, 8), (12, 20)]
