"""What fired rules do to a ranking that is otherwise final."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking import Candidate
from rules.engine.actions.effects import (
    COVERS,
    Pinned,
    because,
    covered_by,
    decisive,
    first_page,
    over_budget,
    placed,
    quotas,
    rule_reason,
    weighted,
)
from rules.engine.clauses import Action
from tests.rules.engine.compiled_rules import a_ranking, a_rule, sections_of

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
