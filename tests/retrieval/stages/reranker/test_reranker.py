"""The learned reranker in a search: whom it accepts, how it orders, and what it never does."""

from dataclasses import replace

import numpy as np
import pytest
from django.utils import timezone

from evaluation.learning import registry, retraining
from evaluation.learning.training import Trained
from retrieval import jobs
from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.statements import current_versions
from retrieval.engines.loaded import active_embedder
from retrieval.errors import NotRun
from retrieval.models import JobRun, RankerModel
from retrieval.ranking import Candidate, Query, Ranking, Thresholds
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, run, search
from retrieval.stages.reranker.artifact import BadArtifact, pack
from retrieval.stages.reranker.features import JudgedNeighbours
from retrieval.stages.reranker.reranker import LearnedReranker, serving, shadowing
from tests.rerankers import publish_limits, some_reranker


@pytest.fixture
def deployed(db) -> RankerModel:
    model = registry.save(Trained(pack(some_reranker(), seed=1), {"family": "a test"}))
    registry.deploy(model)
    return model


def ranked_by(pipeline: str) -> Ranking:
    scopes, in_force = in_scope(ANONYMOUS, ["us_constitution"])
    return run(SearchRequest("who may search my house", pipeline=pipeline), ANONYMOUS, scopes, in_force)


def scored_of(ranking: Ranking) -> list[Candidate]:
    return list(ranking.candidates[: LearnedReranker().depth])


def sections_of(ranking: Ranking) -> list[int]:
    return [candidate.section_id for candidate in ranking.candidates]


def test_the_domains_limits_tell_whom_the_reranker_accepts(deployed):
    given = [c.probability for c in scored_of(ranked_by("learned"))]
    row = publish_limits(mlp_low=float(np.quantile(given, 0.3)), mlp_high=float(np.quantile(given, 0.7)))
    ranking = ranked_by("learned")
    assert {c.zone for c in scored_of(ranking)} == {"accepted", "uncertain", "rejected"}
    for candidate in scored_of(ranking):
        assert (candidate.zone == "accepted") == (candidate.probability >= row.mlp_high)
        assert (candidate.zone == "rejected") == (candidate.probability <= row.mlp_low)
    report = next(report for report in ranking.reports if report.name == "ReadThresholds")
    assert report.note == f"us_constitution v{row.version}"


def test_nobody_is_dropped_whatever_the_limits(deployed):
    publish_limits(mlp_low=1.0, mlp_high=1.0)
    ranking = ranked_by("learned")
    assert {c.zone for c in scored_of(ranking)} == {"rejected"}
    assert sorted(sections_of(ranking)) == sorted(sections_of(ranked_by("gated")))


def test_the_domains_blend_orders(deployed):
    publish_limits(blend=0.0)
    assert sections_of(ranked_by("learned")) == sections_of(ranked_by("gated"))
    publish_limits(blend=1.0)
    learned = sections_of(ranked_by("learned"))
    assert learned != sections_of(ranked_by("gated"))
    publish_limits(blend=0.6)
    assert sections_of(ranked_by("learned")) not in (learned, sections_of(ranked_by("gated")))


def test_without_thresholds_the_usual_limits_hold(deployed):
    ranking = ranked_by("gated")
    ranking = replace(ranking, query=replace(ranking.query, thresholds={}))
    scored = scored_of(LearnedReranker()(ranking))
    assert [c.zone for c in scored] == [Thresholds().zone(c.probability) for c in scored]


@pytest.mark.django_db
def test_of_a_domain_of_which_it_learned_nothing_the_calibration_tells_how_probable_a_candidate_is(db):
    of_others = replace(some_reranker(), answers={"": some_reranker().answers[""]})
    registry.deploy(registry.save(Trained(pack(of_others, seed=1), {"family": "a test"})))
    ranking = ranked_by("gated")
    before = {c.section_id: c.probability for c in ranking.candidates}
    scored = scored_of(LearnedReranker()(ranking))
    assert [c.section_id for c in scored] != [c.section_id for c in ranking.candidates][: len(scored)]
    assert {c.section_id: c.probability for c in scored} == {c.section_id: before[c.section_id] for c in scored}


def test_what_people_answered_is_not_declined():
    request = SearchRequest(text="How do I bake a sourdough bread with rye?")
    assert search(request)["abstained"]
    vector = active_embedder().embedder.embed_query(request.text)
    judged = JudgedNeighbours(vector[None, :], ({"/us/const/amendment/I": 2},), {})
    artifact = pack(replace(some_reranker(), judged=judged), seed=0)
    registry.deploy(registry.save(Trained(artifact, {"family": "a test"})))
    answer = search(request)
    assert not answer["abstained"] and answer["results"][0]["locator"] == "/us/const/amendment/I"
    assert answer["results"][0]["probability"] >= 0.95


