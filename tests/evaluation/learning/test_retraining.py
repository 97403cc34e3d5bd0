"""Retraining end to end on the real corpus: what is refused, what is deployed and taken back, and on which node."""

import json
import re
from itertools import groupby

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from evaluation.learning import pools, registry, retraining, training
from evaluation.learning.model_comparison import last_comparison
from evaluation.learning.retraining import Checkpoints, carried_out, missed, request
from evaluation.measuring import measuring_job
from evaluation.models import RetrainingRun, Run, Topic
from retrieval import jobs
from retrieval.errors import ArfError
from retrieval.models import Checkpoint, Domain, JobRun, RankerModel
from tests.builders import a_document, a_domain, a_section
from tests.evaluation.learning.conftest import topic
from tests.evaluation.learning.rerankers import model
from tests.retrieval.admin.staff import staff

pytestmark = pytest.mark.django_db
Outcome = RetrainingRun.Outcome
FALSE_ALARM = "/us/usc/t14/s88"  # controls one shipped topic, alone


def test_a_test_topic_in_training_refuses_everything(library):
    topic("kept", "Can the police search my phone?", split="test")
    topic("learned", "can police search my phone", source="import")
    with pytest.raises(CommandError, match="Refused"):
        call_command("retrain")
    run = RetrainingRun.objects.get()
    assert run.outcome == Outcome.REFUSED and "“can police search my phone”" in run.reason
    assert not RankerModel.objects.exists() and "measures" not in run.report


def test_a_paraphrase_of_a_test_topic_refuses_everything(library):
    topic("kept", "Can the police search my phone?", split="test", group="g1")
    topic("learned", "Is a warrant needed to read text messages?", group="g1")
    with pytest.raises(CommandError, match="Refused"):
        call_command("retrain")


def test_a_file_that_repeats_the_librarys_test_topics_is_never_deployed(library, tmp_path):
    topic("kept", "Can the police search my phone?", split="test")
    path = tmp_path / "topics.jsonl"
    row = {"id": "x", "query": "can police search my phone", "relevant": {"/us/const/amendment/IV": 2}}
    path.write_text(json.dumps(row | {"split": "train"}))
    with pytest.raises(CommandError, match="Refused"):
        call_command("retrain", topics=str(path))


def test_an_unanswerable_question_is_searched_in_every_body_that_is_learned_from(library, monkeypatch):
    monkeypatch.setattr(pools, "FEWEST_OF_A_BODY", 1)
    topic("speech", "what is free speech", source="shipped")
    topic("cat", "may I keep a cat", source="shipped", domain=a_domain(slug="leases"))
    topic("pie", "recipe for apple pie", grade=None, answerable=False, source="shipped")
    topic("kept", "who may declare war", split="test")
    run = jobs.create(**request())
    next(jobs.run_here(run))
    asked = [(topic.id, topic.domain) for topic in Checkpoints(run).topics() if topic.id == "pie"]
    assert sorted(asked) == [("pie", "leases"), ("pie", "us_constitution")]
    run.refresh_from_db()
    assert run.state["learned"] == 4 and RetrainingRun.objects.get().report["gathered"]["learned"] == 3


def test_nothing_is_learned_while_the_index_of_words_lacks_a_body_of_law(library, monkeypatch):
    topic("speech", "what is free speech")
    topic("kept", "who may declare war", split="test")
    lacking = iter([20_000, 10_001, 10_000, 10_001, 0])
    monkeypatch.setattr(retraining.lexical_sync, "behind", lambda position: next(lacking))
    monkeypatch.setattr(retraining, "LOOKED_AFTER", 0.0)
    steps = jobs.run_here(jobs.create(**request()))
    assert ["lacks 20000 changes" in next(steps).message, "lacks 10001" in next(steps).message] == [True, True]
    assert not RetrainingRun.objects.exists()
    assert "2 searches of judged topics" in next(steps).message
    assert "lacks 10001" in next(steps).message and "2 of 2 topics searched" in next(steps).message


def test_a_training_that_waits_for_an_index_nobody_keeps_fails_and_says_so(library, monkeypatch):
    monkeypatch.setattr(retraining.lexical_sync, "must_rebuild", lambda position: True)
    monkeypatch.setattr(retraining, "LOOKED_AFTER", 0.0)
    steps = jobs.run_here(jobs.create(**request()))
    assert [next(steps).message.startswith("Waiting for") for _ in range(3)] == [True] * 3
    monkeypatch.setattr(retraining, "PATIENCE", 0.0)
    *_, last = steps
    assert last.status == "failed"
    assert "is `manage.py up`" in RetrainingRun.objects.get().reason


