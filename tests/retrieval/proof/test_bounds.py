import pytest

from retrieval.proof.bounds import bound
from retrieval.proof.facts import facts
from retrieval.text.normalization import fold


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at least 18", 1),
        ("18 years of age or older", 1),
        ("a fee in excess of 18 dollars", 1),
        ("a fee exceeding 18 dollars", 1),
        ("not less than 18", 1),
        ("no fewer than 18", 1),
        ("under 18", -1),
        ("under the age of 18", -1),
        ("has not attained 18", -1),
        ("before reaching age 55", -1),
        ("no more than 18", -1),
        ("may not be more than 18", -1),
        ("up to 18 dollars", -1),
        ("shall not exceed the sum of 18 dollars", -1),
        ("no party may have more than three", -1),
        ("18 or fewer", -1),
        ("al menos 18", 1),
        ("no más de 18", -1),
        ("18 members", 0),
        ("nobody shall be a Senator who shall not have attained to the age of thirty", 0),
        ("anyone under 18 cannot vote", 0),
    ],
)
def test_a_number_is_the_least_or_the_most(text, expected):
    (quantity,) = facts(text).quantities
    assert bound(fold(text), quantity.start, quantity.end) == expected
