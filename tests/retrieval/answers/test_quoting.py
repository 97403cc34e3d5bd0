"""Words of law with their places."""

from retrieval.answers.quoting import joined, places_of
from retrieval.answers.selection import Passage, Scored
from retrieval.answers.units import units

TABLE = "Test | Price\nKnee | 410 €\nBrain | 560 €"


def test_spans_with_nothing_but_blanks_between_them_are_one():
    assert joined("One. Two. Three.", [(0, 4), (5, 9), (10, 16)]) == [(0, 16)]
    assert joined("One. Two. Three.", [(0, 4), (10, 16)]) == [(0, 4), (10, 16)]


def test_what_frames_a_unit_is_a_place_of_its_own_where_it_stands_apart():
    passage = Passage(1, "/x/1", "X § 1", TABLE, 1, 0.9, "en", (0, 0))
    knee, brain = (Scored(passage, unit, 0.5) for unit in units(TABLE))
    assert [TABLE[start:end] for start, end in places_of(knee)] == ["Test | Price\nKnee | 410 €"]
    assert [TABLE[start:end] for start, end in places_of(brain)] == ["Test | Price", "Brain | 560 €"]
