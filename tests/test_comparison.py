"""Runs are compared topic by topic, kept with their versions, and told apart from what nobody judged."""

import json
import random
from itertools import product

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from evaluation import registry
from evaluation.comparison import NothingToCompare, compare, randomisation_test
from evaluation.exchange import trec_run
from evaluation.library import load
from evaluation.measures import condense, judged_share, measure_topic
from evaluation.models import Run
from evaluation.models import Topic as TopicRow
from evaluation.runs import LLM_STAGE, cost_of, llm_use, report, run_topic, run_topics, store
from evaluation.topics import Topic, read_topics
from evaluation.training import Trained
from retrieval import pipeline, search
from retrieval.models import Domain
from retrieval.ranking import ANONYMOUS
from retrieval.reranking import pack
from tests.conftest import ROOT
from tests.test_reranking import some_reranker

TOPICS = ROOT / "evaluation/topics/us_constitution.jsonl"


def exact(differences):
    """The same test over all permutations."""
    signs = np.array(list(product((1, -1), repeat=len(differences))))
    return np.mean(np.abs(signs @ differences) >= abs(sum(differences)) - 1e-9)


def test_the_randomisation_test_agrees_with_all_permutations():
    chance = random.Random(5)
    for _ in range(5):
        differences = np.array([chance.choice((-0.2, 0.1, 0.3)) for _ in range(10)])
        assert randomisation_test(differences, np.zeros(10)) == pytest.approx(exact(differences), abs=0.02)


def test_the_same_run_is_not_different_from_itself():
    assert randomisation_test([0.2, 0.8], [0.2, 0.8]) == 1
    assert randomisation_test([], []) == 1


def test_a_test_of_no_difference_rejects_as_often_as_it_says():
    chance = np.random.default_rng(1)
    ps = [
        randomisation_test(chance.normal(size=30), chance.normal(size=30), permutations=400)
        for _ in range(300)
    ]
    assert 0.02 <= np.mean(np.array(ps) <= 0.05) <= 0.09


def test_a_clear_difference_is_found_and_is_the_same_both_ways():
    ours, theirs = [0.9] * 30, [0.4] * 30
    assert randomisation_test(ours, theirs) == randomisation_test(theirs, ours) < 0.001


def test_wins_and_losses_are_listed_by_their_size():
    told = compare(
        {"a": 0.9, "b": 0.5, "c": 0.1, "d": 0.4, "e": 1}, {"a": 0.8, "b": 0.1, "c": 0.6, "d": 0.4}, "m"
    )
    assert [pair.topic for pair in told.wins] == ["b", "a"]
    assert [pair.topic for pair in told.losses] == ["c"]
    assert (told.ties, told.topics, told.left_out) == (1, 4, 1)
    assert told.difference.mean == pytest.approx(told.ours - told.theirs)


def test_runs_without_a_common_topic_are_refused():
    with pytest.raises(NothingToCompare):
        compare({"a": 1}, {"b": 1}, "m")


RELEVANT, IRRELEVANT = {"/r/1": 3, "/r/2": 1}, {"/n"}


def test_what_nobody_judged_is_left_out_of_condensed_measures():
    shown = ["/u/1", "/n", "/u/2", "/r/1"]
    assert condense(shown, RELEVANT, IRRELEVANT) == ["/n", "/r/1"]
    assert measure_topic(shown, RELEVANT)["MRR@10"] == 0.25
    assert measure_topic(condense(shown, RELEVANT, IRRELEVANT), RELEVANT)["MRR@10"] == 0.5


@pytest.mark.parametrize(
    "shown, share", [(["/r/1", "/n", "/u/1", "/u/2"], 0.5), (["/u/1"], 0), ([], None), (["/r/1"] * 3, 1)]
)
def test_judged_at_ten_counts_what_was_shown(shown, share):
    assert judged_share(shown, RELEVANT, IRRELEVANT) == share


class LLMVerifier:
    """Says that it made calls, as the verifying stage does."""

    def __call__(self, ranking):
        return ranking.noting("two asked", llm_candidates=2, llm_calls=2, llm_cost=0.003)


@pytest.fixture
def verified(monkeypatch):
    stages = pipeline.get("fusion").stages
    monkeypatch.setattr(pipeline, "get", lambda name: pipeline.Pipeline(*stages, LLMVerifier()))


@pytest.mark.django_db
def test_calls_of_a_language_model_are_counted_and_priced(verified):
    assert LLMVerifier.__name__ == LLM_STAGE
    topic = Topic("t", "freedom of the press", relevant={"/us/const/amendment/I": 3})
    scopes = search.visible_domains(ANONYMOUS, ["us_constitution"])
    result = run_topic(topic, "fusion", ANONYMOUS, scopes, {})
    assert (result.llm_calls, result.pool, result.cost) == (2, 20, 0.003)
    assert llm_use([result]) == {"calls": 2, "queries": 1, "share": 0.1}
    assert cost_of([result])["per_1000"] == pytest.approx(3)


