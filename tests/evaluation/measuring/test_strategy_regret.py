import json
from io import StringIO
from types import SimpleNamespace

import pytest
from django.core.management import call_command

from evaluation.measuring import strategy_regret
from evaluation.topics import library
from retrieval import pipeline
from rules.questions.strategy import CHOICES


def results(*values: float, ms: float):
    return [SimpleNamespace(values={"nDCG@10": value}, ms=ms) for value in values]


def test_regret_is_what_the_best_of_all_ways_has_more():
    runs = {"keyword": results(1.0, 0.0, ms=1.0), "hybrid": results(0.6, 0.9, ms=5.0)}
    found = strategy_regret.regret_of(runs, ["keyword", "hybrid"])
    assert (found.measure, found.regret, found.as_good, found.ms) == (0.95, 0.0, 1.0, 3.0)
    found = strategy_regret.regret_of(runs, ["hybrid", "hybrid"])
    assert found.regret == pytest.approx(0.2) and found.as_good == 0.5


def test_every_way_is_a_strategy_and_a_pipeline():
    assert set(strategy_regret.pipelines_of_strategies()) <= set(CHOICES)
    assert set(strategy_regret.pipelines_of_strategies().values()) <= set(pipeline.names())


@pytest.mark.django_db
def test_the_command_tells_of_every_way_and_of_what_is_served(monkeypatch):
    library.load()
    topics = library.topics_of("us_constitution", "tune")[::30]
    monkeypatch.setattr(library, "topics_of", lambda domain, split: topics)
    call_command("strategy_regret", stdout=(out := StringIO()))
    told = json.loads(out.getvalue())
    assert set(told["choices"]) == {*strategy_regret.pipelines_of_strategies(), "served", "each its own"}
    assert sum(told["strategies"].values()) == told["topics"]
    assert all(0 <= found["as_good"] <= 1 and found["regret"] >= 0 for found in told["choices"].values())
