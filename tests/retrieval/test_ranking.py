"""What stages pass on."""

import dataclasses

import pytest

from retrieval.ranking import Candidate, Query, Ranking, Reason, Thresholds, replace


class Gates:
    """Stands for a stage that drops."""


def a_ranking(*scores: float) -> Ranking:
    query = Query(original="q", text="q", normalized="q", language="en", domains=())
    candidates = [Candidate(section_id=n, score=score) for n, score in enumerate(scores)]
    return Ranking(query).with_candidates(candidates)


def ids(ranking: Ranking) -> list[int]:
    return [candidate.section_id for candidate in ranking.candidates]


def test_a_ranking_with_other_values_is_what_dataclasses_make_of_it():
    ranking = a_ranking(0.1, 0.9)
    assert replace(ranking, note="n", final=True) == dataclasses.replace(ranking, note="n", final=True)
    assert (ranking.note, ranking.final) == ("", False)
    with pytest.raises(TypeError, match="unknown"):
        replace(ranking, unknown=1)


def test_candidates_stand_by_score_and_ties_by_section():
    assert ids(a_ranking(0.1, 0.9, 0.9)) == [1, 2, 0]


def test_what_is_dropped_is_kept_with_its_stage_and_reason():
    why = Reason("below_minimum", {"minimum": 0.2})
    ranking = a_ranking(0.1, 0.9).drop({0: why}, Gates)
    assert ids(ranking) == [1]
    assert [(gone.candidate.section_id, gone.stage, gone.reason) for gone in ranking.dropped] == [
        (0, "Gates", why)
    ]


def test_a_changed_candidate_is_another_one():
    first = Candidate(section_id=1)
    assert first.but(score=2.0).score == 2.0
    assert first.score == 0.0


def test_a_candidate_has_no_other_fields():
    with pytest.raises(KeyError):
        Candidate(section_id=1).but(rank=1)


def test_what_rests_on_the_question_is_worked_out_once_for_all_bodies_of_law():
    query, times = a_ranking().query, []

    def length_of(asked: Query) -> int:
        return asked.once(("length", asked.text), lambda: times.append(asked.text) or len(asked.text))

    lengths = [length_of(one) for one in (query, replace(query, domains=()), replace(query, text="another"))]
    assert lengths == [1, 1, 7] and times == ["q", "another"]
    assert a_ranking().query.worked_out == {}, "another search knows nothing of it"


def test_rankings_cannot_be_changed_in_place():
    with pytest.raises(AttributeError):
        a_ranking(0.1).candidates = ()


@pytest.mark.parametrize(
    ("probability", "zone"),
    [(0.0, "rejected"), (0.2, "rejected"), (0.21, "uncertain"), (0.69, "uncertain"), (0.7, "accepted")],
)
def test_the_limits_themselves_are_decided(probability, zone):
    assert Thresholds(mlp_low=0.2, mlp_high=0.7).zone(probability) == zone


def test_where_both_limits_are_one_nothing_is_uncertain():
    assert [Thresholds(mlp_low=0.5, mlp_high=0.5).zone(p) for p in (0.49, 0.5, 0.51)] == [
        "rejected",
        "accepted",
        "accepted",
    ]
