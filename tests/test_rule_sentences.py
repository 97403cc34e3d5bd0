"""Sentences that ask for rules, read by the grammar: 200 of them with the rule expected, and how doubts are asked.

Of the second hundred, written after the grammar and without trying it, 94 were read exactly at first; the grammar was
then widened for the other six.
"""

from dataclasses import asdict
from difflib import get_close_matches

import pytest

from rules.clauses import read
from rules.sentences import Corpus, Draft, Question, draft
from tests.rule_sentences import AFTER, BEFORE, DOCUMENTS, DOMAINS, FILES, PROVISIONS, TODAY

KNOWN = Corpus(
    DOMAINS,
    DOCUMENTS,
    FILES,
    PROVISIONS.__contains__,
    lambda locator: get_close_matches(locator, sorted(PROVISIONS), n=3, cutoff=0.0),
)


def drafted(sentence: str) -> dict | set[str]:
    """The rule, days as text; or what is asked about."""
    result = draft(sentence, KNOWN, today=TODAY)
    if not isinstance(result, Draft):
        return {question.subject for question in result}
    read(result.criteria, result.targets, result.actions)
    days = {"valid_from": result.valid_from, "valid_to": result.valid_to}
    return asdict(result) | {name: day and day.isoformat() for name, day in days.items()}


def is_right(sentence: str, expected: dict) -> bool:
    got = drafted(sentence)
    return expected["asks"] in got if "asks" in expected and isinstance(got, set) else got == expected


@pytest.mark.parametrize("rows", [BEFORE, AFTER, BEFORE + AFTER], ids=["before", "after", "all"])
def test_nineteen_of_twenty_sentences_become_just_the_rule_expected(rows):
    wrong = [sentence for sentence, expected in rows if not is_right(sentence, expected)]
    print(f"{len(rows) - len(wrong)} of {len(rows)} sentences read exactly; not:", *wrong, sep="\n  ")
    assert len(wrong) <= 0.05 * len(rows)


def test_nothing_that_must_be_asked_is_drafted():
    unclear = [sentence for sentence, expected in BEFORE + AFTER if "asks" in expected]
    assert len(unclear) >= 20 and [s for s in unclear if isinstance(drafted(s), dict)] == []


def test_an_unknown_file_is_asked_for_with_those_like_it():
    asked = draft('When someone asks about rent, hide "Lease 13.pdf"', KNOWN, today=TODAY)
    assert isinstance(asked, tuple) and asked[0].subject == "target" and "Lease 12.pdf" in asked[0].near


def test_an_unknown_provision_is_asked_for_with_those_like_it():
    (asked,) = draft("When someone asks about asylum, pin 8 USC 1158(a)(9)", KNOWN, today=TODAY)
    assert isinstance(asked, Question) and asked.words == "/us/usc/t8/s1158/a/9"
    assert "/us/usc/t8/s1158/a/2/B" in asked.near
