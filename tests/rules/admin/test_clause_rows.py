"""Clauses as boxes of a form, and read back."""

import pytest

from rules.admin.clause_rows import boxes_of, read_action, read_criterion, read_target


@pytest.mark.parametrize(
    ("read", "clause", "separator"),
    [
        (read_criterion, {"kind": "keywords", "value": ["rent", "bail"], "stemmed": True}, "; "),
        (read_criterion, {"kind": "always"}, "; "),
        (read_target, {"kind": "chunk", "value": [3, 5]}, ", "),
        (read_target, {"kind": "pages", "pages": "3-5, 8"}, ", "),
        (read_target, {"kind": "metadata", "key": "year", "comparison": "at_least", "value": 2020}, ", "),
        (read_action, {"kind": "pin", "position": 2}, ", "),
        (read_action, {"kind": "boost", "factor": 1.5}, ", "),
        (read_action, {"kind": "redirect", "locator": "/us/const/amendment/I"}, ", "),
        (read_action, {"kind": "rewrite", "text": "tenant", "phrase": "renter"}, ", "),
    ],
)
def test_a_clause_is_read_back_from_its_boxes(read, clause, separator):
    empty = dict.fromkeys(("value", "stemmed", "key", "comparison", "pages", "text", "phrase", "amount"), "")
    assert read(empty | boxes_of(clause, separator)) == clause


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="is no number"):
        read_action({"kind": "pin", "text": "", "phrase": "", "amount": "first"})