def test_a_body_of_law_that_is_coming_in_counts_as_missed_once_it_is_there(library):
    topic("speech", "what is free speech")
    topic("kept", "who may declare war", split="test")
    coming = JobRun.objects.create(
        kind="ingest", key="corpus", status="running", params={"domain": "us_constitution"}
    )
    next(jobs.run_here(jobs.create(**request())))
    assert RetrainingRun.objects.get().report["bodies"] == [] and not missed()
    JobRun.objects.filter(pk=coming.pk).update(status="done")
    assert missed() == {"us_constitution"}


def test_a_training_that_is_resumed_waits_anew(library, monkeypatch):
    monkeypatch.setattr(retraining.lexical_sync, "must_rebuild", lambda position: True)
    monkeypatch.setattr(retraining, "LOOKED_AFTER", 0.0)
    run = jobs.create(**request())
    run.state = {"words": [retraining.lexical_sync.behind(retraining.loaded.lexical_index().position), 0.0, 0.0]}
    run.save()
    assert next(jobs.run_here(run)).message == "Waiting for this machine's index of words: it is to be built anew"


@pytest.mark.parametrize(("dry", "here"), [(False, True), (True, False)])
def test_shipped_topics_whose_law_has_come_take_part_at_once_but_in_a_dry_run(library, dry, here):
    a_section(a_document(Domain.objects.get(slug="us_code")), locator=FALSE_ALARM)
    topic("kept", "what is free speech", split="test")
    with pytest.raises(CommandError, match="too few"):
        call_command("retrain", dry_run=dry)
    assert Topic.objects.filter(query__contains="Coast Guard").exists() == here


def test_too_few_topics_fail_and_close_the_attempt(library):
    topic("kept", "what is free speech", split="test")
    topic("t1", "who may vote")
    with pytest.raises(CommandError, match="too few"):
        call_command("retrain")
    attempt = RetrainingRun.objects.get()
    assert attempt.outcome == Outcome.FAILED and "too few" in attempt.reason and attempt.finished_at


def test_a_retrain_whose_worker_is_killed_each_time_says_so_and_can_be_resumed(library):
    topic("kept", "what is free speech", split="test")
    topic("t1", "who may vote")
    run = jobs.create(**request())
    run = jobs.take_step(run.pk, run.ticket)
    for _ in range(3):
        jobs.begin(run.pk, run.ticket)
    run = jobs.take_step(run.pk, run.ticket)
    attempt = RetrainingRun.objects.get()
    assert attempt.outcome == Outcome.FAILED and attempt.reason == run.error
    jobs.resume(run)
    jobs.take_step(run.pk, run.ticket)
    attempt.refresh_from_db()
    assert (attempt.outcome, attempt.reason, attempt.finished_at) == (Outcome.RUNNING, "", None)


def test_one_begun_by_a_release_with_other_features_begins_again(library, monkeypatch):
    topic("kept", "what is free speech", split="test")
    topic("t1", "who may vote")
    run = jobs.create(**request())
    with monkeypatch.context() as earlier:
        earlier.setattr(retraining, "FEATURES", ("one", "other"))
        run = jobs.take_step(run.pk, run.ticket)
    Checkpoints(run).save("fitting", b"of other features")
    run = jobs.take_step(run.pk, run.ticket)
    assert (run.state["phase"], run.position) == ("pool", 0)
    assert not Checkpoints(run).has("fitting") and len(Checkpoints(run).topics()) == 2
    first, again = RetrainingRun.objects.order_by("pk")
    assert (first.outcome, again.outcome) == (Outcome.FAILED, Outcome.RUNNING)


def test_a_retrain_that_fails_before_it_is_written_down_is_written_down_as_failed(library, tmp_path):
    with pytest.raises(CommandError, match="There is no file"):
        call_command("retrain", topics=str(tmp_path / "nowhere.jsonl"))
    attempt = RetrainingRun.objects.get()
    assert attempt.outcome == Outcome.FAILED and "nowhere.jsonl" in attempt.reason


@pytest.mark.parametrize(
    ("row", "test_from", "why"),
    [
        ("not json", None, "cannot be read"),
        ('{"id": "x", "query": "who may vote", "split": "train"}', 1990, "needs one in “term”"),
        ('{"id": "x", "query": "who may vote", "split": "train"}', None, "no judged topic to test on"),
    ],
)
def test_a_file_that_cannot_be_divided_is_refused_in_words(library, tmp_path, row, test_from, why):
    path = tmp_path / "topics.jsonl"
    path.write_text(row)
    with pytest.raises(CommandError, match=why):
        call_command("retrain", topics=str(path), test_from=test_from)


def test_a_year_without_a_file_trains_nothing(library):
    with pytest.raises(CommandError, match="--topics"):
        call_command("retrain", test_from=1990)
    assert not RetrainingRun.objects.exists()


