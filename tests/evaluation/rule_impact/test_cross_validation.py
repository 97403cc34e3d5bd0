"""Halves of the documents for cross-validation."""

from evaluation.rule_impact.cross_validation import halves


def test_halves_are_of_documents_and_the_same_for_a_seed():
    first, second = halves("abcd", 1)
    assert first | second == set("abcd") and len(first) == 2
    assert halves("dcba", 1) == (first, second) != halves("abcd", 2)
