"""Each part of a node is made to fail, is seen to, and is well again."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from django_q.models import Schedule, Task

from arf_site import schedules
from evaluation.learning import registry
from evaluation.learning.training import Trained
from retrieval import health
from retrieval.models import EmbeddingModel, IndexChange, JobRun, RankerModel, Trouble, Version
from retrieval.stages.reranker.artifact import pack
from tests.rerankers import some_reranker

pytestmark = pytest.mark.django_db
AGO = timezone.now() - timedelta(hours=3)


def parts() -> dict:
    return health.parts(health.lexical_index(), health.embedder())


def not_well() -> dict:
    found = parts().items()
    return {name: (part["status"], part["since"]) for name, part in found if part["status"] != health.OK}


@pytest.fixture(autouse=True)
def current_index(reindex):
    reindex()


@pytest.fixture(autouse=True)
def long_running(monkeypatch):
    monkeypatch.setattr(health, "database_since", lambda: AGO - timedelta(hours=1))


def deploy() -> None:
    registry.deploy(registry.save(Trained(pack(some_reranker(), seed=1), {"family": "a test"})))


def trained(status: str, moment: datetime) -> None:
    JobRun.objects.create(kind="retrain", key="retrain", status=status, finished_at=moment)


def done(func: str, moment: datetime, *, success: bool = True) -> Task:
    name = f"{func} {moment}"
    return Task.objects.create(
        id=str(abs(hash(name)))[:32],
        name=name[:100],
        func=func,
        started=moment,
        stopped=moment,
        success=success,
    )


def test_all_is_well_and_nothing_is_written_down():
    assert list(parts()) == [
        "database",
        "index",
        "queue",
        "reranker",
        "embedder",
        "schedules",
        "sources",
        "disk",
        "log",
    ]
    assert not_well() == {} and not Trouble.objects.exists()


def test_what_its_rows_do_not_tell_is_kept_from_when_it_was_first_seen_until_it_is_mended(monkeypatch):
    fingerprint = EmbeddingModel.objects.get().fingerprint
    EmbeddingModel.objects.update(fingerprint="another")
    Version.objects.filter(name="embedding").update(number=10_001)
    (first,) = not_well().values()
    assert first[0] == "failed" and timezone.now() - first[1] < timedelta(minutes=1)
    assert not_well() == {"embedder": first}
    monkeypatch.setattr("socket.gethostname", lambda: "another-machine")
    assert not_well()["embedder"][1] > first[1], "each machine has its own"
    monkeypatch.undo()
    EmbeddingModel.objects.update(fingerprint=fingerprint)
    Version.objects.filter(name="embedding").update(number=10_002)
    assert not_well() == {}
    assert [trouble.part for trouble in Trouble.objects.all()] == ["embedder another-machine"]


def test_a_disk_without_room_is_told_of_until_there_is_some(monkeypatch):
    monkeypatch.setattr(health, "has_room", lambda: False)
    assert [(name, status) for name, (status, _) in not_well().items()] == [("disk", "degraded")]
    monkeypatch.undo()
    assert not_well() == {}


def test_searches_that_are_not_kept_are_told_of_until_one_is(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    (tmp_path / "unwritten").touch()
    ((name, (status, since)),) = not_well().items()
    assert (name, status) == ("log", "degraded") and timezone.now() - since < timedelta(minutes=1)
    (tmp_path / "unwritten").unlink()
    assert not_well() == {}


def test_an_index_that_is_damaged_or_not_there_has_failed(settings, tmp_path):
    settings.ARF_LEXICAL_DIR = tmp_path / "none"
    assert [(name, status) for name, (status, _) in not_well().items()] == [("index", "failed")]


def test_an_index_that_does_not_follow_is_degraded_since_the_first_change_it_lacks():
    IndexChange.objects.create(chunk_id=1)
    assert not_well() == {}, "a writer may take a moment"
    IndexChange.objects.filter(chunk_id=1).update(created_at=AGO)
    assert not_well() == {"index": ("degraded", AGO)}


def test_a_queue_that_does_not_do_what_is_due_every_minute_has_failed_since_it_last_did():
    schedules.ensure()
    assert not_well() == {}, "it has just been started"
    done(health.EVERY_MINUTE, AGO)
    assert not_well() == {"queue": ("failed", AGO)}
    done(health.EVERY_MINUTE, timezone.now())
    assert not_well() == {}


def test_what_was_due_while_the_node_was_off_is_not_late(monkeypatch):
    schedules.ensure()
    done(health.EVERY_MINUTE, AGO)
    Schedule.objects.filter(name="prune").update(next_run=AGO)
    assert set(not_well()) == {"queue", "schedules"}
    monkeypatch.setattr(health, "database_since", lambda: timezone.now() - timedelta(minutes=4))
    assert not_well() == {}


def test_since_when_the_database_runs_is_asked_of_it(monkeypatch):
    monkeypatch.undo()
    assert health.database_since() < timezone.now()


def test_a_process_that_keeps_ending_is_seen_in_the_part_that_it_serves(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    (tmp_path / "log").mkdir()
    told = tmp_path / "log" / "failing.json"
    said = {"since": AGO.isoformat(), "why": "ended (exit status 1)"}
    told.write_text(json.dumps({"worker": said, "lexical-writer": said}))
    assert not_well() == {"index": ("degraded", AGO), "queue": ("failed", AGO)}
    told.write_bytes(b"\xff")
    assert not_well() == {}


def test_a_publisher_that_could_not_be_read_is_told_of_until_it_can():
    for status, finished in ((JobRun.Status.DONE, AGO - timedelta(days=9)), (JobRun.Status.FAILED, AGO)):
        params = {"domain": "us_code"}
        JobRun.objects.create(kind="fetch", key="corpus", params=params, status=status, finished_at=finished)
    assert not_well() == {"sources": ("degraded", AGO)}
    JobRun.objects.create(kind="fetch", key="corpus", params=params, status=JobRun.Status.QUEUED)
    assert not_well() == {"sources": ("degraded", AGO)}
    JobRun.objects.create(
        kind="fetch", key="corpus", params=params, status=JobRun.Status.DONE, finished_at=AGO
    )
    assert not_well() == {}


def test_a_schedule_that_is_overdue_or_whose_last_run_failed_is_seen():
    schedules.ensure()
    Schedule.objects.filter(name="prune").update(next_run=AGO)
    assert not_well() == {"schedules": ("degraded", AGO)}
    schedules.ensure()
    Schedule.objects.filter(name="prune").update(next_run=timezone.now(), task="of the copy that waits")
    done("retrieval.tasks.prune", AGO, success=False)
    assert not_well() == {"schedules": ("degraded", AGO)}
    done("retrieval.tasks.prune", timezone.now())
    assert not_well() == {}


def test_a_failure_counts_until_a_later_run_was_planned_which_may_be_pruned():
    schedules.ensure()
    now = timezone.now()
    done("retrieval.tasks.prune", now - timedelta(days=2), success=False)
    done("evaluation.learning.retraining.every_month", now - timedelta(days=70), success=False)
    assert not_well() == {}
    moment = now - timedelta(minutes=2)
    done("rules.aliases.embedding.embed_all", moment, success=False)
    assert not_well() == {"schedules": ("degraded", moment)}, "the next one is planned, and has not ended"
    Schedule.objects.filter(name="retrain").update(next_run=now + timedelta(days=10))
    moment = now - timedelta(days=15)
    done("evaluation.learning.retraining.every_month", moment, success=False)
    assert not_well() == {"schedules": ("degraded", moment)}


def test_a_clock_that_was_ahead_is_seen_until_the_schedules_are_planned_anew():
    schedules.ensure()
    done(health.EVERY_MINUTE, AGO)
    done(health.EVERY_MINUTE, timezone.now() + timedelta(days=2))
    Schedule.objects.update(next_run=timezone.now() + timedelta(days=2))
    assert not_well() == {"queue": ("failed", AGO)}
    schedules.ensure()
    done(health.EVERY_MINUTE, timezone.now())
    assert not_well() == {}


def test_a_first_training_that_failed_is_seen_until_one_ends_well():
    trained("failed", AGO)
    assert not_well() == {"reranker": ("failed", AGO)}
    JobRun.objects.create(kind="retrain", key="retrain", status="running")
    assert not_well() == {"reranker": ("failed", AGO)}, "tried again, and not there yet"
    trained("done", timezone.now())
    assert not_well() == {}


def test_a_reranker_that_is_not_there_yet_is_told_of_without_alarm():
    assert health.reranker_now() == "none"
    run = JobRun.objects.create(kind="retrain", key="retrain", params={"dry_run": True})
    assert health.reranker_now() == "none"
    JobRun.objects.filter(pk=run.pk).update(params={"dry_run": False})
    assert health.reranker_now() == "training" and not_well() == {}
    deploy()
    Version.objects.filter(name="model").update(number=10_004)
    assert health.reranker_now() == "serving" and not_well() == {} and not Trouble.objects.exists()


def test_dry_runs_that_failed_are_no_trouble():
    for kind in ("fetch", "retrain"):
        failed = {"status": JobRun.Status.FAILED, "finished_at": AGO}
        JobRun.objects.create(kind=kind, params={"domain": "us_code", "dry_run": True}, **failed)
    assert not_well() == {}


def test_a_later_training_that_failed_degrades():
    deploy()
    trained("failed", AGO)
    assert not_well() == {"reranker": ("degraded", AGO)}


def test_a_reranker_that_cannot_be_loaded_has_failed():
    deploy()
    RankerModel.objects.update(artifact=b"\x00" * 100)
    Version.objects.filter(name="model").update(number=10_003)
    assert [(name, status) for name, (status, _) in not_well().items()] == [("reranker", "failed")]


def test_a_database_that_is_away_has_been_since_it_was_first_missed(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    first = health.without_database()
    assert first["database"]["status"] == "failed"
    assert health.without_database() == first
    assert datetime.now(UTC) - first["database"]["since"] < timedelta(minutes=1)
    health.database()
    assert not health.absent_since().exists()


def test_health_asks_little(django_assert_max_num_queries):
    parts()
    with django_assert_max_num_queries(16):
        parts()
