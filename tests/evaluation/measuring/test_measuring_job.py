"""Runs and ablations measured as a job."""

import pytest

from evaluation.judging.assignment import newest_run
from evaluation.learning.retraining import Checkpoints
from evaluation.measuring import ablation, measuring_job, public_quality, quality
from evaluation.measuring.measuring_job import ABLATION, request
from evaluation.measuring.runs import report, run_topics
from evaluation.models import Run
from evaluation.topics.library import topics_of
from retrieval import jobs
from retrieval.models import Checkpoint, Domain, JobRun
from retrieval.pipeline import Pipeline
from tests.builders import a_document, a_domain, a_section, nothing_judged
from tests.evaluation.learning.conftest import topic

pytestmark = pytest.mark.django_db
CONSTITUTION = "us_constitution"


@pytest.fixture
def tested():
    """Three judged test topics, one that nobody judged and one to learn from."""
    nothing_judged()
    topic("speech", "what is free speech", split="test")
    topic("vote", "who may vote", split="test", grade=1)
    topic("cactus", "how do I repot a cactus", split="test", grade=None, answerable=False)
    topic("unjudged", "who may declare war", split="test", grade=None)
    topic("learned", "who becomes president", split="train")


def ran(**params) -> JobRun:
    *_, run = jobs.run_here(jobs.create(**request(CONSTITUTION, **params)))
    return run


def test_the_usual_pipeline_is_kept_as_a_run(tested):
    run = ran()
    kept = Run.objects.get()
    assert run.status == JobRun.Status.DONE and run.percent == 100
    assert (kept.pipeline, kept.topics) == ("default", "us_constitution/test")
    assert set(kept.measurements.values_list("topic", flat=True)) == {"speech", "vote", "cactus"}
    assert not Checkpoint.objects.exists()


def test_what_the_job_keeps_is_what_is_measured_at_once(tested):
    ran()
    topics = [each for each in topics_of(CONSTITUTION, "test") if each.id != "unjudged"]
    told = report(run_topics(topics, "default"), "default")
    summary = Run.objects.get().summary
    assert summary["measures"]["nDCG@10"]["mean"] == told.measures["nDCG@10"].mean
    assert (summary["topics"], summary["unanswerable"]) == (2, 1)


def test_with_several_bodies_of_law_it_is_measured_with_none_named_too(tested):
    a_section(a_document(a_domain(slug="leases"), title="Lease"), "Landlord repairs the roof.")
    ran()
    named, without = Run.objects.order_by("created_at")
    assert (named.topics, without.topics) == ("us_constitution/test", "us_constitution/test, no domain named")
    assert "corpus:leases" in without.versions and "corpus:leases" not in named.versions
    assert newest_run() == named
    assert [series.slices for series in quality.series()] == [["en", "right body first"], ["en"]]
    told = public_quality.figures()["correctness"]
    assert [one["everywhere"]["questions"] for one in told if one["domain"] == CONSTITUTION] == [2]


def test_steps_without_time_go_on_where_they_stopped(tested, monkeypatch):
    monkeypatch.setattr(measuring_job, "TOPICS", 1)
    monkeypatch.setattr(measuring_job, "time_for_more", lambda run: lambda: False)
    positions = [run.position for run in jobs.run_here(jobs.create(**request(CONSTITUTION)))]
    assert positions == [0, 1, 2, 3, 3]
    assert Run.objects.get().measurements.count() == 3


@pytest.mark.parametrize("brought", ["other stages", "other fields", "another name"])
def test_what_another_release_had_begun_is_begun_anew(tested, monkeypatch, brought):
    monkeypatch.setattr(measuring_job, "TOPICS", 1)
    monkeypatch.setattr(measuring_job, "time_for_more", lambda run: lambda: False)
    steps = jobs.run_here(jobs.create(**request(CONSTITUTION)))
    next(steps)
    begun = next(steps)
    (stored,) = Checkpoints(begun).in_order("results ")
    if brought == "other stages":
        monkeypatch.setattr(Pipeline, "__repr__", lambda self: "as another release has them")
    if brought == "other fields":
        begun.state["release"] = "that of a release whose topics had them"
        Checkpoints(begun).save_json("results 00000000", [{**stored, "gone": 1}])
    if brought == "another name":
        begun.state["pipelines"] = [["", "as_it_was_called"]]
    begun.save()
    *_, run = jobs.run_here(begun)
    assert run.status == JobRun.Status.DONE, run.error
    assert Run.objects.get().measurements.count() == 3


def test_an_ablation_keeps_every_step_beside_the_one_before(tested):
    ran(what=ABLATION)
    first, steps = ablation.latest()
    assert first.topics == "us_constitution, test"
    assert [step["label"] for step in steps] == [label for label, _name in ablation.runnable()]
    assert steps[0]["difference"] is None and steps[1]["difference"] is not None


def test_without_leave_no_language_model_is_asked(monkeypatch):
    monkeypatch.setattr(ablation.llm, "endpoint", lambda: object())
    asked = [label for label, _name in ablation.runnable()]
    unasked = [label for label, _name in ablation.runnable(ask=False)]
    assert set(asked) - set(unasked) == set(ablation.asking()) != set()


def test_without_judged_topics_the_job_fails_in_words():
    nothing_judged()
    run = ran()
    assert run.status == JobRun.Status.FAILED and "no judged test topic" in run.error


def test_a_second_job_waits_for_no_button(tested):
    jobs.create(**request(CONSTITUTION))
    with pytest.raises(jobs.AlreadyRunning):
        jobs.create(**request(CONSTITUTION, what=ABLATION))


def test_private_domains_are_not_offered(tested):
    topic("private", "what was agreed", split="test", domain=Domain.objects.get(slug="client_cases"))
    assert [domain.slug for domain in measuring_job.measurable()] == [CONSTITUTION]
