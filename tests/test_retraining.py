"""Retraining end to end on the real corpus: what is gathered, what is refused, what is deployed and taken back."""

import io
import json
import time
from dataclasses import replace
from itertools import count, groupby
from zlib import crc32

import numpy as np
import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from arf_site import preparation
from evaluation import gate, registry, retraining
from evaluation.models import Judgment, RetrainingRun, Topic
from evaluation.pooled import Workfiles, pool_as_json, pool_from
from evaluation.retraining import (
    Gathered,
    carried_out,
    from_library,
    leaks_among,
    leaks_into,
    measured,
    request,
)
from evaluation.topics import read_topics
from evaluation.training import Trained, pools_of, train
from retrieval import jobs
from retrieval.models import Domain, JobRun, RankerModel
from retrieval.reranking import pack
from tests.conftest import ROOT
from tests.test_reranking import some_reranker

pytestmark = pytest.mark.django_db
TOPICS = ROOT / "evaluation/topics/us_constitution.jsonl"
Outcome = RetrainingRun.Outcome


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.VAR_DIR = tmp_path


@pytest.fixture
def library():
    """No topics but those a test makes."""
    Judgment.objects.all().delete()
    Topic.objects.all().delete()


def topic(
    name: str, query: str, *, grade: int | None = 3, kind: str = "human", judge: str = "a", **fields
) -> Topic:
    row, _ = Topic.objects.get_or_create(
        name=name, defaults={"query": query, "domain": Domain.objects.get(slug="us_constitution"), **fields}
    )
    if grade is not None:
        Judgment.objects.create(
            topic=row, locator="/us/const/amendment/I", grade=grade, kind=kind, judge=judge
        )
    return row


