"""The command from judgments to figures on a tiny model, and what the reranker learns from afterwards."""

import json

import pytest
from django.core.management import call_command

from evaluation.cross_encoder import fitting, run, worth
from evaluation.learning import pools as learning_pools
from evaluation.learning import training
from evaluation.learning.pools import HELD_OUT, pools_of
from evaluation.management.commands.train_cross_encoder import verdict
from evaluation.topics import library
from retrieval.engines.cross_encoders import CrossEncoder, probabilities
from retrieval.stages.reranker.features import FEATURES
from tests.evaluation.cross_encoder.test_worth import some_worth


@pytest.fixture
def quick(monkeypatch, exported):
    """A tiny model, an export for the halves that was made before, and topics that are searched once."""
    monkeypatch.setattr(worth, "DEPTHS", (10, 30))
    monkeypatch.setattr(run, "TENTHS", 5)
    monkeypatch.setattr(learning_pools, "FEWEST", 5)
    monkeypatch.setattr(training, "EPOCHS", 1)
    monkeypatch.setattr("evaluation.cross_encoder.pairs.DEEPEST", 30)
    export = run.export_cross_encoder

    def some_export(model, folder):
        return export(model, folder) if model.parent.name == "whole" else exported

    asked, gathered = run.asked, {}

    def asked_once(topics, *, show):
        ids = tuple(topic.id for topic in topics)
        if ids not in gathered:
            gathered[ids] = asked(topics, show=show)
        return gathered[ids]

    monkeypatch.setattr(run, "asked", asked_once)
    monkeypatch.setattr(run, "export_cross_encoder", some_export)
    return exported.parent / "tiny"


@pytest.mark.slow
@pytest.mark.django_db
def test_it_learns_reads_and_measures_and_goes_on_where_it_was_stopped(
    quick, settings, tmp_path, monkeypatch, capsys
):
    options = {"out": tmp_path, "start": quick, "limit": 16, "max_tokens": 48, "threads": 1}
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(run, "measured", stop)
        call_command("train_cross_encoder", **options)
    monkeypatch.setattr(fitting.Fitting, "take_batch", stop)
    monkeypatch.setattr(worth, "reading", stop)
    call_command("train_cross_encoder", **options)
    told = capsys.readouterr().out
    assert " topics to learn from" in told and "whole: " in told
    assert [line.split()[0] for line in told.splitlines()[-4:-1]] == ["0", "10", "30"]
    assert "half 1" not in told.rpartition("topics to learn from")[2]  # fitted before, and not again

    model = tmp_path / run.MODEL
    settings.ARF_CROSS_ENCODER = {"model_dir": str(model), "export_dir": str(tmp_path / "whole/export")}
    unseen = json.loads((model / HELD_OUT).read_text())
    [asked] = [each for each in library.topics_of(split="train") if each.id == next(iter(unseen))]
    [pool] = pools_of([asked])
    wanted = probabilities(unseen[asked.id][pool.locators[0]])
    assert pool.rows[0, FEATURES.index("cross_encoder")] == pytest.approx(wanted)
    assert CrossEncoder(tmp_path / "whole/export").logits("who", ["may vote"]).shape == (1,)


def stop(*args, **kwargs):
    raise KeyboardInterrupt


def test_what_is_not_proven_is_said_to_be_left_alone(tmp_path):
    good = some_worth(20, 0.03, 20.0, 0.01)
    assert "depth 20 gains most" in verdict([good], tmp_path) and "retrain" in verdict([good], tmp_path)
    assert "Not proven better" in verdict([some_worth(20, 0.03, 20.0, 0.2)], tmp_path)
