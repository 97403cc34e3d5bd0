"""Topics are run as searches are, without log or cache."""

import json

import pytest
from django.core.management import call_command
from django.db.models import F

from evaluation.measuring.runner import Runner
from evaluation.topics.topic import Topic
from retrieval.models import Domain, SearchLog
from tests.conftest import ROOT

TOPICS = ROOT / "evaluation/topics/data/us_constitution.jsonl"


@pytest.mark.django_db
def test_evaluating_leaves_no_log_and_measures_every_topic(capsys):
    call_command("evaluate", str(TOPICS), split="tune", limit=20, json=True)
    result = json.loads(capsys.readouterr().out)
    assert result["topics"] + result["unanswerable"] == 20
    assert 0 < result["measures"]["nDCG@10"]["mean"] <= 1
    assert result["stages"].startswith("Pipeline(Normalize(), ResolveCitations(), ")
    assert not SearchLog.objects.exists()


@pytest.mark.django_db
def test_english_is_detected_and_spanish_stated():
    runner = Runner("lexical")
    asked = Topic("t", "¿quién puede declarar la guerra a otro país?", language="en")
    assert runner.topic(asked).query.language == "es"
    assert runner.topic(Topic("t", "habeas corpus", language="es")).query.language == "es"


@pytest.mark.django_db
def test_all_topics_of_a_run_see_the_versions_that_were_in_force_when_it_began():
    runner = Runner("lexical")
    topics = [Topic(str(n), "freedom of the press") for n in range(2)]
    rankings = []
    for _topic, ranking, ms in runner.topics(topics):
        assert ms > 0
        Domain.objects.filter(slug="us_constitution").update(corpus_version=F("corpus_version") + 1)
        rankings.append(ranking)
    assert rankings[0].query.versions == rankings[1].query.versions