def some(split: str, count: int) -> list:
    """Shipped topics of a split from its first to its last, four in five of them answerable."""
    shipped = read_topics(TOPICS, split=split)
    answerable = [topic for topic in shipped if topic.answerable]
    others = [topic for topic in shipped if not topic.answerable]
    return [*spread(answerable, count - count // 5), *spread(others, count // 5)]


def spread(topics: list, count: int) -> list:
    return topics[:: max(1, len(topics) // count)][:count]


@pytest.fixture(scope="session")
def few(tmp_path_factory):
    """A topics file small enough to train on in seconds."""
    path = tmp_path_factory.mktemp("topics") / "few.jsonl"
    rows = {json.loads(line)["id"]: line for line in TOPICS.read_text(encoding="utf-8").splitlines()}
    chosen = [*some("train", 90), *some("test", 60)]
    path.write_text("\n".join(rows[each.id] for each in chosen), encoding="utf-8")
    return path


# -- What is gathered


def test_only_what_people_judged_is_learned_from(library):
    topic("t1", "who may vote")
    topic("t2", "who may print money", kind="llm")
    topic("t3", "who may coin money", kind="click")
    topic("t4", "who may declare war", grade=None)
    topic("t5", "who may drive", grade=None, answerable=False)
    topic("t6", "what is free speech", split="tune")
    assert [each.id for each in from_library().learned] == ["t1", "t5"]


def test_the_same_question_twice_is_learned_once_with_the_grades_of_all(library):
    topic("t1", "Who may vote?", grade=1)
    topic("t2", "who may  vote?", grade=3)
    [only] = from_library().learned
    assert (only.id, only.relevant) == ("t1", {"/us/const/amendment/I": 1})


def test_topics_of_private_domains_are_not_gathered(library):
    topic("t1", "who may vote", domain=Domain.objects.get(slug="client_cases"))
    assert from_library() == Gathered((), ())


def test_a_live_question_near_a_test_topic_is_set_aside(library):
    topic("kept", "Can the police search my phone?", split="test")
    topic("asked", "can police search my phone", source="search")
    topic("other", "who may vote", source="search")
    gathered = from_library()
    assert ([each.id for each in gathered.learned], gathered.aside) == (["other"], ("asked",))


def test_the_shipped_topics_leak_nothing():
    gathered = from_library()
    assert len(gathered.learned) >= 500 and len(gathered.tested) >= 330
    assert leaks_among(gathered, dry_run=False) == []


# -- What is refused


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


# -- Trained models


@pytest.fixture
def pools():
    return pools_of(some("train", 90))


def test_pools_come_back_from_files_as_they_were(pools):
    for pool in pools[:20]:
        again = pool_from(json.loads(json.dumps(pool_as_json(pool))))
        assert (
            again.topic == pool.topic
            and again.rows.tolist() == pool.rows.tolist()
            and again.settled == pool.settled
        )
        assert np.array_equal(again.vector, pool.vector)
        assert [c.score for c in again.candidates] == [c.score for c in pool.candidates]


@pytest.mark.slow
def test_a_model_that_carries_a_test_topic_is_found_out(pools):
    trained = train(pools)
    assert leaks_into(trained.artifact, trained.manifest, pools_of(some("test", 20))) == []
    seen = next(pool for pool in pools if pool.topic.relevant and pool.vector is not None)
    found = leaks_into(trained.artifact, trained.manifest, [seen])
    assert any("by its name" in each for each in found)
    renamed = replace(seen, topic=replace(seen.topic, id="other", group=""))
    [neighbour] = leaks_into(trained.artifact, {}, [renamed])
    assert neighbour == f"“{seen.topic.query}” among the judged neighbours"


def test_a_busy_machine_does_not_speak_against_a_model(monkeypatch):
    tested, clock = pools_of(some("test", 10)), count(step=3600.0)  # an hour passes whenever one looks
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    compared = measured(tested, pack(some_reranker(), seed=0), None)
    assert compared.ms < gate.SLOWEST_MS
    assert not any("processor time" in reason for reason in compared.decision.reasons)


@pytest.fixture
def quick(monkeypatch, few):
    """A gate that decides on the few test topics of the small file."""
    monkeypatch.setattr(gate, "FEWEST", 20)
    monkeypatch.setattr(gate, "MOST_ECE", 1.0)
    Judgment.objects.all().delete()
    Topic.objects.all().delete()
    return str(few)


@pytest.mark.slow
def test_a_dry_run_reports_and_registers_nothing_though_a_step_runs_twice(quick):
    job = jobs.create(**request(topics=quick, dry_run=True))
    phases, percents = [], []
    for stepped in jobs.run_here(job):
        percents.append(stepped.percent)
        phases.append(stepped.state.get("phase"))
        if phases[-1] == "fold" and stepped.state["fold"] == 0:
            retraining.pool(JobRun(pk=job.pk, total=1, state={}), Workfiles(job.pk))
    assert [phase for phase, _same in groupby(phases)] == ["pool", "fold", "train", "compare", "decide", None]
    assert (phases.count("pool"), phases.count("fold")) == (1, 5)
    assert percents == sorted(percents) and percents[1] < 40  # most of the work is still to do
    run = RetrainingRun.objects.get()
    assert run.outcome == Outcome.KEPT and run.reason.startswith("Dry run") and run.finished_at
    assert {"decision", "measures", "ece", "reliability", "risk_coverage", "manifest", "ms"} <= set(
        run.report
    )
    assert run.report["risk_coverage"][-1][0] == 1.0
    assert len(run.report["manifest"]["topics"]) <= run.report["gathered"]["learned"] == 90
    assert not RankerModel.objects.exists() and not Workfiles(job.pk).path.exists()


@pytest.mark.slow
def test_the_first_model_is_deployed_the_same_again_is_not_and_a_person_takes_it_back(quick, client, capsys):
    call_command("retrain", topics=quick)
    told = capsys.readouterr().out
    assert "cross-validated" in told and "test topics" in told
    first = RetrainingRun.objects.first()
    assert first.outcome == Outcome.DEPLOYED and registry.active() == first.challenger
    call_command("retrain", topics=quick)
    again = RetrainingRun.objects.first()
    assert again.outcome == Outcome.KEPT and again.reason.startswith("Nothing new")
    earlier = model("earlier", status="retired", deployed_at=first.created_at)
    as_administrator(client)
    page = client.get(reverse("admin:evaluation_retrainingrun_change", args=[first.pk])).content.decode()
    assert page.count("<svg") >= 3 and "MLP (128, 64, 32)" in page and "Roll back" in page
    shown = client.get(reverse("admin:retrieval_rankermodel_change", args=[first.challenger.pk]))
    assert "calibration error" in shown.content.decode()
    client.post(reverse("admin:evaluation_retrainingrun_do", args=[first.pk, "rollback"]))
    assert registry.active() == earlier


# -- What a decision does


def model(name: str, **fields) -> RankerModel:
    artifact = pack(some_reranker(), seed=crc32(name.encode()))
    digest = retraining.sha256(artifact)
    return RankerModel.objects.create(family=name, sha256=digest, artifact=artifact, **fields)


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


# -- What people press


def as_administrator(client) -> User:
    user = User.objects.create_user("boss", password="a long password", is_staff=True)
    user.groups.add(Group.objects.get(name="Administrator"))
    client.force_login(user)
    return user


def test_retrain_now_begins_one_job(client):
    user = as_administrator(client)
    page = client.get(reverse("admin:evaluation_retrainingrun_changelist"))
    assert "Retrain now" in page.content.decode()
    press = reverse("admin:evaluation_retrainingrun_retrain")
    assert client.get(press).status_code == 405
    client.post(press, {"shadow": "on"})
    client.post(press)
    run = JobRun.objects.get(kind="retrain")
    assert (run.requested_by, run.params["shadow"]) == (user, True)


def test_curators_may_neither_retrain_nor_deploy(client):
    user = User.objects.create_user("curator", password="a long password", is_staff=True)
    user.groups.add(Group.objects.get(name="Curator"))
    client.force_login(user)
    assert client.post(reverse("admin:evaluation_retrainingrun_retrain")).status_code == 403
    model = RankerModel.objects.create(family="f", sha256="1", artifact=b"")
    assert (
        client.post(reverse("admin:retrieval_rankermodel_do", args=[model.pk, "deploy"])).status_code == 403
    )


@pytest.mark.parametrize("action", ["deploy", "shadow"])
def test_a_model_that_cannot_serve_is_not_put_in_force(client, action):
    as_administrator(client)
    champion = model("old", status="active")
    artifact = of_other_features(pack(some_reranker(), seed=1))
    other = RankerModel.objects.create(family="f", sha256=retraining.sha256(artifact), artifact=artifact)
    press = reverse("admin:retrieval_rankermodel_do", args=[other.pk, action])
    assert "trained on other features" in client.post(press, follow=True).content.decode()
    other.refresh_from_db()
    assert (registry.active(), other.status) == (champion, "candidate")


def of_other_features(artifact: bytes) -> bytes:
    """As an earlier version would have packed it."""
    with np.load(io.BytesIO(artifact)) as file:
        arrays = dict(file)
    told = json.loads(arrays["told"].tobytes()) | {"features": ["cosine"]}
    arrays["told"] = np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def test_a_model_of_other_features_is_refused_in_words_and_another_ordered_once():
    said: list[str] = []
    earlier = of_other_features(pack(some_reranker(), seed=0))
    registry.save(Trained(earlier, {"family": "earlier"}))
    RankerModel.objects.update(status="active")
    for _ in range(2):
        preparation.order_reranker(said.append)
    assert JobRun.objects.get(kind="retrain").status == "queued"
    assert "cannot serve: The reranker was trained on other features" in said[0]


def test_a_first_training_that_failed_is_tried_again_at_the_next_start():
    JobRun.objects.create(kind="retrain", key="retrain", status=JobRun.Status.FAILED)
    for _ in range(2):
        preparation.order_reranker(pytest.fail)
    assert JobRun.objects.filter(kind="retrain", status=JobRun.Status.QUEUED).count() == 1


def test_a_model_that_serves_orders_no_training():
    registry.deploy(registry.save(Trained(pack(some_reranker(), seed=0), {"family": "this"})))
    preparation.order_reranker(pytest.fail)
    assert not JobRun.objects.filter(kind="retrain").exists()


def test_every_month_begins_one_job_at_most():
    assert retraining.every_month() == retraining.every_month()


def test_a_cancelled_retrain_leaves_no_files_and_closes_its_attempt(library):
    topic("kept", "what is free speech", split="test")
    run = jobs.create(**request())
    run = jobs.take_step(run.pk, run.ticket)
    assert Workfiles(run.pk).path.exists()
    jobs.cancel(run)
    jobs.take_step(run.pk, run.ticket)
    assert not Workfiles(run.pk).path.exists()
    assert RetrainingRun.objects.get().outcome == Outcome.FAILED
