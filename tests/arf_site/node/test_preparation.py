"""What must be there before a node serves is made once."""

import json
import os
import shutil
import signal
import subprocess
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from django.contrib.auth.models import User
from django.core import checks
from django.core.management import CommandError

from arf_site.node import preparation
from evaluation.learning import registry
from evaluation.learning.training import Trained
from retrieval.access import matters
from retrieval.access.caller import Caller
from retrieval.access.row_security import as_system
from retrieval.engines import loaded
from retrieval.ingestion import erasing
from retrieval.models import Domain, EmbeddingModel, Erasure, JobRun, Matter, RankerModel
from retrieval.stages.reranker.artifact import pack
from rules.models import Alias
from tests.builders import a_document
from tests.evaluation.learning.rerankers import of_other_features
from tests.rerankers import some_reranker
from tests.running import is_running, python, wait_for

pytestmark = pytest.mark.django_db


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


def test_a_matter_that_an_interrupted_restore_brought_back_is_erased_at_the_next_start(settings, tmp_path):
    said: list[str] = []
    settings.ARF_ERASURES = tmp_path / "erasures"
    matter = matters.open_matter("Vermilion-77", "Xiomara Quetzalcoatlus", Caller(("user:987",)))
    erasing.note((matter.public_id, date(2026, 1, 31)))
    for _ in range(2):
        preparation.erase_again(said.append)
    with as_system():
        assert not Matter.objects.exists()
    assert said == ["  Erased again: 1 matter that a backup had brought back."]


def test_what_cannot_be_read_of_the_erasures_is_told_and_all_others_are_erased_again(settings, tmp_path):
    said: list[str] = []
    settings.ARF_ERASURES = tmp_path / "erasures"
    noted, in_database = (matters.open_matter(name, "", Caller(("user:987",))) for name in ("A", "B"))
    Erasure.objects.create(public_id=in_database.public_id)
    settings.ARF_ERASURES.write_text(f"7b\n{noted.public_id} 2026-01-31\n3f2a\n")
    preparation.erase_again(said.append)
    with as_system():
        assert not Matter.objects.exists()
    assert "2 matters" in said[0] and [line.split(", begins")[0] for line in said[1:]] == [
        f"  {settings.ARF_ERASURES}, line {place}" for place in (1, 3)
    ]


def test_erasures_that_cannot_be_read_at_all_stop_no_start(settings, tmp_path):
    said: list[str] = []
    settings.ARF_ERASURES = tmp_path
    matter = matters.open_matter("A", "", Caller(("user:987",)))
    Erasure.objects.create(public_id=matter.public_id)
    preparation.erase_again(said.append)
    with as_system():
        assert not Matter.objects.exists()
    assert said[1:] == [f"  {tmp_path} cannot be read: Is a directory."]


def made_by(fingerprint: str, spec: dict) -> None:
    EmbeddingModel.objects.update(status=EmbeddingModel.Status.RETIRED)
    facts = {"name": "earlier", "dims": 384, "spec": spec, "status": EmbeddingModel.Status.ACTIVE}
    EmbeddingModel.objects.update_or_create(fingerprint=fingerprint, defaults=facts)


def test_an_embedder_that_changed_under_the_same_settings_has_all_text_embedded_anew_once():
    said: list[str] = []
    made_by("of an earlier release", loaded.settings_spec())
    JobRun.objects.create(kind="ingest", key="corpus", status=JobRun.Status.RUNNING)
    Alias.objects.create(
        domain=Domain.objects.get(slug="us_constitution"), locator="/us/const/preamble", text="our start"
    )
    assert not preparation.names_are_embedded() and preparation.names_left() > 1
    for _ in range(2):
        preparation.order_vectors(said.append)
    assert JobRun.objects.get(kind="reembed").status == JobRun.Status.QUEUED
    assert "The embedder has changed" in said[0]
    assert preparation.names_are_embedded()  # with the text: `up` does not wait for that


@pytest.mark.parametrize("other", [{}, {"kind": "openai"}])
def test_vectors_of_this_embedder_or_of_one_that_was_chosen_are_left(other):
    spec = loaded.settings_spec()
    made_by("else" if other else loaded.embedder_from(spec).fingerprint, spec | other)
    preparation.order_vectors(pytest.fail)
    assert not JobRun.objects.filter(kind="reembed").exists()


