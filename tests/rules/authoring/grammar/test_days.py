"""From which day to which a sentence lets its rule act."""

from datetime import date

import pytest

from rules.authoring.grammar.days import Days, days_in, names_unread_day

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("until june", None, date(2027, 6, 30)),
        ("from 1 july to 31 august", date(2027, 7, 1), date(2027, 8, 31)),
        ("este ano", date(2026, 1, 1), date(2026, 12, 31)),
        ("before 2027-03-01", None, date(2027, 2, 28)),
        ("desde el 1 de diciembre", date(2026, 12, 1), None),
    ],
)
def test_days_are_read(text, first, last):
    assert days_in(text, TODAY)[0] == Days(first, last)


def test_a_day_that_does_not_exist_is_left_unread():
    assert days_in("until 31 june", TODAY) == (Days(), []) and names_unread_day("until 31 june")
