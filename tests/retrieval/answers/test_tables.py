"""Rows that a question does not tell apart."""

from dataclasses import replace

import pytest

from retrieval.answers.selection import Passage, Scored
from retrieval.answers.tables import with_near_rows
from retrieval.answers.units import units

TABLE = "Age | Dose\nto 6 years | 150\n6 to 12 years | 300\nover 12 years | 500"
PASSAGE = Passage(1, "/x/1", "X § 1", f"{TABLE}\nCall for help.", 1, 0.9, "en", (0, 0))


def first_quoted(*probabilities: float, text: str = PASSAGE.text) -> str:
    passage = replace(PASSAGE, text=text)
    ranked = [Scored(passage, unit, p) for unit, p in zip(units(text), probabilities, strict=False)]
    best = with_near_rows(sorted(ranked, key=lambda one: -one.probability))[0]
    return "\n".join(text[start:end] for start, end in best.unit.spans)


def test_rows_that_come_near_are_quoted_with_the_whole_table():
    assert first_quoted(0.3, 0.2, 0.05, 0.01) == TABLE


def test_a_row_that_is_far_better_is_quoted_alone():
    assert first_quoted(0.1, 0.9, 0.05, 0.01) == "Age | Dose\n6 to 12 years | 300"


def test_of_a_long_table_the_near_rows_are_quoted():
    text = "Age | Dose\n" + "".join(f"{n} years | {n}00 {'micrograms ' * 9}\n" for n in range(20))
    assert first_quoted(0.3, 0.2, *[0.01] * 18, text=text).count("\n") == 2


def test_what_is_no_row_stays_as_it_is():
    assert first_quoted(0.1, 0.1, 0.1, 0.9) == "Call for help."
    assert with_near_rows([]) == []


CHILDREN = "Paracetamol for children\n10 to 20 kg | 120 mg\n20 to 40 kg | 240 mg"
ADULTS = "Paracetamol for adults\n40 to 50 kg | 500 mg\n50 kg and more | 1,000 mg"


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_rows_of_another_table_are_not_quoted_with_it(between):
    text = f"{ADULTS}{between}{CHILDREN}"
    assert first_quoted(0.3, 0.2, 0.2, 0.2, text=text) == "40 to 50 kg | 500 mg\n50 kg and more | 1,000 mg"
    assert first_quoted(0.2, 0.2, 0.2, 0.3, text=text) == "10 to 20 kg | 120 mg\n20 to 40 kg | 240 mg"


def test_a_table_that_goes_on_on_a_further_page_is_quoted_whole():
    text = TABLE.replace("\nover", "\nAge | Dose\nover")
    assert first_quoted(0.3, 0.2, 0.05, text=text) == TABLE


def test_a_row_that_was_not_read_ends_what_is_quoted_of_a_table():
    text = ADULTS.replace("\n50", "\n\n50")
    passage = replace(PASSAGE, text=f"{text}\n60 kg and more | 1,200 mg")
    first, _, last = units(passage.text)
    ranked = [Scored(passage, first, 0.3), Scored(passage, last, 0.2)]
    assert with_near_rows(ranked) == ranked
    assert first_quoted(0.3, 0.2, text=text) == "40 to 50 kg | 500 mg\n50 kg and more | 1,000 mg"
