"""The rerankers in force: read once for each version of the models, and missing without harm."""

from dataclasses import replace

import pytest

from evaluation.learning import registry
from evaluation.learning.training import Trained
from retrieval.corpus.versions import current
from retrieval.errors import NotRun
from retrieval.models import RankerModel
from retrieval.ranking import Query
from retrieval.stages.reranker.artifact import pack
from retrieval.stages.reranker.serving import serving, shadowing
from tests.rerankers import some_reranker

pytestmark = pytest.mark.django_db


def registered(seed: int) -> RankerModel:
    return registry.save(Trained(pack(some_reranker(), seed=seed), {"family": "a test"}))


def query_now() -> Query:
    """A query at the versions in force."""
    query = Query(original="q", text="q", normalized="q", language="en", domains=())
    return replace(query, versions=current(()))


def test_without_a_deployed_reranker_the_stage_does_not_run():
    with pytest.raises(NotRun, match="no reranker is deployed"):
        serving(query_now())


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
