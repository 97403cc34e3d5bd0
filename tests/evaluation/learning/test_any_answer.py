"""What tells whether any body of law answers is learned from topics put to all of them."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.learning import any_answer, registry
from evaluation.learning.any_answer import fit, pair_of, placed, signs_of, to_fit_on
from evaluation.learning.retraining import Checkpoints
from evaluation.measuring.runs import Runner
from evaluation.topics.topic import Topic
from retrieval import jobs
from retrieval.errors import ArfError
from retrieval.indexes import terms
from retrieval.models import Domain, JobRun, RankerModel
from rules.logistic import shipped
from rules.thresholds.each_domain import FEATURES, FILE, any_answers
from tests.builders import a_document, a_domain, a_section, embedded
from tests.evaluation.learning.conftest import TOPICS, some, topic
from tests.rules.thresholds.test_each_domain import knowing_unanswerable

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def told() -> dict:
    """What tells of a question, by the reranker and the question."""
    return {}


@pytest.fixture
def two_bodies(reindex, told, monkeypatch):
    """Every test has the same law: each question is put to it once for all tests with the same reranker."""

    def told_once(ranking):
        key = registry.active().sha256, ranking and ranking.query.original
        if key not in told:
            told[key] = signs_of(ranking)
        return told[key]

    monkeypatch.setattr(any_answer, "signs_of", told_once)
    document = a_document(a_domain(slug="leases"), title="Lease")
    embedded(a_section(document, "Landlord repairs the roof, the pipes and the heating of the apartment."))
    terms.count_again()
    reindex()
    knowing_unanswerable("best recipe for apple pie", "how do I reset my phone")


def test_weights_are_fitted_and_few_of_the_answerable_lie_below_the_minimum(two_bodies):
    fitted = fit(some("tune", 40))
    assert set(fitted.row["weights"]) == set(FEATURES) and 0 < fitted.row["minimum"] < 1
    assert fitted.right_below <= 0.1 and 0.5 < fitted.auc <= 1


def test_a_question_tells_nothing_where_one_body_is_loaded_or_a_citation_answers(two_bodies):
    runner = Runner("once")
    assert signs_of(placed(runner, Topic("t", "who may declare war"))).shape == (len(FEATURES),)
    assert signs_of(placed(runner, Topic("t", "U.S. Const. amend. IV"))) is None


def test_a_pair_is_of_public_bodies_and_of_what_one_answers(two_bodies):
    ranking = placed(Runner("once"), Topic("t", "who repairs the roof"))
    asked = Topic("t", "who repairs the roof", domain="leases")
    assert pair_of(asked, ranking) == ("leases", "leases")
    for other in (replace(asked, answerable=False), replace(asked, domain="client_cases")):
        assert pair_of(other, ranking) is None
    assert pair_of(asked, None) is None


@pytest.mark.parametrize("topics", [[], some("tune", 5)])
def test_nothing_is_fitted_where_nothing_is_told(topics):
    with pytest.raises(ArfError, match="several bodies of law with a reranker"):
        fit(topics)


def a_file(path: Path, split: str, count: int) -> Path:
    rows = {json.loads(line)["id"]: line for line in TOPICS.read_text(encoding="utf-8").splitlines()}
    path.write_text("\n".join(rows[topic.id] for topic in some(split, count)), encoding="utf-8")
    return path


def test_the_command_learns_from_no_test_topic(two_bodies, tmp_path):
    with pytest.raises(CommandError, match="Both answerable topics and others"):
        call_command("train_any_answer", topics=a_file(tmp_path / "test.jsonl", "test", 20))


def test_a_question_of_a_test_topic_is_not_learned_whatever_split_a_file_gives_it(two_bodies, tmp_path):
    path = a_file(tmp_path / "test.jsonl", "test", 20)
    path.write_text(path.read_text(encoding="utf-8").replace('"test"', '"tune"'), encoding="utf-8")
    with pytest.raises(CommandError, match="Both answerable topics and others"):
        call_command("train_any_answer", topics=path)


def test_what_a_file_tests_on_is_not_learned_in_nearly_the_same_words_or_as_a_paraphrase(library):
    tested = Topic("t", "May a kite be flown over an aerodrome?", split="test", group="kites")
    near = Topic("n", "May a kite be flown over the aerodrome", split="tune")
    paraphrase = Topic("p", "toys in the air near runways", split="tune", group="kites")
    other = Topic("o", "who may fell an oak", split="tune")
    assert to_fit_on([tested, near, paraphrase, other]) == [other]


def test_what_one_body_leaves_open_and_another_answers_is_learned_as_answered():
    answered = Topic("a", "Who may fell an oak?", split="tune")
    elsewhere = Topic("b", "who may fell an oak?", split="tune", domain="us_code", answerable=False)
    nowhere = Topic("c", "best recipe for apple pie", split="tune", answerable=False)
    assert to_fit_on([elsewhere, answered, nowhere]) == [answered, nowhere]


def test_the_command_tells_what_it_fitted_and_writes_only_when_asked_to(two_bodies, tmp_path):
    before, told = FILE.read_text(encoding="utf-8"), StringIO()
    call_command("train_any_answer", topics=a_file(tmp_path / "tune.jsonl", "tune", 20), stdout=told)
    assert '"likeness"' in told.getvalue() and "AUC" in told.getvalue()
    assert FILE.read_text(encoding="utf-8") == before


@pytest.fixture
def fitting(two_bodies, monkeypatch):
    """The job, on forty tune topics."""
    monkeypatch.setattr(any_answer, "FEWEST", 5)
    monkeypatch.setattr(any_answer, "library_topics", lambda split: some(split, 40))

    def ran() -> JobRun:
        *_, run = jobs.run_here(jobs.create("any_answer", key="any_answer"))
        return run

    return ran


def test_the_job_fits_what_serves_beside_the_reranker_where_it_is_better(fitting, monkeypatch):
    monkeypatch.setattr(any_answer, "area", lambda *told: 0.0)
    run = fitting()
    assert run.status == JobRun.Status.DONE and run.message.startswith("Serves: AUC ")
    counts = registry.active().manifest["confusion"]["counts"]
    assert set(counts) == {"us_constitution"} and counts["us_constitution"]["us_constitution"] > 20
    assert sum(counts["us_constitution"].values()) <= 30  # whose answer is a citation is put to none
    row = registry.active().any_answer
    query = Runner("once").query("who may declare war", (), "en")
    serving = any_answers(query)
    assert serving.minimum == row["minimum"] != shipped(FILE, FEATURES).minimum
    assert serving.weights.tolist() == [row["weights"][name] for name in FEATURES]


def test_weights_of_other_features_do_not_serve(two_bodies):
    RankerModel.objects.update(any_answer={"minimum": 0.9, "intercept": 0.0, "weights": {"length": 1.0}})
    assert any_answers(Runner("once").query("who may declare war", (), "en")) == shipped(FILE, FEATURES)


def test_what_ships_serves_where_it_tells_better_or_topics_are_few(fitting, monkeypatch):
    monkeypatch.setattr(any_answer, "FEWEST", 100)
    message = fitting().message  # six of the thirty are curated names, which are answered whatever this tells
    assert message.startswith("What ships serves: 24 questions with an answer and 8 without one")
    assert registry.active().any_answer is None
    monkeypatch.setattr(any_answer, "FEWEST", 5)
    monkeypatch.setattr(any_answer, "area", lambda *told: 1.0)
    assert fitting().message.startswith("What ships serves: AUC ")
    row, ships = registry.active().any_answer, shipped(FILE, FEATURES)
    assert row["weights"] == dict(zip(FEATURES, ships.weights, strict=True))
    assert ships.minimum != row["minimum"] <= row["sure"]  # of the reranker and the law that are here


def test_what_was_fitted_before_serves_no_more_where_the_job_says_that_what_ships_does(fitting, monkeypatch):
    monkeypatch.setattr(any_answer, "area", lambda *told: 0.0)
    assert fitting().message.startswith("Serves: ")
    monkeypatch.setattr(any_answer, "FEWEST", 100)
    assert fitting().message.startswith("What ships serves: ")
    assert registry.active().any_answer is None


def test_the_job_goes_on_where_it_stopped_and_begins_again_for_another_reranker(fitting, monkeypatch):
    monkeypatch.setattr(any_answer, "time_for_more", lambda run: lambda: False)
    steps = jobs.run_here(jobs.create("any_answer", key="any_answer"))
    positions = [next(steps).position for _ in range(5)]
    assert positions == [0, 10, 20, 30, 40]
    knowing_unanswerable("how tall is the tower of Pisa")
    monkeypatch.setattr(any_answer, "library_topics", lambda split: some(split, 20))  # fewer topics are left, too
    assert next(steps).position == 0
    *_, run = steps
    assert run.status == JobRun.Status.DONE and run.position == 20


def test_only_topics_of_public_law_whose_answer_is_known_though_not_to_the_reranker_are_learned_from_and_kept(library):
    knowing_unanswerable("best recipe for apple pie")
    topic("judged", "who may declare war", split="tune")
    topic("learned", "who may grant pardons", split="tune")
    RankerModel.objects.update(manifest={"topics": ["learned"]})
    topic("unjudged", "what is a bill of attainder", grade=None, split="tune")
    topic("private", "who paid for the roof", split="tune", domain=Domain.objects.get(slug="client_cases"))
    run = next(jobs.run_here(jobs.create("any_answer", key="any_answer")))
    assert [each.id for each in Checkpoints(run).topics()] == ["judged"]


def test_without_a_reranker_there_is_nothing_to_fit():
    *_, run = jobs.run_here(jobs.create("any_answer", key="any_answer"))
    assert run.message.startswith("Nothing to fit")


def test_with_one_body_of_law_there_is_nothing_to_fit(monkeypatch):
    knowing_unanswerable("best recipe for apple pie")
    monkeypatch.setattr(any_answer, "library_topics", lambda split: some(split, 10))
    *_, run = jobs.run_here(jobs.create("any_answer", key="any_answer"))
    assert run.message == "Nothing to fit: no question is put to several bodies of law."