def test_the_first_administrator_is_made_once(settings):
    settings.ARF_ADMIN_USER, settings.ARF_ADMIN_PASSWORD = "chief", ""
    name, password = preparation.create_admin()
    assert name == "chief" and User.objects.get(username="chief").check_password(password)
    assert preparation.create_admin() is None


def test_a_password_that_was_given_is_not_repeated(settings):
    settings.ARF_ADMIN_USER, settings.ARF_ADMIN_PASSWORD = "chief", "a long password"
    assert preparation.create_admin() == ("chief", "that of ARF_ADMIN_PASSWORD")
    assert User.objects.get(username="chief").check_password("a long password")


@pytest.fixture
def collected(settings, tmp_path, monkeypatch):
    """Two collected files; each time that they are collected anew what lies there is noted in the list."""
    settings.STATIC_ROOT, calls = tmp_path, []

    def collect(folder):
        calls.append(sorted(path.name for path in tmp_path.glob("*.css")))
        for file in ("a.css", "b.css"):
            (folder / file).write_text("p {}")

    monkeypatch.setattr(preparation, "collect_into", collect)
    monkeypatch.setattr(preparation, "static_fingerprint", lambda: "one")
    preparation.collect_static()
    assert calls == [[]]
    return calls


def test_static_files_are_collected_when_a_source_has_changed(collected, monkeypatch):
    preparation.collect_static()
    assert len(collected) == 1
    for fingerprint in ("one", "two", "two"):
        monkeypatch.setattr(preparation, "static_fingerprint", lambda fingerprint=fingerprint: fingerprint)
        preparation.collect_static()
    assert len(collected) == 2


@pytest.mark.parametrize("damage", [lambda file: file.write_text("p }"), lambda file: file.unlink()])
def test_a_collected_file_that_was_changed_or_lost_is_collected_anew(collected, tmp_path, damage):
    damage(tmp_path / "b.css")
    preparation.collect_static()
    preparation.collect_static()
    assert len(collected) == 2
    assert (tmp_path / "b.css").read_text() == "p {}"


def test_a_file_that_is_damaged_while_others_are_collected_is_mended(collected, tmp_path, monkeypatch):
    write = preparation.collect_into

    def collect(folder):
        write(folder)
        for path in (tmp_path / "a.css", tmp_path / "b.css"):
            path.write_text("p }")

    monkeypatch.setattr(preparation, "collect_into", collect)
    (tmp_path / "b.css").unlink()
    preparation.collect_static()
    assert {path.name: path.read_text() for path in tmp_path.glob("*.css")} == {"a.css": "p {}", "b.css": "p {}"}
    (tmp_path / "a.css").write_text("p }")
    preparation.collect_static()
    assert (tmp_path / "a.css").read_text() == "p {}"


def test_what_no_source_gives_any_more_is_taken_away(collected, tmp_path):
    (tmp_path / "old.css").write_text("p {}")
    (tmp_path / "a.css").unlink()
    preparation.collect_static()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".collected", "a.css", "b.css"]