@pytest.mark.django_db
def test_a_run_is_kept_with_its_versions_and_every_topic(capsys):
    call_command("evaluate", str(TOPICS), split="tune", limit=12, json=True, name="first")
    told = json.loads(capsys.readouterr().out)
    run = Run.objects.get(pk=told["run"])
    assert (run.name, run.pipeline, run.topics) == (
        "first",
        "default",
        "us_constitution/tune, the first 12",
    )
    assert {"corpus:us_constitution", "embedder", "ranker"} <= run.versions.keys()
    assert run.measurements.count() == 12
    assert run.summary["measures"]["nDCG@10"]["mean"] == told["measures"]["nDCG@10"]["mean"]
    answerable = run.measurements.exclude(measures={})
    assert answerable.count() == told["topics"]
    assert {"nDCG@10", "condensed nDCG@10", "judged@10"} <= answerable.first().measures.keys()


@pytest.mark.django_db
def test_a_report_tells_which_questions_the_reranker_learned_from(capsys):
    load()
    first, *_ = read_topics(TOPICS, split="tune")
    domain = Domain.objects.get(slug=first.domain)
    TopicRow.objects.create(name="near", query=f"{first.query}!", domain=domain)
    manifest = {"family": "a test", "topics": ["near"]}
    registry.deploy(registry.save(Trained(pack(some_reranker(), seed=0), manifest)))
    for name, told in (("learned", True), ("pool", False)):
        call_command("evaluate", str(TOPICS), split="tune", limit=3, pipeline=name, no_store=True)
        assert ("learned from 1 of these questions" in capsys.readouterr().out) is told


@pytest.mark.django_db
def test_topics_of_the_database_measure_like_their_file(capsys):
    load()
    kept = {topic.id: topic for topic in read_topics(TOPICS, split="tune")}
    call_command(
        "evaluate", topics_from_db="us_constitution", split="tune", json=True, no_store=True, limit=10
    )
    told = json.loads(capsys.readouterr().out)
    first = [kept[name] for name in sorted(kept)[:10]]
    measured = report(run_topics(first, "default"), "default")
    assert told["run"] is None and not Run.objects.exists()
    assert told["measures"]["nDCG@10"]["mean"] == measured.measures["nDCG@10"].mean


@pytest.mark.django_db
def test_no_topics_are_refused():
    with pytest.raises(CommandError, match="no topics in us_code/test"):
        call_command("evaluate", topics_from_db="us_code", split="test")


@pytest.mark.django_db
def test_another_systems_run_is_measured_on_our_topics(tmp_path, capsys):
    topics = [topic for topic in read_topics(TOPICS, split="tune")[:20] if topic.answerable]
    best = {topic.id: sorted(topic.relevant, key=lambda at: -topic.relevant[at]) for topic in topics[1:]}
    (tmp_path / "theirs.txt").write_text(trec_run(best, tag="theirs"))
    call_command("evaluate", str(TOPICS), split="tune", limit=20, trec_run=tmp_path / "theirs.txt", json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["measures"]["nDCG@10"]["mean"] == pytest.approx(1 - 1 / len(topics))
    assert (told["declined_answerable"], told["judged_at_10"]["mean"]) == (1, 1)
    assert Run.objects.get(pk=told["run"]).pipeline == "theirs"


@pytest.fixture
def runs(db):
    """Two runs over three topics, of which the newer found one thing more."""
    topics = [Topic(name, name, relevant={"/a": 3}) for name in ("t1", "t2", "t3")]
    return [kept(topics, found) for found in ({"t1"}, {"t1", "t2"})]


def kept(topics, found):
    from evaluation.runs import TopicResult

    results = [
        TopicResult(topic, ("/a",) if topic.id in found else ("/b",), False, 1.0, None, ())
        for topic in topics
    ]
    return store(results, report(results, "fusion"), topics="three", in_force={"rules": len(found)})


def test_two_runs_are_compared_by_id_or_by_age(runs, capsys):
    older, newer = runs
    call_command("compare_runs", str(newer.pk), str(older.pk)[:13], json=True)
    told = json.loads(capsys.readouterr().out)
    assert [pair["topic"] for pair in told["wins"]] == ["t2"] and told["losses"] == []
    assert told["versions"] == {"rules": [2, 1]}
    call_command("compare_runs", "last", "previous")
    told = capsys.readouterr().out
    assert "1 won, 0 lost, 2 even" in told and "p50 1.0, p95 1.0, p99 1.0 ms; LLM share 0.0%" in told


def test_before_any_run_there_is_no_last_one(db):
    with pytest.raises(CommandError, match="There is no last run"):
        call_command("compare_runs", "last", "previous")


@pytest.mark.parametrize(
    "name, message", [("beef1234", "no run that begins"), ("ab", "at least 4"), ("x" * 40, "no run")]
)
def test_unknown_runs_are_named(runs, name, message):
    with pytest.raises(CommandError, match=message):
        call_command("compare_runs", "last", name)
