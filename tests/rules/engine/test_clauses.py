"""What a rule says, strictly read."""

from datetime import date

import pytest
from django.core.exceptions import ValidationError

from retrieval.targets import Selection
from rules.engine.clauses import Action, Clauses, CompiledRule, Criterion, page_ranges, read
from tests.rule_searches import ALWAYS, FIRST, THIRD, section


def problems(*clauses: object) -> dict[str, list[str]]:
    with pytest.raises(ValidationError) as refused:
        read(*clauses)
    return refused.value.message_dict


def test_the_three_lists_are_read():
    clauses = read(
        [{"kind": "keywords", "value": "rent", "stemmed": True}],
        section(FIRST, THIRD),
        [{"kind": "pin", "position": 2}, {"kind": "note", "text": " Ask a lawyer. "}],
    )
    assert clauses.criteria == (Criterion("keywords", ("rent",), stemmed=True),)
    assert [part.value for part in clauses.targets.parts] == [FIRST, THIRD]
    assert clauses.actions == (Action("pin", position=2), Action("note", "Ask a lawyer."))


def test_all_that_is_wrong_is_told_at_once_and_by_its_number():
    criteria = [{"kind": "always"}, {"kind": "charm"}, {"kind": "regex", "value": "(a"}]
    found = problems(criteria, [{"kind": "section", "value": "//elsewhere"}], "pin")
    assert set(found) == {"criteria", "targets", "actions"}
    assert [told.split(":")[0] for told in found["criteria"]] == ["No. 2", "No. 3"]


@pytest.mark.parametrize(
    ("criteria", "targets", "actions", "wrong"),
    [
        ([], [], ["abstain"], "criteria"),
        (ALWAYS, [], [], "actions"),
        (ALWAYS, [], ["pin"], "targets"),
        (ALWAYS, section(FIRST), ["abstain"], "targets"),
        (ALWAYS, section(FIRST), ["pin", "exclude"], "actions"),
        (ALWAYS, section(FIRST), ["boost", "bury"], "actions"),
    ],
)
def test_lists_must_agree_with_each_other(criteria, targets, actions, wrong):
    assert list(problems(criteria, targets, [{"kind": kind} for kind in actions])) == [wrong]


def test_rules_act_by_priority_then_number_within_their_days():
    nothing = Clauses((), Selection(()), ())
    old = CompiledRule(1, "old", 1, 100, (), nothing, valid_to=date(2026, 1, 31))
    first = CompiledRule(2, "first", 1, 1, (), nothing)
    assert sorted([old, first], key=lambda rule: rule.order) == [first, old]
    assert old.is_valid_on(date(2026, 1, 31)) and not old.is_valid_on(date(2026, 2, 1))


def test_pages_are_read_as_the_ranges_they_make():
    assert page_ranges("8, 3-5, 4-6, 7, 10") == page_ranges([3, 4, 5, 6, 7, 8, 10]) == ((3, 8), (10, 10))
    with pytest.raises(ValueError, match="at most 100"):
        page_ranges(",".join(map(str, range(1, 300, 2))))
