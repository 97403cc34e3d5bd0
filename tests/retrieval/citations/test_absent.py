"""Amendments and articles that the Constitution does not have."""

import pytest

from retrieval.citations import absent
from retrieval.citations.finding import absent_provision


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("28th amendment", "U.S. Const. amend. XXVIII"),
        ("What does the thirtieth amendment say?", "U.S. Const. amend. XXX"),
        ("amendment 99", "U.S. Const. amend. 99"),
        ("Amend. XXVIII", "U.S. Const. amend. XXVIII"),
        ("Article VIII", "U.S. Const. art. VIII"),
        ("article 9", "U.S. Const. art. IX"),
        ("artículo 9", "U.S. Const. art. IX"),
        ("enmienda 28", "U.S. Const. amend. XXVIII"),
        ("27th amendment", None),
        ("article VII", None),
        ("article 9.5", None),
        ("Article 9 of the UCC", None),
        ("28th amendment to the lease", None),
        ("is there an article 8 on guns?", None),
        ("right to bear arms", None),
    ],
)
def test_a_provision_that_is_asked_for_in_vain_is_named(text, name):
    assert absent_provision(text) == name


def test_it_is_said_where_the_name_stands():
    assert absent.find("see the 28th amendment.") == (8, 22, "U.S. Const. amend. XXVIII")
