"""What each part is worth: steps in order, stored, compared with the step before, and a loser named."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluation.measuring import ablation
from evaluation.measuring.ablation import Step
from evaluation.measuring.measures import Estimate
from evaluation.models import Run
from evaluation.topics import library
from retrieval import pipeline
from retrieval.engines.llm import refusals
from retrieval.engines.llm import service as llm
from retrieval.errors import ArfError
from retrieval.models import LLMCall, LLMPolicy, LLMVerdict
from tests.llm_server import FAILING


@pytest.fixture
def topics(db):
    return library.topics_of("us_constitution", "test")[::80]


@pytest.fixture
def few(topics, monkeypatch):
    monkeypatch.setattr(library, "topics_of", lambda domain, split: topics)
    return topics


def test_every_step_is_a_pipeline_that_exists():
    labels = [label for label, _ in ablation.steps()]
    assert labels[:3] == ["dense", "+ words", "+ what others call it"]
    assert {name for _, name in ablation.steps()} <= set(pipeline.names())


def test_each_leg_that_the_default_has_is_added_by_a_step_of_its_own():
    legs = [fused_in(pipeline.get(name)) for _, name in ablation.steps()]
    added = [{type(leg).__name__ for leg in now - before} for before, now in zip(legs, legs[1:], strict=False)]
    assert added[:4] == [{"LexicalRetriever"}, {"LexicalRetriever"}, {"LexicalRetriever"}, {"CitationRetriever"}]
    assert added[4:6] == [{"ActRetriever"}, {"PrivateLexicalRetriever"}]
    assert added[6:9] == [{"AliasRetriever"}, {"NearestAliasRetriever"}, {"LexicalAliasRetriever"}]
    assert not any(added[9:])


def fused_in(line) -> set:
    return set(next(leg for stage in line.stages if (leg := legs_of(stage))))


def legs_of(stage) -> tuple:
    return getattr(stage, "legs", ()) or next((legs for s in getattr(stage, "stages", ()) if (legs := legs_of(s))), ())


def test_the_command_stores_each_step_beside_the_one_before(few, tmp_path, monkeypatch):
    monkeypatch.setattr(ablation, "MOST_LOST", 1.0)  # so few topics tell nothing
    out, picture = StringIO(), tmp_path / "ablation.svg"
    call_command("ablate", "--json", "--svg", str(picture), stdout=out, stderr=(said := StringIO()))
    assert said.getvalue() == "+ LLM did not run: no language model is configured (ARF_LLM_MODEL).\n"
    told = json.loads(out.getvalue())
    assert [step["label"] for step in told] == [label for label, _ in ablation.steps()][:-1]
    assert told[0]["difference"] is None and told[1]["difference"]["low"] <= told[1]["difference"]["high"]
    assert set(told[0]["measures"]) == {"MRR@10", "P@1", "P@5", "R@5", "nDCG@5", "nDCG@10"}
    assert all({"p50", "p95"} <= step["ms"].keys() for step in told)
    assert picture.read_text().startswith("<svg")
    run, stored = ablation.latest()
    assert run.name == "ablation dense"
    assert [step["label"] for step in stored] == [step["label"] for step in told]
    assert Run.objects.filter(name__startswith="ablation ").count() == len(told)


def test_a_language_models_part_is_measured_with_its_share_and_cost(unsure, few, monkeypatch):
    LLMPolicy.objects.create(price_in=1, price_out=1)
    monkeypatch.setattr(ablation, "steps", lambda: [("+ MLP", "learned"), ("+ LLM", "learned_verified")])
    first, second = (ablation.ablate(few, topic_set="few")[1] for _ in range(2))
    paid = sum(LLMCall.objects.values_list("cost", flat=True))
    assert first.report.llm["calls"] == len(unsure.asked) == LLMCall.objects.count() > 0
    assert first.report.cost["total"] == pytest.approx(float(paid))
    assert first.report.llm["share"] == second.report.llm["share"] == pytest.approx(3 / 20, abs=0.03)
    assert (second.report.llm["calls"], second.report.cost["total"]) == (0, 0.0)  # remembered
    assert not LLMCall.objects.filter(log__isnull=False).exists()


def test_a_language_model_that_fails_is_told_and_costs_no_quality(unsure, few, monkeypatch, capsys):
    unsure.behaviour = FAILING["refusing"]
    monkeypatch.setattr(ablation, "steps", lambda: [("+ MLP", "learned"), ("+ LLM", "learned_verified")])
    call_command("ablate")
    told = capsys.readouterr().out
    assert f"+ LLM: LLMVerifier did not answer in {len(few)} topics" in told
    _run, [_, step] = ablation.latest()
    assert step["difference"]["mean"] == 0.0


@pytest.mark.real_llm
def test_the_part_of_a_real_language_model_is_measured(unsure, real_llm, settings, few, monkeypatch):
    """However bad its verdicts are: each question was put to it, and what it said is kept."""
    settings.ARF_LLM = {"base_url": real_llm, "api_key": "", "model": "SmolLM2-135M", "timeout": 300.0}
    monkeypatch.setattr(ablation, "steps", lambda: [("+ MLP", "learned"), ("+ LLM", "learned_verified")])
    monkeypatch.setattr(ablation, "MOST_LOST", 1.0)
    refusals.remember(llm.endpoint(), {"json_schema"})
    [_learned, step] = ablation.ablate(few[:3], topic_set="three")
    assert step.report.llm["calls"] == LLMCall.objects.count() == 9
    assert LLMVerdict.objects.count() == LLMCall.objects.filter(outcome="answered").count() > 0


def test_a_stage_that_loses_fails_the_command_by_its_name(few, monkeypatch):
    monkeypatch.setattr(ablation, "steps", lambda: [("all", "default"), ("words alone", "lexical")])
    with pytest.raises(CommandError, match="words alone"):
        call_command("ablate", stdout=(out := StringIO()))
    assert "words alone" in out.getvalue()


def test_one_that_is_stopped_keeps_nothing(few, monkeypatch):
    monkeypatch.setattr(ablation, "steps", lambda: [("all", "default"), ("other", "no such pipeline")])
    with pytest.raises(ArfError):
        ablation.ablate(few[:2], topic_set="few")
    assert ablation.latest() == (None, [])


def test_a_part_of_the_topics_is_called_so(few, monkeypatch):
    monkeypatch.setattr(ablation, "steps", lambda: [("all", "default")])
    call_command("ablate", "--limit", "2", stdout=StringIO())
    assert ablation.latest()[0].topics == "us_constitution, test, the first 2"


@pytest.mark.parametrize(("mean", "loses"), [(-0.02, True), (-0.01, False), (0.1, False)])
def test_a_loss_of_more_than_a_hundredth_is_one(mean, loses):
    assert Step("x", None, Estimate(mean, mean, mean)).loses is loses
    assert not Step("x", None, None).loses


@pytest.mark.parametrize(("low", "loses"), [(0.001, False), (0.0, True), (-0.01, True)])
def test_what_finds_more_than_before_beyond_chance_is_no_loss(low, loses):
    lower = Estimate(-0.06, -0.1, -0.02)
    assert Step("x", None, lower, Estimate(0.02, low, 0.04)).loses is loses
    assert Step("x", None, lower, Estimate(0.02, low, 0.04)).is_lower


def test_without_topics_the_command_says_so(db):
    with pytest.raises(CommandError, match="no test topics"):
        call_command("ablate", "--domain", "us_code")


# -- Plots
