"""What django-q runs by name exists, and says what it did."""

from datetime import timedelta

import pytest
from django.utils import timezone

from evaluation import tasks
from evaluation.learning import registry, retraining
from evaluation.learning.training import Trained
from evaluation.models import RetrainingRun, RulePreview
from evaluation.rule_impact import hidden_text, previews
from retrieval import jobs
from retrieval.models import Domain, JobRun, RankerModel
from retrieval.stages.reranker.artifact import pack
from tests.builders import a_document, a_domain, a_section
from tests.rerankers import some_reranker

pytestmark = pytest.mark.django_db
FALSE_ALARM = "/us/usc/t14/s88"  # controls one shipped topic, alone


def test_where_nobody_said_anything_nothing_is_learned():
    assert tasks.learn_from_readers() == {"clicks": 0, "topics": 0, "verdicts": 0}


def test_the_look_for_hidden_text_is_a_job_and_given_by_its_number():
    assert JobRun.objects.filter(pk=hidden_text.find_hidden()).exists()


def test_previews_are_kept_for_some_days():
    for age in (timedelta(), previews.KEPT + timedelta(hours=1)):
        RulePreview.objects.create(
            number=1, principal="user:1", rules_version=1, created_at=timezone.now() - age
        )
    assert previews.prune() == 1
    assert RulePreview.objects.count() == 1


def test_shipped_topics_of_law_that_came_are_loaded_and_learned_once():
    assert tasks.ask_of_new_law() == ""
    a_section(a_document(Domain.objects.get(slug="us_code")), locator=FALSE_ALARM)
    busy = JobRun.objects.create(kind="ingest", key="corpus", status=JobRun.Status.RUNNING)
    assert tasks.ask_of_new_law() == ""
    JobRun.objects.filter(pk=busy.pk).update(status=JobRun.Status.DONE)
    assert "1 topics are of new law" in tasks.ask_of_new_law()
    assert JobRun.objects.unfinished().filter(kind="retrain").count() == 1
    JobRun.objects.filter(kind="retrain").update(status=JobRun.Status.DONE)
    assert tasks.ask_of_new_law() == ""


def test_what_ships_is_not_compared_again_with_law_that_is_the_same(monkeypatch):
    assert tasks.ask_of_new_law() == ""
    compared = []
    monkeypatch.setattr(tasks.defaults, "load_arrived", lambda: compared.append(1) or 0)
    assert tasks.ask_of_new_law() == "" and not compared
    a_section(a_document(Domain.objects.get(slug="us_code")))
    assert tasks.ask_of_new_law() == "" and compared


def test_a_body_of_law_that_the_last_training_missed_is_learned_once():
    trained = RetrainingRun.objects.create(report=retraining.request()["params"])
    law = a_section(a_document(a_domain(slug="leases"))).domain
    assert tasks.ask_of_new_law() == "", "nobody knows what it had"
    trained.report["bodies"] = sorted(retraining.whole_bodies() - {"leases"})
    trained.save()
    Domain.objects.filter(pk=law.pk).update(corpus_version=law.corpus_version + 1)
    coming = JobRun.objects.create(kind="ingest", key="corpus", status=JobRun.Status.RUNNING)
    assert tasks.ask_of_new_law() == ""
    JobRun.objects.filter(pk=coming.pk).update(status=JobRun.Status.DONE)
    assert tasks.ask_of_new_law().startswith("The last training missed leases; job ")
    JobRun.objects.filter(kind="retrain").update(status=JobRun.Status.DONE)
    RetrainingRun.objects.update(report=trained.report | {"bodies": sorted(retraining.whole_bodies())})
    assert tasks.ask_of_new_law() == ""


def deployed(seed: int) -> RankerModel:
    model = registry.save(Trained(pack(some_reranker(), seed=seed), {"family": "a test"}))
    registry.deploy(model)
    return model


def damage(model: RankerModel) -> None:
    RankerModel.objects.filter(pk=model.pk).update(artifact=bytes(model.artifact)[:-1] + b"?")


def test_a_damaged_reranker_gives_way_to_the_last_that_is_whole():
    whole, broken, last = deployed(1), deployed(2), deployed(3)
    assert tasks.mend_reranker() == ""
    damage(broken)
    damage(last)
    assert tasks.mend_reranker() == f"{whole} serves again."
    assert registry.active() == whole
    assert tasks.mend_reranker() == ""


def given_up(after: timedelta, *, tries: int = jobs.MOST_TRIES + 1, params: dict | None = None) -> JobRun:
    """A training that failed just now, so long after it was asked for."""
    now = timezone.now()
    said = {"status": JobRun.Status.FAILED, "tries": tries, "params": params or {}, "finished_at": now}
    run = JobRun.objects.create(kind="retrain", key="retrain", **said)
    JobRun.objects.filter(pk=run.pk).update(created_at=now - after)
    return run


@pytest.mark.parametrize(
    ("age", "pause"), [(timedelta(minutes=1), timedelta(minutes=10)), (timedelta(hours=3), timedelta(hours=3))]
)
def test_a_training_whose_steps_took_too_long_goes_on_once_it_has_rested(age, pause):
    run, a_minute = given_up(age), timedelta(minutes=1)
    assert retraining.resume_given_up(run.finished_at + pause - a_minute) is None
    JobRun.objects.update(finished_at=run.finished_at - pause, created_at=run.finished_at - pause - age)
    assert tasks.mend_reranker() == f"Job {run.pk} goes on: its steps took too long before."
    run.refresh_from_db()
    assert (run.status, run.tries) == (JobRun.Status.QUEUED, 0)
    assert tasks.mend_reranker() == ""


@pytest.mark.parametrize(
    ("age", "said"),
    [
        (timedelta(days=8), {}),
        (timedelta(hours=1), {"tries": 1}),
        (timedelta(hours=1), {"params": {"dry_run": True}}),
    ],
)
def test_a_training_that_was_tried_for_a_week_or_failed_for_a_reason_or_changes_nothing_stays(age, said):
    run = given_up(age, **said)
    assert retraining.resume_given_up(run.finished_at + age) is None


def test_where_no_other_is_whole_another_is_trained_until_that_fails():
    damage(deployed(1))
    for _ in range(2):
        run = JobRun.objects.get(kind="retrain") if "trains another" in tasks.mend_reranker() else None
        assert run.status == JobRun.Status.QUEUED
    JobRun.objects.update(status=JobRun.Status.FAILED, finished_at=timezone.now())
    assert tasks.mend_reranker() == "The last training failed: see why before another."
    assert JobRun.objects.filter(kind="retrain").count() == 1
