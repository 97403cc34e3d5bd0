"""A cross-encoder is fitted on pairs in torch: what is killed goes on, and it stops where it no longer gets better."""

import os
import signal
from dataclasses import replace

import pytest

from evaluation.cross_encoder import fitting
from evaluation.cross_encoder.fitting import Fitting, Pair, Plan, fit
from retrieval.errors import ArfError
from tests.retrieval.engines.tiny_cross_encoder import tiny

LAW = [
    ("who may search my house", "The right of the people to be secure in their houses shall not be violated"),
    ("may I own a gun", "the right of the people to keep and bear Arms, shall not be infringed"),
    ("who may vote at eighteen", "The right of citizens, who are eighteen years of age or older, to vote"),
]


def some_pairs(times: int) -> list[Pair]:
    texts = [text for _question, text in LAW]
    return [Pair(question, text, text == own) for question, own in LAW for text in texts] * times


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    return Plan(tiny(tmp_path_factory.mktemp("start")), max_tokens=32, epochs=2, threads=1)


def weights(folder) -> bytes:
    return (folder / "model/model.safetensors").read_bytes()


def killed_at_the_first_line(folder, plan, learned, held_out) -> str:
    """What a process of its own says at its first checkpoint, where it is killed. It has torch already."""
    heard, told = os.pipe()
    if not (child := os.fork()):
        try:
            fit(folder, plan, learned, held_out, say=lambda line: (os.write(told, line.encode()), signal.pause()))
        finally:
            os._exit(1)
    os.close(told)
    line = os.read(heard, 1_000).decode()
    os.close(heard)
    os.kill(child, signal.SIGKILL)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    return line


def test_a_training_that_is_killed_goes_on_and_ends_as_one_that_was_not(plan, tmp_path, monkeypatch):
    learned, held_out = some_pairs(6), some_pairs(1)
    with monkeypatch.context() as patch:
        patch.setattr(fitting, "EVERY", 1)
        first = killed_at_the_first_line(tmp_path / "killed", plan, learned, held_out)
    assert first.startswith("1 of 8 batches")
    resumed = Fitting(tmp_path / "killed", plan, learned, held_out)
    assert resumed.position == 1 and not resumed.is_finished
    lines = []
    fit(tmp_path / "killed", plan, learned, held_out, say=lines.append)
    fit(tmp_path / "whole", plan, learned, held_out)
    assert lines[-1].startswith("8 of 8 batches") and weights(tmp_path / "killed") == weights(
        tmp_path / "whole"
    )
    fit(tmp_path / "whole", plan, learned, held_out, say=pytest.fail)  # nothing is left to do
    with pytest.raises(ArfError, match="holds another training"):
        fit(tmp_path / "whole", replace(plan, epochs=3), learned, held_out)


def test_it_learns_what_it_is_shown_and_keeps_the_words_it_began_with(plan, tmp_path, monkeypatch):
    import torch

    monkeypatch.setattr(fitting, "RATE", 1e-2)
    fitted = Fitting(tmp_path, replace(plan, epochs=6), some_pairs(12), some_pairs(1))
    before = {name: each.clone() for name, each in fitted.model.state_dict().items()}
    loss = fitted._mean_loss()
    for _batch in range(28):
        fitted.take_batch()
    after = fitted.model.state_dict()
    unchanged = {name for name in before if torch.equal(before[name], after[name])}
    assert fitted._mean_loss() < loss and len(fitted.losses) == 4
    assert unchanged and all("embeddings" in name for name in unchanged)


def test_it_stops_after_an_epoch_that_was_worse_and_keeps_the_better_one(plan, tmp_path, monkeypatch):
    fitted = Fitting(tmp_path, replace(plan, epochs=5), some_pairs(2), some_pairs(1))
    worse = iter([0.5, 0.4, 0.6])
    monkeypatch.setattr(Fitting, "_mean_loss", lambda self: next(worse))
    saved = []
    monkeypatch.setattr(Fitting, "_save_best", lambda self: saved.append(self.position))
    while not fitted.is_finished:
        fitted.take_batch()
    assert fitted.losses == [0.5, 0.4, 0.6] and saved == [2, 4]


def test_nothing_to_learn_from_is_said(plan, tmp_path):
    with pytest.raises(ArfError, match="too few"):
        fit(tmp_path, plan, [], some_pairs(1))


def test_an_epoch_holds_every_pair_once_and_the_next_in_another_order(plan, tmp_path):
    fitted = Fitting(tmp_path, plan, some_pairs(4), some_pairs(1))
    first, second = fitted._order(0).tolist(), fitted._order(1).tolist()
    assert sorted(first) == sorted(second) == list(range(36)) and first != second