@pytest.mark.slow
def test_a_dry_run_reports_and_registers_nothing_though_a_step_runs_twice(quick):
    job = jobs.create(**request(topics=quick, dry_run=True))
    phases, percents = [], []
    for stepped in jobs.run_here(job):
        percents.append(stepped.percent)
        phases.append(stepped.state.get("phase"))
        if phases[-1] == "fold" and stepped.state["unit"] == 0:
            again = JobRun(pk=job.pk, total=1, state=stepped.state, tries=1)
            retraining.pool(again, Checkpoints(again), lambda: True)
    assert [phase for phase, _same in groupby(phases)] == [
        "pool",
        "fold",
        "choose",
        "train",
        "compare",
        "decide",
        None,
    ]
    assert percents == sorted(percents) and percents[1] < 40  # most of the work is still to do
    run = RetrainingRun.objects.get()
    assert run.outcome == Outcome.KEPT and run.reason.startswith("Dry run") and run.finished_at
    assert {"decision", "measures", "ece", "reliability", "risk_coverage", "manifest", "ms"} <= set(
        run.report
    )
    assert run.report["risk_coverage"][-1][0] == 1.0
    assert len(run.report["manifest"]["topics"]) <= run.report["gathered"]["learned"] == 40
    assert not RankerModel.objects.exists() and not Checkpoint.objects.exists()


@pytest.mark.slow
def test_what_is_learned_without_a_body_of_law_stands_beside_the_fused_order(quick, monkeypatch, capsys):
    """Its topics are those of the file: which they are is tested where they are gathered."""
    monkeypatch.setattr(pools, "without_body", lambda domain: pools.from_file({"topics": quick}))
    call_command("retrain", without="us_code")
    run = RetrainingRun.objects.get()
    assert run.outcome == Outcome.KEPT and "nothing was learned of us_code" in run.reason
    assert run.report["measures"]["champion"] == run.report["measures"]["fused"] != run.report["measures"]["challenger"]
    assert "calibration" in run.report and not RankerModel.objects.exists()
    assert "fused" in capsys.readouterr().out
    with pytest.raises(ArfError, match="Nothing has been compared"):
        last_comparison()
    with pytest.raises(CommandError, match="--without learns from the library"):
        call_command("retrain", without="us_code", shadow=True)


@pytest.mark.slow
def test_each_step_may_run_on_another_node(quick, settings, tmp_path, monkeypatch):
    """Two nodes share PostgreSQL alone. Each step has time for one piece, so that every phase changes nodes."""
    monkeypatch.setattr(jobs, "STEP_SECONDS", 0)
    monkeypatch.setattr(training, "choose", lambda ndcg: training.PREFERRED)
    nodes = [tmp_path / "first", tmp_path / "second"]
    run = jobs.create(**request(topics=quick, dry_run=True))
    phases = []
    while not run.is_finished:
        settings.VAR_DIR = nodes[len(phases) % 2]
        run = jobs.take_step(run.pk, run.ticket)
        phases.append(run.state.get("phase"))
    assert (run.status, run.error) == (JobRun.Status.DONE, "")
    assert phases.count("pool") == 3 and phases.count("fold") == 25 and phases.count("train") == 2
    assert not any(node.exists() for node in nodes) and not Checkpoint.objects.exists()


def test_a_step_makes_room_for_files_that_wait(db):
    has_time = retraining.time_for_more(JobRun(tries=1))
    assert has_time()
    jobs.create("upload", key=jobs.CORPUS)
    assert not has_time()


@pytest.mark.slow
def test_the_first_model_is_deployed_the_same_again_is_not_and_a_person_takes_it_back(quick, client, capsys):
    call_command("retrain", topics=quick)
    printed = capsys.readouterr().out
    assert "cross-validated" in printed and "test topics" in printed
    steps = re.findall(r"^ *(\d+) % (.+)$", printed, re.M)
    assert [int(percent) for percent, _ in steps] == sorted(int(percent) for percent, _ in steps)
    assert "60 of 60 topics searched" in [message for _, message in steps]
    first = RetrainingRun.objects.first()
    assert first.outcome == Outcome.DEPLOYED and registry.active() == first.challenger
    call_command("retrain", topics=quick)
    again = RetrainingRun.objects.first()
    assert again.outcome == Outcome.KEPT and again.reason.startswith("Nothing new")
    earlier = model("earlier", status="retired", deployed_at=first.created_at)
    staff(client, "Administrator")
    page = client.get(reverse("admin:evaluation_retrainingrun_change", args=[first.pk])).content.decode()
    assert page.count("<svg") >= 3 and "MLP (128, 64, 32)" in page and "Roll back" in page
    shown = client.get(reverse("admin:retrieval_rankermodel_change", args=[first.challenger.pk]))
    assert "calibration error" in shown.content.decode()
    client.post(reverse("admin:evaluation_retrainingrun_do", args=[first.pk, "rollback"]))
    assert registry.active() == earlier