def test_what_people_judged_is_as_probable_in_a_domain_that_was_not_learned():
    vector = active_embedder().embedder.embed_query("who may search my house")
    judged = JudgedNeighbours(vector[None, :], ({"/us/const/amendment/IV": 3},), {})
    unlearned = replace(some_reranker(), judged=judged, answers={"": some_reranker().answers[""]})
    registry.deploy(registry.save(Trained(pack(unlearned, seed=0), {"family": "a test"})))
    first, *others = scored_of(ranked_by("learned"))
    assert first.locator == "/us/const/amendment/IV" and first.probability >= 0.95
    calibrated = {c.section_id: c.probability for c in ranked_by("gated").candidates}
    assert all(c.probability == calibrated[c.section_id] for c in others)


def test_without_a_calibration_its_own_probabilities_are_all_there_is():
    unlearned = replace(some_reranker(), answers={"": some_reranker().answers[""]})
    registry.deploy(registry.save(Trained(pack(unlearned, seed=0), {"family": "a test"})))
    ranking = ranked_by("gated")
    bare = [candidate.but(probability=None) for candidate in ranking.candidates]
    assert None not in {c.probability for c in scored_of(LearnedReranker()(ranking.with_candidates(bare)))}


pytestmark = pytest.mark.django_db


def registered(seed: int) -> RankerModel:
    return registry.save(Trained(pack(some_reranker(), seed=seed), {"family": "a test"}))


def query_now() -> Query:
    """A query at the versions in force."""
    query = Query(original="q", text="q", normalized="q", language="en", domains=())
    return replace(query, versions=current_versions())


def test_without_a_deployed_reranker_the_stage_does_not_run():
    with pytest.raises(NotRun, match="no reranker is deployed"):
        serving(query_now())


def test_after_a_training_that_failed_a_search_says_that_its_reranker_is_missing():
    def asked(pipeline: str) -> tuple[list[str], str]:
        answer = search(SearchRequest("who may search my house", pipeline=pipeline))
        note = next(line["note"] for line in answer["stages"] if line["name"] == "LearnedReranker")
        return answer["degraded"], note

    assert asked("default") == ([], "no reranker is deployed")
    JobRun.objects.create(kind="retrain", key="retrain", status="failed", finished_at=timezone.now())
    assert asked("learned") == (["LearnedReranker"], "no reranker is deployed: its training failed")
    registry.deploy(registered(1))
    assert asked("default")[0] == []


def test_whether_a_training_failed_is_asked_once_a_search(django_assert_num_queries):
    def refused(query: Query) -> None:
        with pytest.raises(NotRun):
            serving(query)

    refused(query_now())  # from now on it is known that none is deployed
    query = query_now()
    with django_assert_num_queries(1):
        refused(query)
        refused(query)


def test_the_next_query_after_a_deployment_is_served_by_the_new_one():
    first, second = registered(1), registered(2)
    registry.deploy(first)
    before = query_now()
    assert serving(before)[1] == first.sha256[:8]
    registry.deploy(second)
    assert serving(query_now())[1] == second.sha256[:8]
    assert serving(before)[1] == first.sha256[:8]


def test_a_reranker_is_read_once_for_each_version(django_assert_num_queries):
    registry.deploy(registered(1))
    query = query_now()
    serving(query)
    with django_assert_num_queries(0):
        serving(query)


def test_the_one_in_shadow_is_named_by_its_row():
    model = registered(1)
    registry.shadow(model)
    number, reranker = shadowing(query_now().versions["model"])
    assert number == model.pk and reranker.judged.prior == {"/a": 2}


def test_a_broken_one_in_shadow_scores_nothing_and_is_logged(caplog):
    model = registered(1)
    registry.shadow(model)
    RankerModel.objects.update(artifact=b"changed")
    assert shadowing(query_now().versions["model"]) is None
    assert "scores nothing" in caplog.text


def test_a_damaged_one_is_read_once_and_told_by_every_search(django_assert_num_queries):
    registry.deploy(registered(1))
    RankerModel.objects.update(artifact=b"changed")
    query = query_now()
    for queries in (1, 0):
        with django_assert_num_queries(queries), pytest.raises(BadArtifact):
            serving(query)


def test_an_answer_kept_from_before_a_training_failed_is_not_given_after_it():
    asked = SearchRequest("who may search my house")
    assert search(asked)["degraded"] == [] and search(asked)["cached"]
    run = jobs.create(**retraining.request())
    JobRun.objects.filter(pk=run.pk).update(status="failed", finished_at=timezone.now())
    retraining.Retrain().failed(JobRun.objects.get(pk=run.pk))
    answer = search(asked)
    assert (answer["degraded"], answer["cached"]) == (["LearnedReranker"], False)
