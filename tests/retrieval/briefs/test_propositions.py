"""Sentences beside the law they cite."""

import pytest

from retrieval.briefs.checking import check_brief

pytestmark = pytest.mark.django_db
AGE = "A Senator must have attained the age of {} years, U.S. Const. art. I, § 3, cl. 3."


def found(text):
    return [(check.verdict, check.findings) for check in check_brief(text).propositions]


@pytest.mark.parametrize(
    "text",
    [
        "A Senator must have “attained to the Age of forty Years.” U.S. Const. art. I, § 3, cl. 3.",
        "A Senator must be forty, U.S. Const. art. XII.",
        "Nobody cites anything here.",
    ],
)
def test_who_quotes_or_cites_nothing_here_proposes_nothing(text):
    assert found(text) == []


def test_the_place_is_that_of_the_sentence():
    text = f"Facts came first. {AGE.format('forty')}"
    (check,) = check_brief(text).propositions
    assert text[check.start : check.end].startswith("A Senator") and check.citations == (0,)
