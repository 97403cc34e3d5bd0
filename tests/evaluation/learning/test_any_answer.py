"""What tells whether any body of law answers is learned from topics put to all of them."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.learning.any_answer import fit, signs_of
from evaluation.measuring.runs import Runner
from evaluation.topics.topic import Topic
from retrieval.errors import ArfError
from retrieval.indexes import terms
from rules.thresholds.each_domain import FEATURES, FILE
from tests.builders import a_document, a_domain, a_section, embedded
from tests.evaluation.learning.conftest import TOPICS, some
from tests.rules.thresholds.test_each_domain import knowing_unanswerable

pytestmark = pytest.mark.django_db


@pytest.fixture
def two_bodies(reindex):
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
    assert signs_of(runner, Topic("t", "who may declare war")).shape == (len(FEATURES),)
    assert signs_of(runner, Topic("t", "U.S. Const. amend. IV")) is None


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


def test_the_command_tells_what_it_fitted_and_writes_only_when_asked_to(two_bodies, tmp_path):
    before, told = FILE.read_text(encoding="utf-8"), StringIO()
    call_command("train_any_answer", topics=a_file(tmp_path / "tune.jsonl", "tune", 20), stdout=told)
    assert '"likeness"' in told.getvalue() and "AUC" in told.getvalue()
    assert FILE.read_text(encoding="utf-8") == before
