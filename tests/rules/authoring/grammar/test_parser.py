"""Sentences that ask for rules, read by the grammar: 200 of them with the rule expected, and how doubts are asked.

Of the second hundred, written after the grammar and without trying it, 94 were read exactly at first; the grammar was
then widened for the other six. Of the 62 on tags, metadata, citing places, definitions, patterns, two conditions and
exceptions, written before the grammar knew of them, 58 were read exactly at its first try; of 43 more, written after
it and without trying it, 42. All are now.
"""

from dataclasses import asdict

import pytest

from rules.authoring.grammar.names import Draft
from rules.authoring.grammar.parser import draft
from rules.engine.clauses import read
from tests.rule_sentences import (
    AFTER,
    BEFORE,
    KNOWN,
    TODAY,
    WIDER_AFTER,
    WIDER_BEFORE,
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


@pytest.mark.parametrize(
    "rows",
    [BEFORE, AFTER, BEFORE + AFTER, WIDER_BEFORE, WIDER_AFTER],
    ids=["before", "after", "both", "wider before", "wider after"],
)
def test_nineteen_of_twenty_sentences_become_just_the_rule_expected(rows):
    wrong = [sentence for sentence, expected in rows if not is_right(sentence, expected)]
    print(f"{len(rows) - len(wrong)} of {len(rows)} sentences read exactly; not:", *wrong, sep="\n  ")
    assert len(wrong) <= 0.05 * len(rows)


def test_nothing_that_must_be_asked_is_drafted():
    rows = BEFORE + AFTER + WIDER_BEFORE + WIDER_AFTER
    unclear = [sentence for sentence, expected in rows if "asks" in expected]
    assert len(unclear) >= 45 and [s for s in unclear if isinstance(drafted(s), dict)] == []


@pytest.mark.parametrize(
    "sentence",
    [
        "When someone asks about asylum but mentions fees, pin 8 USC 1158",
        "When someone asks about rent and documents tagged lease, pin Lease 12.pdf",
        "When someone asks about rent, boost documents whose author is not Rivera",
        "When someone asks about rent, boost whatever cites handbook.docx",
        "Hide documents tagged",
    ],
)
def test_a_clause_that_no_rule_can_say_is_never_taken_for_a_topic_or_a_name(sentence):
    assert isinstance(drafted(sentence), set)