def test_collected_files_are_those_that_pages_name(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path / "static"
    kind = {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": kind}
    preparation.collect_static()
    named = json.loads((settings.STATIC_ROOT / "staticfiles.json").read_text())["paths"]
    assert all((settings.STATIC_ROOT / name).is_file() for name in named.values()) and "admin/css/base.css" in named


def test_a_folder_that_goes_while_it_is_looked_at_ends_nothing(tmp_path, monkeypatch):
    """An export is put in place by renaming its folder."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("whole")
    stat = Path.stat

    def going(path, **options):
        if path.name == "file":
            shutil.rmtree(tmp_path / "b", ignore_errors=True)
        return stat(path, **options)

    monkeypatch.setattr(Path, "stat", going)
    assert set(preparation.stamps(tmp_path)) <= {"a/file"}


def test_a_stamp_that_cannot_be_read_has_all_collected_anew(collected, tmp_path):
    (tmp_path / ".collected").write_text("[1")
    preparation.collect_static()
    assert len(collected) == 2


@pytest.fixture
def upkeep(settings, tmp_path, monkeypatch):
    """Looks at one folder of two files, and begins a program that only says with what it ended."""
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STATIC_ROOT.mkdir()
    settings.ARF_EMBEDDER = settings.ARF_EMBEDDER | {"export_dir": str(tmp_path / "onnx")}
    (settings.STATIC_ROOT / "a.css").write_text("p {}")
    monkeypatch.setattr(preparation, "LOOKS_EVERY", 0.0)
    begun = []

    def begin(command, **options):
        begun.append(SimpleNamespace(command=command, returncode=None, poll=lambda: begun[-1].returncode))
        return begun[-1]

    monkeypatch.setattr(preparation.subprocess, "Popen", begin)
    return preparation.Upkeep(tmp_path / "prepare.log"), begun


def test_files_that_change_are_prepared_until_none_is_changed_any_more(upkeep, settings):
    upkeep, begun = upkeep
    assert not upkeep.look() and not begun
    (settings.STATIC_ROOT / "a.css").write_text("p { }")
    for runs in (1, 2, 2):
        for _ in range(3):
            upkeep.look()
        assert [run.command[-1] for run in begun] == ["prepare"] * runs
        if runs == 1:  # mended, and damaged again, before it ended
            (settings.STATIC_ROOT / "a.css").write_text("p {  }")
        begun[-1].returncode = 0


def test_what_could_not_be_prepared_is_tried_again_later_each_time(upkeep, settings, monkeypatch):
    upkeep, begun = upkeep
    (settings.STATIC_ROOT / "a.css").unlink()
    upkeep.pause = 1.0
    for pause in (2.0, 4.0):
        upkeep.next_look = 0.0
        upkeep.look()
        begun[-1].returncode = 1
        upkeep.next_look = 0.0
        upkeep.look()
        assert upkeep.pause == pause
    assert len(begun) == 2


def test_a_log_that_cannot_be_written_ends_nothing(upkeep, settings, tmp_path):
    upkeep, begun = upkeep
    (settings.STATIC_ROOT / "a.css").unlink()
    upkeep.pause, upkeep.log = 1.0, tmp_path / "gone" / "prepare.log"
    assert not upkeep.look() and not begun and upkeep.pause == 2.0


def test_what_is_being_prepared_ends_when_it_stops(tmp_path):
    upkeep = preparation.Upkeep(tmp_path / "prepare.log")
    upkeep.stop()
    upkeep.process = subprocess.Popen(["sleep", "600"])
    upkeep.stop()
    assert upkeep.process.returncode == -signal.SIGTERM


def test_an_export_ends_with_the_process_that_waits_for_it(tmp_path, monkeypatch):
    command = python("import sys, time; open(sys.argv[1], 'w').close(); time.sleep(600)", str(tmp_path / "begun"))
    ending = preparation.ending_with_us
    monkeypatch.setattr(preparation, "ending_with_us", lambda _: ending(command))
    if not (waiting := os.fork()):  # it has loaded what takes another process a second
        try:
            with preparation.exporting(print, "Model", {"export_dir": "", "model_dir": ""}):
                pass
        finally:
            os._exit(1)
    wait_for((tmp_path / "begun").exists, limit=60)
    [export] = psutil.Process(waiting).children(recursive=True)
    os.kill(waiting, signal.SIGKILL)
    os.waitpid(waiting, 0)
    wait_for(lambda: not is_running(export.pid), limit=10)


def test_an_error_of_the_checks_stops_the_start_and_is_said(monkeypatch):
    found = [checks.Warning("odd"), checks.Error("broken"), checks.Warning("behind", id="arf.W005")]
    monkeypatch.setattr(checks, "run_checks", lambda **_: found)
    said: list[str] = []
    with pytest.raises(CommandError, match="Mend these first"):
        preparation.check(said.append)
    assert len(said) == 2 and "odd" in said[0] and "broken" in said[1]


def test_bodies_that_are_not_loaded_are_named_by_what_loads_them():
    codes = ["us_code", "code_of_federal_regulations", "uscis_policy"]
    assert preparation.bodies_to_load() == {"fetch": codes, "ingest": ["supreme_court_cases"]}
    for slug in ("us_code", "supreme_court_cases"):
        a_document(Domain.objects.get(slug=slug))
    assert preparation.bodies_to_load() == {"fetch": codes[1:]}
