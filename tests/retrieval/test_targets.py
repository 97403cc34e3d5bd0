"""Parts of the corpus as values."""

import pytest

from retrieval.targets import Part, Selection, facts_in

FIRST, PAGES = Part("section", "/us/const/amendment/I"), Part("pages", pages=((2, 4), (7, 7)))


def test_selections_add_up_without_doubles_in_their_order():
    assert (Selection((FIRST,)) | Selection((PAGES, FIRST))).parts == (FIRST, PAGES)


def test_a_selection_within_domains_says_so_of_each_part():
    within = Selection((FIRST, PAGES)).within(("us_code",))
    assert {part.domains for part in within.parts} == {("us_code",)}


def test_sections_name_a_selection_only_where_it_takes_them_whole():
    assert Selection((Part("heading", "asylum"),)).is_of_sections
    assert not Selection((Part("heading", "asylum"), PAGES)).is_of_sections
    assert not Selection((FIRST,)).is_of_sections  # it may name a place inside a section


def test_a_part_is_told_by_what_it_names():
    assert PAGES.name == "2-4, 7-7"
    assert Part("chunk", chunks=(5, 6)).name == "5, 6"
    assert Part("metadata", "Texas", key="state").name == "state Texas"


@pytest.mark.parametrize(
    "metadata", [["a"], "x", 5, None, {"n": 10**25}, {"n": float("inf")}, {"n": {"m": 1}}, {"\0": 1}, {"n": "a" * 501}]
)
def test_metadata_are_words_and_numbers_by_name_and_others_are_none(metadata):
    assert facts_in(metadata) == {}
    assert facts_in({"party": "Acme", "rent": 900.5, "paid": True}) == {"party": "Acme", "rent": 900.5}
