"""The stages that go by thresholds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.learning import registry
from evaluation.learning.training import Trained
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.engines import loaded
from retrieval.errors import NotRun
from retrieval.ingestion.uploading import accept
from retrieval.models import Domain, RankerModel
from retrieval.ranking import Candidate, Query, Ranking, Reason, Thresholds
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, run, search
from retrieval.stages.reranker.artifact import pack
from retrieval.stages.reranker.features import EVIDENCE, USUAL_MINIMUM
from rules import published
from rules.models import DomainThreshold
from rules.thresholds.publishing import next_version, publish
from rules.thresholds.stages import (
    ANY_TEXT,
    LEARNED,
    Gates,
    ReadThresholds,
    as_any_text,
    features,
    gated,
    is_cited,
    is_confident,
    logistic,
)
from tests.builders import a_case_file, a_domain
from tests.leases import finish
from tests.rerankers import some_reranker

pytestmark = pytest.mark.django_db


def read() -> Ranking:
    scopes, in_force = in_scope(ANONYMOUS, ("us_constitution",))
    query = Query("law", "law", "law", "en", scopes, versions=in_force)
    return ReadThresholds()(Ranking(query))


def test_the_query_carries_what_its_curators_published():
    domain = Domain.objects.get(slug="us_constitution")
    row = publish(next_version(domain.thresholds.get(active=True), reason="a test", blend=0.25, gap=0.5))
    ranking = read()
    own = ranking.query.thresholds[domain.pk]
    assert (own.blend, own.gap, own.version) == (0.25, 0.5, row.version)
    assert own.calibration == row.calibration and own.name == str(row)
    assert ranking.note == f"us_constitution v{row.version}"


def test_a_domain_without_thresholds_goes_by_those_of_any_text():
    domain = Domain.objects.get(slug="us_constitution")
    domain.thresholds.update(active=False)
    ranking = read()
    assert ranking.query.thresholds == {domain.pk: ANY_TEXT} and ranking.note == "us_constitution: any text"


def deploy_sure_of(answers: dict[str, float]) -> None:
    """A reranker that gives every question these log odds, by domain."""
    weights = {domain: [0.0] * len(EVIDENCE) + [odds] for domain, odds in answers.items()}
    reranker = replace(some_reranker(), answers=weights)
    registry.deploy(registry.save(Trained(pack(reranker, seed=0), {"family": "a test"})))


@pytest.mark.parametrize(("odds", "declines"), [(-0.5, True), (0.5, False)])
def test_a_domain_without_thresholds_declines_by_what_the_reranker_learned_of_it(odds, declines):
    domain = Domain.objects.get(slug="us_constitution")
    domain.thresholds.update(active=False)
    deploy_sure_of({"": 40.0, "us_constitution": odds})
    assert read().query.thresholds == {domain.pk: LEARNED} and read().note == "us_constitution: learned"
    assert search(SearchRequest("may soldiers live in my house"))["abstained"] is declines


def test_what_was_learned_by_a_reranker_that_cannot_serve_counts_for_nothing():
    domain = Domain.objects.get(slug="us_constitution")
    domain.thresholds.update(active=False)
    deploy_sure_of({"": 40.0, "us_constitution": 5.0})
    RankerModel.objects.update(artifact=b"damaged")
    assert read().query.thresholds == {domain.pk: ANY_TEXT}


@pytest.fixture
def domain():
    return Domain.objects.get(slug="us_constitution")


def ask(text: str, **fields) -> dict:
    return search(SearchRequest(text=text, **fields))


NONSENSE = ["best recipe for apple pie", "who won the world cup in 1998", "how do I reset my iphone"]


@pytest.mark.parametrize("question", NONSENSE)
def test_a_domain_declines_before_it_has_thresholds(question):
    DomainThreshold.objects.all().delete()
    answer = ask(question)
    assert answer["abstained"] and not answer["results"]


def test_a_domain_without_thresholds_answers_and_is_never_certain():
    DomainThreshold.objects.all().delete()
    answer = ask("can the police search my house without a warrant")
    assert answer["results"] and not answer["confident"]


@pytest.mark.parametrize("question", NONSENSE)
def test_thresholds_without_a_calibration_of_their_own_decline_as_before_they_were_published(domain, question):
    DomainThreshold.objects.all().delete()
    publish(DomainThreshold(domain=domain, answer_minimum=0.5, gap=0.05, reason="a test"))
    answer = ask(question)
    assert answer["abstained"] and not answer["results"]


def test_thresholds_without_a_calibration_of_their_own_answer_with_probabilities_or_never_decline(domain):
    DomainThreshold.objects.all().delete()
    publish(DomainThreshold(domain=domain, answer_minimum=0.9, reason="a test"))
    answer = ask("can the police search my house without a warrant")
    assert answer["results"][0]["probability"] > 0.2
    publish(DomainThreshold(domain=domain, answer_minimum=0.0, reason="a test"))
    assert ask(NONSENSE[0])["results"]


LEASE = """LEASE

1. Rent. Tenant shall pay a rent of $1,450 on the first of each month. A late fee of $75 applies after the fifth.

2. Pets. No animal may be kept in the apartment without the consent of Landlord; the recipe for a good tenancy is quiet.

