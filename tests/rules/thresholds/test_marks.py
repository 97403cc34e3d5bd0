"""Marks of the gates: who passes and why; never an exact citation dropped, never the order changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking import Candidate, Reason, Thresholds
from rules.thresholds.marks import gated, is_cited, is_confident

CITED = Reason("citation", {"citation": "U.S. Const. amend. IV"})
NEAR = Reason("citation_near", {"citation": "U.S. Const. amend. IV"})


def a_candidate(number: int, probability: float | None, *, cited: bool = False) -> Candidate:
    reasons = (CITED,) if cited else ()
    return Candidate(number, domain_id=1, score=-number, probability=probability, reasons=reasons)


shares = st.floats(0, 1)
rankings = st.lists(st.tuples(st.none() | shares, st.booleans()), max_size=30).map(
    lambda rows: tuple(a_candidate(n, p, cited=cited) for n, (p, cited) in enumerate(rows))
)
limits = st.builds(
    Thresholds,
    version=st.just(7),
    minimum=shares,
    gap=shares,
    verify=st.floats(0, 0.5),
    accept=st.floats(0.5, 1),
)


def kept_of(candidates, limit):
    marked, gone = gated(candidates, {1: limit})
    return [c for c in marked if c.section_id not in gone], gone


@given(rankings, limits)
def test_gates_never_reorder(candidates, limit):
    kept, gone = kept_of(candidates, limit)
    expected = [c.section_id for c in candidates if c.section_id not in gone]
    assert [c.section_id for c in kept] == expected


@given(rankings, limits)
def test_a_ranking_is_emptied_only_if_all_are_below_the_minimum(candidates, limit):
    kept, _ = kept_of(candidates, limit)
    if candidates and not kept:
        assert all(c.probability < limit.minimum for c in candidates)


@given(rankings, limits)
def test_each_dropped_one_has_its_reason_with_the_version_of_the_thresholds(candidates, limit):
    kept, gone = kept_of(candidates, limit)
    assert len(kept) + len(gone) == len(candidates)
    assert all(reason.code in ("below_minimum", "behind_the_best") for reason in gone.values())
    assert all(reason.values["version"] == 7 for reason in gone.values())


@given(rankings, limits)
def test_exact_citations_are_never_dropped_and_always_accepted(candidates, limit):
    kept, gone = kept_of(candidates, limit)
    assert not [c for c in candidates if is_cited(c) and c.section_id in gone]
    assert {c.gate for c in kept if is_cited(c)} <= {"A"}


@given(rankings)
def test_untuned_gates_drop_nothing(candidates):
    assert kept_of(candidates, Thresholds(version=7))[1] == {}


@pytest.mark.parametrize(("probability", "mark"), [(0.6, "A"), (0.59, "B"), (0.2, "B"), (0.19, "C")])
def test_marks_begin_at_their_thresholds(probability, mark):
    (candidate,), _ = gated([a_candidate(1, probability)], {1: Thresholds(version=7)})
    assert candidate.gate == mark


def test_what_is_far_behind_the_best_is_dropped():
    candidates = [a_candidate(1, 0.9), a_candidate(2, 0.61), a_candidate(3, 0.5)]
    kept, gone = kept_of(candidates, Thresholds(version=7, gap=0.3))
    assert [c.section_id for c in kept] == [1, 2]
    assert gone[3].code == "behind_the_best"


def test_a_place_above_the_one_cited_and_a_domain_without_thresholds():
    nearby = Candidate(1, domain_id=1, probability=0.1, reasons=(NEAR,))
    elsewhere = Candidate(2, domain_id=2, probability=0.1)
    marked, gone = gated([nearby, elsewhere], {1: Thresholds(version=7, minimum=0.5)})
    assert set(gone) == {1}
    assert marked[1].gate == ""


def test_an_answer_is_confident_from_its_threshold_on():
    assert is_confident([a_candidate(1, 0.3), a_candidate(2, 0.8)], {1: Thresholds(version=7)})
    assert not is_confident([a_candidate(1, 0.79), a_candidate(2, None)], {1: Thresholds(version=7)})
