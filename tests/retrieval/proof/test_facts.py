import time
from fractions import Fraction

import pytest

from retrieval.proof.facts import facts, places_of


@pytest.mark.parametrize(
    "text, value, unit",
    [
        ("two thirds of both Houses", Fraction(2, 3), ""),
        ("dos tercios del Senado", Fraction(2, 3), ""),
        ("the Age of thirty five Years", 35, "year"),
        ("treinta y cinco años", 35, "year"),
        ("thirty-five years", 35, "year"),
        ("a 5-year term", 5, "year"),
        ("$5.59B", 5_590_000_000, "dollar"),
        ("$6,500", 6500, "dollar"),
        ("$5.6 million", 5_600_000, "dollar"),
        ("cien mil dólares", 100_000, "dollar"),
        ("10 per centum", 10, "percent"),
        ("75%", 75, "percent"),
        ("every second Year", 2, "year"),
        ("one thousand eight hundred and eight", 1808, ""),
        ("mil ochocientos ocho", 1808, ""),
        ("may 30 days", 30, "day"),
        ("twice", 2, ""),
    ],
)
def test_a_quantity_is_read_in_digits_and_words_of_both_languages(text, value, unit):
    (quantity,) = facts(text).quantities
    assert (quantity.value, quantity.unit) == (value, unit)


@pytest.mark.parametrize(
    "text, same",
    [
        ("24 months", "two years"),
        ("30 months", "two and a half years"),
        ("30 months", "2½ years"),
        ("30 months", "two and one-half years"),
        ("18 months", "a year and a half"),
        ("six months", "half a year"),
        ("three months", "a quarter of a year"),
        ("1.5 million", "1,500,000"),
        ("half", "50 percent"),
        ("one-half", "half"),
        ("20 percent", "a fifth of the funds"),
        ("two weeks", "14 days"),
        ("twelve", "a dozen"),
        ("360 eggs", "thirty dozen eggs"),
        ("ten years", "the next decade"),
        ("every two years", "biennially"),
        ("more than half", "a majority"),
    ],
)
def test_equal_values_in_other_units_are_the_same(text, same):
    (one, *_), (other, *_) = facts(text).quantities, facts(same).quantities
    assert one.measure == other.measure


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a two-thirds majority", [Fraction(2, 3)]),
        ("a 60 percent majority", [60]),
        ("a majority of at least three fifths", [Fraction(3, 5)]),
        ("mayoría de las dos terceras partes", [Fraction(2, 3)]),
        ("a majority vote\nof two thirds", [Fraction(2, 3)]),
        ("mayoría de 60 por ciento", [60]),
        ("a simple majority of the members", [Fraction(1, 2)]),
        ("a majority of the 12 members", [Fraction(1, 2), 12]),
        ("Two thirds may expel. A majority is a quorum.", [Fraction(2, 3), Fraction(1, 2)]),
    ],
)
def test_a_majority_is_a_half_unless_its_share_is_told(text, values):
    assert [quantity.value for quantity in facts(text).quantities] == values


@pytest.mark.parametrize(
    "text, dates",
    [
        ("In 2020 the agency", {("year", 2020)}),
        ("on March 4, 1789", {("month", 3), ("day", 4), ("year", 1789)}),
        ("el 4 de marzo de 1789", {("month", 3), ("day", 4), ("year", 1789)}),
        ("noon on the 3d day of January", {("day", 3), ("month", 1)}),
        ("the first Monday in December", {("weekday", 0), ("month", 12)}),
        ("it may be proposed", set()),
    ],
)
def test_dates(text, dates):
    assert facts(text).dates == dates


@pytest.mark.parametrize(
    "text, places",
    [
        ("sections 202 and 203 of this title", {("section", "202"), ("section", "203")}),
        ("section 1158(a)(2)(B)", {("section", "1158")}),
        ("8 U.S.C. § 1101(a)", {("title", "8"), ("section", "1101")}),
        ("the Fifth and Fourteenth Amendments", {("amendment", "5"), ("amendment", "14")}),
        ("la Decimocuarta Enmienda", {("amendment", "14")}),
        ("Article II, section 1", {("article", "2"), ("section", "1")}),
        ("Amendment XIV", {("amendment", "14")}),
    ],
)
def test_places_of_the_law(text, places):
    assert facts(text).places == places and not facts(text).quantities


def test_what_a_provision_is_called():
    assert places_of("/us/usc/t8/s1158/a", "8 U.S.C. § 1158(a)") == {("title", "8"), ("section", "1158")}
    assert ("amendment", "14") in places_of(
        "/us/const/amendment/XIV/section/1", "U.S. Const. amend. XIV, § 1"
    )


@pytest.mark.parametrize(
    "text",
    ["four years.² Article II", "❶ no person", "9" * 5000, "1." + "9" * 5000, "9," * 3 + "999," * 2000],
)
def test_what_looks_like_digits_and_is_no_number_is_passed_by(text):
    facts(text)


@pytest.mark.parametrize("words", ["first ", "first and ", "section ", "hundred "])
def test_long_texts_are_read_in_proportion_to_their_length(words):
    start = time.process_time()
    facts(words * 8_000)
    assert time.process_time() - start < 5