def test_the_first_training_has_what_serves_measured_and_then_each_that_serves_anew(library):
    topic("kept", "what is free speech", split="test")
    run = jobs.create(**request(), by=None)
    kept, deployed = RetrainingRun(outcome=Outcome.KEPT), RetrainingRun(outcome=Outcome.DEPLOYED)
    retraining.measure_next(run, kept, {"us_constitution"})
    waiting = JobRun.objects.filter(kind="measure")
    assert [job.params for job in waiting] == [measuring_job.request("us_constitution")["params"]]
    Run.objects.create(pipeline="default", stages="", topics="us_constitution/test")
    retraining.measure_next(run, kept, {"us_constitution"})
    assert waiting.all().count() == 1
    retraining.measure_next(run, deployed, {"us_constitution"})
    assert waiting.all().count() == 2


def test_a_challenger_may_score_in_shadow_before_it_serves():
    attempt = RetrainingRun(challenger=model("new"))
    assert carried_out(attempt, True, "Better.", shadow=True) == (Outcome.SHADOW, "Better.")
    assert registry.active() is None and RankerModel.objects.get().status == "shadow"


def test_a_challenger_that_the_gate_holds_back_is_kept_as_a_candidate():
    champion, new = model("old", status="active"), model("new")
    assert carried_out(RetrainingRun(champion=champion, challenger=new), False, "Worse.", shadow=False) == (
        Outcome.KEPT,
        "Worse.",
    )
    assert registry.active() == champion


def test_a_champion_that_a_person_chose_meanwhile_stays():
    before, chosen, new = model("old"), model("chosen", status="active"), model("new")
    outcome, reason = carried_out(
        RetrainingRun(champion=before, challenger=new), True, "Better.", shadow=False
    )
    assert outcome == Outcome.KEPT and "changed meanwhile" in reason
    assert registry.active() == chosen


def test_a_model_that_somebody_rolled_back_is_not_deployed_again_by_a_schedule():
    champion, again = (
        model("old", status="active"),
        model("again", status="retired", deployed_at=timezone.now()),
    )
    attempt = RetrainingRun(champion=champion, challenger=again)
    outcome, reason = carried_out(attempt, True, "Not worse.", shadow=False)
    assert outcome == Outcome.KEPT and reason.startswith("This very model served before")
    assert registry.active() == champion


def test_every_month_begins_one_job_at_most():
    assert retraining.every_month() == retraining.every_month()


def test_a_cancelled_retrain_leaves_no_checkpoints_and_is_shown_as_cancelled(library):
    topic("kept", "what is free speech", split="test")
    run = jobs.create(**request())
    run = jobs.take_step(run.pk, run.ticket)
    assert run.checkpoints.exists()
    jobs.cancel(run)
    jobs.take_step(run.pk, run.ticket)
    assert not run.checkpoints.exists()
    assert RetrainingRun.objects.get().outcome == Outcome.CANCELLED


@pytest.fixture
def kept() -> Checkpoints:
    return Checkpoints(jobs.create("retrain", key="retrain"))


def test_pools_come_back_as_they_were_and_in_order(kept, pools):
    kept.save_pools(10, pools[10:20])
    kept.save_pools(0, pools[:10])
    for pool, again in zip(pools[:20], kept.pools(), strict=True):
        assert (again.topic, again.final, again.rows.tolist()) == (pool.topic, pool.final, pool.rows.tolist())
        assert np.array_equal(again.vector, pool.vector)
        assert [c.score for c in again.candidates] == [c.score for c in pool.candidates]


def test_topics_and_arrays_come_back_bit_by_bit(kept, pools):
    topics = [pool.topic for pool in pools[:20]]
    kept.save_topics(topics)
    assert kept.topics() == topics
    values = {"MLP (64, 32)": np.array([0.1, 1 / 3]), "order": np.arange(3)}
    kept.save_arrays("a", values)
    assert {name: array.tolist() for name, array in kept.arrays("a").items()} == {
        name: array.tolist() for name, array in values.items()
    }


def test_a_pickled_object_is_neither_written_nor_read(kept):
    kept.save_arrays("a", {"objects": np.array([{}], dtype=object)})
    with pytest.raises(ValueError, match="allow_pickle"):
        kept.arrays("a")


def test_what_is_saved_twice_is_kept_once(kept):
    for value in ([1], [2]):
        kept.save_json("a", value)
    assert kept.json("a") == [2] and kept.run.checkpoints.count() == 1


def test_a_checkpoint_that_is_gone_or_too_large_is_refused_in_words(kept, monkeypatch):
    with pytest.raises(ArfError, match="begin again"):
        kept.json("a")
    monkeypatch.setattr(retraining, "MOST_BYTES", 10)
    with pytest.raises(ArfError, match="at most 10"):
        kept.save("a", bytes(11))