3. Heating. Landlord repairs the roof, the pipes and the heating. The best oven of the house is in the kitchen.
"""


@pytest.fixture
def leases(reindex):
    """A small public domain, uploaded beside the Constitution."""
    domain = a_domain(slug="leases", name="Leases")
    accept(domain, "lease.txt", LEASE.encode(), principal="user:1")
    finish()
    reindex()
    return domain


@pytest.mark.parametrize("reranked", [False, True])
def test_an_upload_beside_the_law_makes_no_nonsense_an_answer(leases, reranked):
    if reranked:
        deploy(0.0002)
    for question in NONSENSE:
        assert ask(question)["abstained"], question
        assert ask(question, domains=("leases",))["abstained"], question


@pytest.mark.parametrize("question", ["what is the late fee for rent", "who repairs the heating", "may I keep a pet"])
@pytest.mark.parametrize("reranked", [False, True])
def test_what_was_uploaded_answers_whatever_a_reranker_that_never_saw_it_says(leases, question, reranked):
    if reranked:
        deploy(0.0002)
    answer = ask(question, domains=("leases",))
    assert answer["results"] and answer["likely"] and not answer["confident"]


def test_private_documents_answer_by_their_words_and_decline_nonsense():
    ana = Caller(("key:901",))
    a_case_file("Matter of Ana", "Invoice ZX4471 was settled.", "The best of luck.", granted_to=ana)
    told = search(SearchRequest(text="ZX4471", domains=("client_cases",)), ana)
    assert told["results"] and not told["confident"]
    assert search(SearchRequest(text=NONSENSE[0], domains=("client_cases",)), ana)["abstained"]


def test_a_leg_that_did_not_run_declines_nothing(leases, monkeypatch):
    def gone(*args):
        raise NotRun("the embedder is gone")

    monkeypatch.setattr(loaded, "active_embedder", gone)
    assert not ask("who repairs the heating", domains=("leases",))["abstained"]


def test_probabilities_lie_between_zero_and_one_and_grow_with_every_score():
    weights = Domain.objects.get(slug="us_constitution").thresholds.get(active=True).calibration
    low = logistic(features(Candidate(1, scores={"dense": 0.1})), weights)
    named = {"dense": 0.6, "alias": 3.0, "alias_near": 0.9, "alias_coverage": 1.0}
    high = logistic(features(Candidate(1, scores=named)), weights)
    assert 0 < low < 0.1 < 0.9 < high < 1


def test_a_final_ranking_passes():
    query = Query("a", "a", "a", "en", ())
    final = Ranking(query, (a_candidate(1, 0.0),), final=True)
    assert Gates()(final).candidates == final.candidates


# -- In a search


def a_draft(domain: Domain, **changed) -> DomainThreshold:
    row = domain.thresholds.get(active=True)
    same = {"answer_minimum": row.answer_minimum, "calibration": row.calibration}
    return DomainThreshold(domain=domain, **same | {"reason": "a test", **changed})


def ranked(text: str) -> Ranking:
    scopes, in_force = in_scope(Query("", "", "", "en", ()).caller, ["us_constitution"])
    return run(SearchRequest(text=text), Query("", "", "", "en", ()).caller, scopes, in_force)


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
        assert published.thresholds(-1)[domain.pk] == published.thresholds_of(draft)
    assert published.thresholds(-1)[domain.pk].answer_minimum < 0.9


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


@pytest.mark.parametrize(
    ("strategy", "all_words", "declines"),
    [("keyword", 1.0, False), ("keyword", 0.0, True), ("hybrid", 1.0, True)],
)
def test_some_words_that_a_text_of_unlearned_law_has_are_answered_by_it(strategy, all_words, declines):
    found = (Candidate(1, domain_id=1, scores={"dense": 0.1, "all_words": all_words}),)
    query = replace(read().query, strategy=strategy, thresholds={1: ANY_TEXT})
    verdict = as_any_text(Ranking(query), found)
    assert verdict.declines is declines and verdict.probability < ANY_TEXT.answer_minimum


OLD = 0


def row_of(domain: Domain, **fields) -> DomainThreshold:
    """The thresholds in force, after these fields of theirs were changed where they stand."""
    domain.thresholds.filter(active=True).update(**fields)
    return domain.thresholds.get(active=True)


def deploy(answer: float) -> None:
    """A reranker that gives every question this place on the scale."""
    odds = np.log(answer / (1 - answer))
    reranker = replace(some_reranker(), answers={"": [0.0] * len(EVIDENCE) + [odds]})
    registry.deploy(registry.save(Trained(pack(reranker, seed=0), {"family": "a test"})))


def asked() -> tuple[bool, str]:
    """Whether it was declined, and what the stage says."""
    answer = search(SearchRequest("who may search my house"), fresh=True)
    return answer["abstained"], next(s["note"] for s in answer["stages"] if s["name"] == "Abstain")


@pytest.mark.parametrize(("answer", "declined"), [(0.45, True), (0.55, False)])
def test_a_minimum_of_another_scale_does_not_hold_and_the_trace_says_so(domain, answer, declined):
    deploy(answer)
    row = row_of(domain, answer_minimum=0.9 if not declined else 0.065, answer_scale=OLD)
    found, note = asked()
    assert found is declined
    assert f"{row}: its answer minimum was chosen on another scale, {USUAL_MINIMUM} holds" in note


def test_a_minimum_of_this_scale_holds(domain):
    deploy(0.55)
    row_of(domain, answer_minimum=0.6)
    assert asked() == (True, "probability of an answer 0.550, below 0.600")
    row_of(domain, answer_minimum=0.5)
    assert asked() == (False, "")


def test_zero_never_abstains_on_any_scale(domain):
    deploy(0.01)
    row_of(domain, answer_minimum=0, answer_scale=OLD)
    assert asked() == (False, "")


def test_without_a_reranker_the_domains_own_calibration_is_what_it_was_chosen_on(domain):
    row_of(domain, answer_minimum=0.01, answer_scale=OLD)
    assert asked() == (False, "")
