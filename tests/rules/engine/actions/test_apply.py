"""The actions of fired rules one after the other, what they do to a ranking, and what the answer tells of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.access.caller import Caller
from retrieval.ranking import Candidate
from rules.engine.actions.apply import (
    COVERS,
    ApplyRuleActions,
    Pinned,
    because,
    changed_by,
    covered_by,
    decisive,
    first_page,
    named,
    over_budget,
    placed,
    quotas,
    rule_reason,
    telling,
    weighted,
    with_rules,
)
from rules.engine.clauses import Action
from tests.rule_searches import FIFTH, FIRST, QUESTION, THIRD, ask, locators, section
from tests.rules.engine.compiled_rules import a_ranking, a_rule, sections_of

PIN, NOTE, BURY = a_rule(1, "pin"), a_rule(2, "note"), a_rule(3, "bury")


class Weigh:
    """An action upon rules that boost or bury."""

    @with_rules("boost", "bury")
    def __call__(self, ranking, rules):
        return telling(ranking, weighed=[rule.number for rule in rules])


def test_an_action_is_given_the_fired_rules_of_its_kinds_and_names_them():
    done = Weigh()(a_ranking(7, fired=(PIN, BURY)))
    assert done.curated == {"weighed": [3]} and done.note == "rule 3"


def test_without_such_a_rule_the_action_is_skipped():
    done = Weigh()(a_ranking(7, fired=(PIN,)))
    assert done.curated == {} and done.details["skipped"]


def test_rules_that_changed_the_page_are_told_once_in_their_order():
    ranking = changed_by(a_ranking(7, fired=(PIN, NOTE, BURY)), [BURY])
    again = changed_by(changed_by(ranking, [PIN, BURY]), [])
    assert again.curated["changed"] == [1, 3]


def test_what_is_told_is_added_to_what_was_told_before():
    ranking = telling(telling(a_ranking(7), policy="global"), notes=[])
    assert ranking.curated == {"policy": "global", "notes": []}
    assert named((PIN, NOTE)) == "rule 1, rule 2"


@pytest.mark.django_db
def test_no_language_model_undoes_a_rule(rule, unsure):
    asks = Caller(("key:1",), frozenset({"pipelines"}))
    rule({"kind": "pin", "position": 2}, targets=section(THIRD))
    rule("exclude", targets=section(FIFTH))
    answer = ask(QUESTION, asks, pipeline="verified")
    assert locators(answer)[1] == THIRD and FIFTH not in locators(answer)
    assert len(unsure.asked) == 3


@pytest.mark.django_db
def test_exclude_beats_pin_beats_boost(rule):
    rule("pin", targets=section(FIRST, THIRD))
    rule({"kind": "boost", "factor": 100}, targets=section(FIFTH))
    rule("exclude", targets=section(FIRST), priority=900)
    found = locators(ask(QUESTION, k=50))
    assert found[:2] == [THIRD, FIFTH] and FIRST not in found


class First:
    def __call__(self, ranking):
        return telling(ranking, done=["first"])


class Second:
    def __call__(self, ranking):
        return telling(ranking, done=[*ranking.curated["done"], "second"])


def test_actions_run_in_their_order_and_each_has_its_line_in_the_trace():
    ranking = ApplyRuleActions(First(), Second())(a_ranking(7, fired=(a_rule(1, "note"),)))
    assert ranking.curated == {"done": ["first", "second"]} and ranking.note == "rule 1"
    assert [report.name for report in ranking.reports] == ["First", "Second"]


def test_where_no_rule_fired_nothing_runs():
    ranking = ApplyRuleActions(First())(a_ranking(7))
    assert ranking.curated == {} and ranking.reports == () and ranking.details["skipped"]


RULE, OTHER = a_rule(1, "pin"), a_rule(2, "pin")
FOUND = a_ranking(1, 2, 3, 4).candidates  # with scores 4, 3, 2 and 1


def pins(*at: tuple[int, int]) -> list[Pinned]:
    """Of (section, place)."""
    return [Pinned(Candidate(section), place, RULE) for section, place in at]


def covered(section: int, *rules) -> Candidate:
    candidate = Candidate(section)
    for rule in rules:
        candidate = because(candidate, rule_reason(rule, COVERS))
    return candidate


def test_a_pin_stands_at_its_place_and_the_others_keep_their_order():
    assert sections_of(placed(FOUND, pins((4, 2)))) == [1, 4, 2, 3]
    assert sections_of(placed(FOUND, pins((9, 1)))) == [9, 1, 2, 3, 4]


def test_a_place_that_is_taken_gives_the_next_one():
    assert sections_of(placed(FOUND, pins((9, 1), (8, 1)))) == [9, 8, 1, 2, 3, 4]


def test_pins_close_up_where_there_are_too_few_others():
    assert sections_of(placed(FOUND[:1], pins((9, 5), (8, 3)))) == [1, 8, 9]


@given(
    st.lists(st.integers(1, 20), unique=True, max_size=12),
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 15)), max_size=8),
)
def test_no_candidate_is_lost_or_shown_twice_and_no_pin_is_lost(found, at):
    shown = sections_of(placed([Candidate(section) for section in found], pins(*at)))
    assert sorted(shown) == sorted({*found, *(section for section, _ in at)})
    free = [section for section in found if section not in dict(at)]
    assert [section for section in shown if section in free] == free


def test_boosts_multiply_and_buries_divide_and_say_so():
    boost, bury = a_rule(1, Action("boost", factor=3.0)), a_rule(2, Action("bury", factor=8.0))
    changed = weighted(FOUND, [boost, bury], {1: {3}, 2: {1, 99}})
    assert [(c.section_id, c.score) for c in changed] == [(3, 6.0), (2, 3.0), (4, 1.0), (1, 0.5)]
    assert [reason.code for c in changed for reason in c.reasons] == ["rule_boost", "rule_bury"]


def test_a_rule_is_decisive_if_without_it_the_outcome_is_another():
    assert decisive([RULE, OTHER], lambda those: RULE in those) == [RULE]
    assert decisive([RULE, OTHER], bool) == []


def test_a_page_differs_by_the_passage_that_a_section_is_shown_by():
    assert first_page([Candidate(1, chunk_id=11)]) != first_page([Candidate(1, chunk_id=12)])
    assert len(first_page(map(Candidate, range(30)))) == 10


def test_each_rule_gets_its_quota_and_no_section_stands_twice():
    found = [covered(1, RULE), covered(2, RULE), covered(3, RULE, OTHER), covered(4, OTHER)]
    assert covered_by(found[2]) == {1, 2}
    assert sections_of(quotas(found, [OTHER, RULE], 2)) == [3, 4, 1, 2]


def test_pins_are_taken_into_the_budget_first():
    pinned = because(FOUND[3], rule_reason(RULE, "rule_pin"))
    left_out = over_budget((*FOUND[:3], pinned), {1: 40, 2: 50, 3: 10, 4: 50}, 100)
    assert sections_of(left_out) == [2]
