"""What must be there before a node serves is made once."""

import pytest
from django.contrib.auth.models import User
from django.core import checks
from django.core.management import CommandError

from arf_site.node import preparation
from evaluation.learning import registry
from evaluation.learning.training import Trained
from retrieval.models import JobRun, RankerModel
from retrieval.stages.reranker.artifact import pack
from tests.evaluation.learning.rerankers import of_other_features
from tests.rerankers import some_reranker

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


def test_the_first_administrator_is_made_once(settings):
    settings.ARF_ADMIN_USER, settings.ARF_ADMIN_PASSWORD = "chief", ""
    name, password = preparation.create_admin()
    assert name == "chief" and User.objects.get(username="chief").check_password(password)
    assert preparation.create_admin() is None


def test_a_password_that_was_given_is_not_repeated(settings):
    settings.ARF_ADMIN_USER, settings.ARF_ADMIN_PASSWORD = "chief", "a long password"
    assert preparation.create_admin() == ("chief", "that of ARF_ADMIN_PASSWORD")
    assert User.objects.get(username="chief").check_password("a long password")


def test_static_files_are_collected_when_one_has_changed(settings, tmp_path, monkeypatch):
    settings.STATIC_ROOT = tmp_path
    called = []
    monkeypatch.setattr(preparation, "call_command", lambda name, **_: called.append(name))
    for fingerprint in ("one", "one", "two"):
        monkeypatch.setattr(preparation, "static_fingerprint", lambda fingerprint=fingerprint: fingerprint)
        preparation.collect_static()
    assert called == ["collectstatic"] * 2


def test_an_error_of_the_checks_stops_the_start_and_is_said(monkeypatch):
    found = [checks.Warning("odd"), checks.Error("broken"), checks.Warning("behind", id="arf.W005")]
    monkeypatch.setattr(checks, "run_checks", lambda **_: found)
    said: list[str] = []
    with pytest.raises(CommandError, match="Mend these first"):
        preparation.check(said.append)
    assert len(said) == 2 and "odd" in said[0] and "broken" in said[1]
