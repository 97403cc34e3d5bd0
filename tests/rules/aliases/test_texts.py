"""Strings side by side are those that they were made of."""

import numpy as np
import pytest

from rules.aliases.texts import Texts

WRITTEN = ["jury trial", "", "años de prisión", "bail", "§ 7", "bail"]


def test_each_is_what_it_was():
    texts = Texts.of(WRITTEN)
    assert [*texts] == WRITTEN and len(texts) == 6 and texts[2] == "años de prisión"
    with pytest.raises(IndexError):
        texts[6]
    assert [*Texts.of([])] == [] == [*Texts.of([]).taken(np.zeros(0, np.intp))]


def test_two_are_one_and_any_are_taken_in_any_order():
    both = Texts.of(WRITTEN) + Texts.of(["a", "é"])
    assert [*both] == [*WRITTEN, "a", "é"]
    for order in ([0, 1, 2, 7], [7, 6, 2, 2, 3], [4], []):
        assert [*both.taken(np.array(order, np.intp))] == [[*both][n] for n in order]
