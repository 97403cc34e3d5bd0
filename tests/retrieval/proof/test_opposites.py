import pytest

from retrieval.proof.opposites import axes, exchanged, rivals, turned_by_prefix


@pytest.mark.parametrize(
    ("mine", "theirs", "opposed"),
    [
        ("after", "before", True),
        ("unmarried", "married", True),
        ("unlawful", "lawful", True),
        ("nonresident", "resident", True),
        ("inactive", "active", True),
        ("last day", "first day", True),
        ("fewer", "more", True),
        ("excludes", "includes", True),
        ("with", "without", True),
        ("inside", "outside", True),
        ("private", "public", True),
        ("defendant", "plaintiff", True),
        ("not more", "fewer", False),
        ("prior to", "before", False),
        ("harbor", "before", False),
        ("form", "inform", False),
        ("formal", "informal", True),
        ("close", "disclose", False),
        ("charge", "discharge", False),
        ("come", "income", False),
        ("complete", "incomplete", True),
        ("jury", "injury", False),
        ("formation", "information", False),
        ("less", "unless", False),
        ("position", "disposition", False),
        ("migrant", "immigrant", False),
        ("pose", "impose", False),
        ("possible", "impossible", True),
        ("buyer", "seller", True),
    ],
)
def test_opposites_are_known_or_made_by_a_prefix(mine, theirs, opposed):
    assert exchanged(mine.split(), theirs.split(), axes()) is opposed


def test_a_short_word_is_not_turned_by_a_prefix():
    assert not turned_by_prefix({"to"}, {"into"})


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("proof by clear and convincing evidence", True),
        ("proof beyond a reasonable doubt", True),
        ("it is more likely than not", False),
        ("proof", False),
    ],
)
def test_standards_of_proof_are_rivals(said, found):
    assert rivals(said, "by a preponderance of the evidence") is found


def test_each_axis_has_two_sides_or_more():
    assert all(len(axis.sides) >= 2 for axis in axes())
