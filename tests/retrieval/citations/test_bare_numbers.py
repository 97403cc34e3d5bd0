"""Sections that everybody calls by a number alone."""

import pytest

from retrieval.citations.bare_numbers import is_known_at, known


@pytest.mark.parametrize(
    ("text", "is_known"),
    [("1983 claims", True), ("922(g)(1)", True), ("1981a", True), ("1981b", False), ("19831", False), ("922", False)],
)
def test_a_number_is_known_with_the_subdivisions_that_it_needs(text, is_known):
    assert is_known_at(f"§ {text}", 2) == is_known


@pytest.mark.measuring_data
def test_every_section_known_by_a_number_is_in_the_code_of_2016(code_of_2016):
    places = ["/".join(place.split("/")[:5]) for place in known().values() if place.startswith("/us/usc")]
    assert set(places) <= code_of_2016.keys()
