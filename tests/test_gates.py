"""Gates: who passes, who is dropped and why; never an exact citation, never the order."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.models import Domain
from retrieval.ranking import Candidate, Query, Ranking, Reason
from retrieval.search import SearchRequest, run, search, visible_domains
from retrieval.versions import current
from rules import published
from rules.gates import gated, is_cited, is_confident
from rules.models import DomainThreshold
from rules.stages import Gates
from rules.thresholds import publish

CITED = Reason("citation", {"citation": "U.S. Const. amend. IV"})
NEAR = Reason("citation_near", {"citation": "U.S. Const. amend. IV"})


@dataclass(frozen=True)
class Limit:
    minimum: float = 0.0
    verify: float = 0.2
    accept: float = 0.6
    confident: float = 0.8
    gap: float = 1.0
    version: int = 7


def a_candidate(number: int, probability: float | None, *, cited: bool = False) -> Candidate:
    reasons = (CITED,) if cited else ()
    return Candidate(number, domain_id=1, score=-number, probability=probability, reasons=reasons)


shares = st.floats(0, 1)
rankings = st.lists(st.tuples(st.none() | shares, st.booleans()), max_size=30).map(
    lambda rows: tuple(a_candidate(n, p, cited=cited) for n, (p, cited) in enumerate(rows))
)
limits = st.builds(Limit, minimum=shares, gap=shares, verify=st.floats(0, 0.5), accept=st.floats(0.5, 1))


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
    assert kept_of(candidates, Limit())[1] == {}


@pytest.mark.parametrize(("probability", "mark"), [(0.6, "A"), (0.59, "B"), (0.2, "B"), (0.19, "C")])
def test_marks_begin_at_their_thresholds(probability, mark):
    (candidate,), _ = gated([a_candidate(1, probability)], {1: Limit()})
    assert candidate.gate == mark


def test_what_is_far_behind_the_best_is_dropped():
    kept, gone = kept_of([a_candidate(1, 0.9), a_candidate(2, 0.61), a_candidate(3, 0.5)], Limit(gap=0.3))
    assert [c.section_id for c in kept] == [1, 2]
    assert gone[3].code == "behind_the_best"


def test_a_place_above_the_one_cited_and_a_domain_without_thresholds():
    nearby = Candidate(1, domain_id=1, probability=0.1, reasons=(NEAR,))
    elsewhere = Candidate(2, domain_id=2, probability=0.1)
    marked, gone = gated([nearby, elsewhere], {1: Limit(minimum=0.5)})
    assert set(gone) == {1}
    assert marked[1].gate == ""


def test_an_answer_is_confident_from_its_threshold_on():
    assert is_confident([a_candidate(1, 0.3), a_candidate(2, 0.8)], {1: Limit()})
    assert not is_confident([a_candidate(1, 0.79), a_candidate(2, None)], {1: Limit()})


def test_a_settled_ranking_passes():
    query = Query("a", "a", "a", "en", ())
    settled = Ranking(query, (a_candidate(1, 0.0),), settled=True)
    assert Gates()(settled).candidates == settled.candidates


# -- In a search


@pytest.fixture
def domain(db):
    return Domain.objects.get(slug="us_constitution")


def a_draft(domain: Domain, **changed) -> DomainThreshold:
    row = domain.thresholds.get(active=True)
    same = {"answer_minimum": row.answer_minimum, "calibration": row.calibration}
    return DomainThreshold(domain=domain, **same | {"reason": "a test", **changed})


def ranked(text: str) -> Ranking:
    scopes = visible_domains(Query("", "", "", "en", ()).caller, ["us_constitution"])
    return run(SearchRequest(text=text), Query("", "", "", "en", ()).caller, scopes, current(scopes))


def test_a_search_drops_by_the_minimum_and_says_so_in_the_trace(domain):
    row = publish(a_draft(domain, minimum=0.1, answer_minimum=0.0))
    ranking = ranked("can the police search my car without a warrant")
    assert ranking.candidates
    assert all(c.probability >= 0.1 and c.gate for c in ranking.candidates)
    gone = [d for d in ranking.dropped if d.stage == "Gates"]
    assert gone and all(d.reason.values["version"] == row.version for d in gone)


def test_when_all_are_below_the_minimum_the_search_abstains_with_near_misses(domain):
    publish(a_draft(domain, minimum=0.999, verify=1.0, accept=1.0, confident=1.0))
    answer = search(SearchRequest(text="best pizza dough hydration"))
    assert answer["abstained"] and answer["near_misses"] and not answer["results"]


def test_the_shipped_thresholds_drop_nothing_at_the_gates(db):
    assert not [d for d in ranked("what is probable cause").dropped if d.stage == "Gates"]


def test_an_answer_says_whether_it_is_confident(domain):
    question = "can the police search my car without a warrant"
    publish(a_draft(domain, verify=0, accept=0, confident=0.0))
    assert search(SearchRequest(text=question))["confident"] is True
    publish(a_draft(domain, confident=1.0))
    assert search(SearchRequest(text=question))["confident"] is False
    assert search(SearchRequest(text="U.S. Const. amend. IV"))["confident"] is True


def test_names_less_alike_than_the_domain_asks_bring_nothing(domain):
    def cosines() -> list[float]:
        ranking = ranked("can my boss read the letters that I get")
        return sorted(c.scores["alias_near"] for c in ranking.candidates if "alias_near" in c.scores)

    publish(a_draft(domain, answer_minimum=0, alias_search=0.1))
    before = cosines()
    middle = before[len(before) // 2]
    publish(a_draft(domain, answer_minimum=0, alias_search=middle))
    assert cosines() == [cosine for cosine in before if cosine >= middle] != before
    publish(a_draft(domain, answer_minimum=0, alias_search=1.0))
    assert cosines() == []


def test_a_draft_is_in_force_only_inside_its_block(domain):
    draft = a_draft(domain, answer_minimum=0.9)
    with published.as_if_published(draft):
        assert published.thresholds(-1)[domain.pk] is draft
    assert published.thresholds(-1)[domain.pk].answer_minimum < 0.9
