"""Measures agree with the contract's own tool; commands run on real topics; the calibration is what it says."""

import importlib.util
import json
import random

import pytest
from django.core.management import CommandError, call_command

from evaluation.calibration import FEWEST, fit, judged_first_pages
from evaluation.measures import credit, credited, estimate, measure_each, measure_topic, paired_difference
from evaluation.runs import report, run_topics
from evaluation.topics import BadTopics, read_topics
from retrieval.errors import ArfError
from retrieval.models import Domain, SearchLog
from tests.conftest import MEASURING_DATA, ROOT

TOPICS = ROOT / "evaluation/topics/us_constitution.jsonl"
LOCATORS = [
    "/us/const/amendment/XIV", "/us/const/amendment/XIV/section/1", "/us/const/amendment/I", "/us/const/article/I",
    "/us/const/article/I/section/8", "/us/const/article/I/section/8/clause/3", "/us/const/preamble",
]  # fmt: skip


@pytest.fixture(scope="module")
def contract_tool():
    """The tool by which others measure a running server."""
    path = MEASURING_DATA.parent / "tools/evaluate_api.py"
    if not path.exists():
        pytest.skip("the measuring data is not beside the checkout")
    spec = importlib.util.spec_from_file_location("evaluate_api", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.measuring_data
def test_measures_agree_with_the_contracts_tool_on_random_rankings(contract_tool):
    chance = random.Random(7)
    for _ in range(300):
        relevant = {x: chance.randint(1, 3) for x in chance.sample(LOCATORS, chance.randint(1, 3))}
        ranking = chance.sample(LOCATORS, chance.randint(0, 7))
        theirs, ours = contract_tool.measure(ranking, relevant), measure_topic(ranking, relevant)
        assert ours["nDCG@10"] == pytest.approx(theirs["ndcg@10"], abs=1e-9)
        assert ours["MRR@10"] == pytest.approx(theirs["mrr@10"])
        assert ours["P@1"] == pytest.approx(theirs["p@1"])


@pytest.mark.parametrize(
    ("locator", "relevant", "counts_for"),
    [
        ("/us/usc/t8/s1158/a", {"/us/usc/t8/s1158": 2}, "/us/usc/t8/s1158"),
        (
            "/us/const/amendment/XIV",
            {"/us/const/amendment/XIV/section/1": 2},
            "/us/const/amendment/XIV/section/1",
        ),
        ("/us/const/article/I", {"/us/const/article/I/section/1": 2}, None),
        ("/us/const/amendment/I", {"/us/const/amendment/II": 1}, None),
    ],
)
def test_a_result_counts_for_what_it_shows(locator, relevant, counts_for):
    assert credited(locator, relevant) == counts_for


def test_measuring_topics_together_gives_what_each_has_alone():
    chance = random.Random(8)
    topics = [
        (
            chance.sample(LOCATORS, chance.randint(0, 7)),
            {x: chance.randint(1, 3) for x in chance.sample(LOCATORS, chance.randint(0, 3))},
        )
        for _ in range(100)
    ]
    assert measure_each(topics) == [measure_topic(*topic) for topic in topics]
    assert measure_each([([], {"/a": 1})], ["P@1"]) == [{"P@1": 0.0}]


def test_showing_a_provision_twice_neither_helps_nor_hurts():
    relevant = {"/us/const/amendment/XIV/section/1": 2}
    shown = ["/us/const/amendment/XIV", "/us/const/amendment/XIV/section/1", "/us/const/amendment/I"]
    assert credit(shown, relevant) == ["/us/const/amendment/XIV/section/1", "/us/const/amendment/I"]


def test_an_interval_holds_its_mean_and_is_repeatable():
    values = [0.0, 1.0] * 50
    first, second = estimate(values), estimate(values)
    assert first == second
    assert first.low < first.mean == 0.5 < first.high
    assert paired_difference(values, values).mean == 0


def test_a_broken_topics_file_names_its_line(tmp_path):
    path = tmp_path / "topics.jsonl"
    path.write_text('{"id": 1, "query": "a"}\nnot json\n')
    with pytest.raises(BadTopics, match="line 2"):
        read_topics(path)


@pytest.mark.django_db
def test_evaluating_leaves_no_log_and_measures_every_topic(capsys):
    call_command("evaluate", str(TOPICS), split="tune", limit=20, json=True)
    result = json.loads(capsys.readouterr().out)
    assert result["topics"] + result["unanswerable"] == 20
    assert 0 < result["measures"]["nDCG@10"]["mean"] <= 1
    assert result["stages"].startswith("Pipeline(ResolveCitations()")
    assert not SearchLog.objects.exists()


@pytest.mark.django_db
def test_the_default_pipeline_beats_plain_fusion_on_the_tune_split():
    topics = [topic for topic in read_topics(TOPICS, split="tune") if topic.answerable]
    ndcg = {
        name: report(run_topics(topics, name), name).measures["nDCG@10"].mean
        for name in ("default", "fusion")
    }
    assert ndcg["default"] > ndcg["fusion"]


@pytest.mark.django_db
def test_at_least_half_of_what_the_corpus_cannot_answer_is_declined_and_few_others():
    results = run_topics(read_topics(TOPICS, split="test"), "default")
    told = report(results, "default")
    other_law = [r for r in results if r.topic.kind == "other_law"]
    assert told.unanswerable >= 60 and len(other_law) >= 30
    assert told.declined_unanswerable >= told.unanswerable / 2
    assert told.declined_answerable <= 0.05 * told.topics


@pytest.mark.django_db
@pytest.mark.measuring_data
def test_the_supreme_courts_questions_find_their_provisions(measuring_data):
    topics = read_topics(measuring_data / "topics/scotus_before_2003.jsonl")[::4]
    told = report(run_topics(topics, "default"), "default")
    assert told.measures["nDCG@10"].mean >= 0.72
    assert told.measures["R@10"].mean >= 0.80
    assert told.declined_answerable <= 0.03 * told.topics


@pytest.mark.django_db
@pytest.mark.measuring_data
@pytest.mark.slow
def test_a_beir_set_is_measured_and_leaves_nothing_behind(measuring_data, capsys):
    call_command("evaluate", beir=measuring_data / "beir/cranfield", json=True)
    result = json.loads(capsys.readouterr().out)
    assert result["topics"] == 225
    assert result["measures"]["nDCG@10"]["mean"] >= 0.43
    assert not Domain.objects.filter(slug__startswith="beir").exists()


@pytest.mark.django_db
def test_a_calibration_declines_no_more_than_it_was_allowed():
    fitted = fit(judged_first_pages(read_topics(TOPICS, split="tune"), "gated"), most_declined=0.05)
    assert fitted.declined_answerable <= 0.05 + 1 / fitted.topics
    assert fitted.declined_unanswerable > fitted.declined_answerable
    assert all(weight >= 0 for name, weight in fitted.weights.items() if "intercept" not in name)


def test_too_few_topics_are_refused_for_a_calibration():
    with pytest.raises(ArfError, match=f"{FEWEST} are needed"):
        fit([], most_declined=0.05)


@pytest.mark.django_db
def test_commands_refuse_what_they_cannot_read(tmp_path):
    with pytest.raises(CommandError, match="Name either"):
        call_command("evaluate")
    with pytest.raises(CommandError, match="No such file"):
        call_command("evaluate", str(tmp_path / "absent.jsonl"))


def test_a_topic_of_the_test_split_never_reaches_the_calibration():
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("calibrate", "us_constitution", str(TOPICS), "--split", "test")
