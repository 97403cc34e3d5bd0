"""The case of subdivision letters."""

import pytest

from retrieval.citations.subdivisions import CFR_LEVELS, USC_LEVELS, recased


@pytest.mark.parametrize(
    ("typed", "levels", "cased"),
    [
        ("a 6 c i", USC_LEVELS, "a 6 C i"),
        ("A 6 C I", USC_LEVELS, "a 6 C i"),
        ("h 1 ii b", CFR_LEVELS, "h 1 ii B"),
        ("a 6 C i", USC_LEVELS, "a 6 C i"),
        ("A 6 c", USC_LEVELS, "A 6 c"),  # both cases: as written
        ("1 2", USC_LEVELS, "1 2"),
    ],
)
def test_letters_of_one_case_are_cased_by_their_level(typed, levels, cased):
    assert recased(tuple(typed.split()), levels) == tuple(cased.split())
