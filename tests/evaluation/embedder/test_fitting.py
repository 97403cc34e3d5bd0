"""An adapter is fitted on names and headings: what was stopped goes on, questions get nearer to their passages."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.embedder import fitting
from evaluation.embedder.fitting import Fitting, Plan, fit
from evaluation.embedder.pairs import Pair
from retrieval.engines.embedders import TorchEmbedder, default_model_dir, save_adapted
from retrieval.errors import ArfError

LAW = {
    "zorbing ground": "The Secretary shall designate places where persons may roll downhill in spheres.",
    "quiet hours": "No horn shall be sounded between ten at night and six in the morning.",
    "lost keys": "Whoever finds keys in a public place shall hand them to the nearest clerk.",
    "bee licence": "A keeper of more than ten hives shall register them each spring.",
    "night markets": "Vendors may sell food after dark in the squares named by the mayor.",
    "tree felling": "An oak older than a century may be felled by leave of the warden alone.",
    "ferry tolls": "The master of a ferry shall post his rates where passengers board.",
    "kite rules": "A kite shall not be flown within a mile of an aerodrome.",
}
PAIRS = [Pair(name, text, n, 1, True) for n, (name, text) in enumerate(LAW.items())]
PLAN = Plan(batches=4, threads=1)


def updates(folder) -> bytes:
    return (folder / "adapter_model.safetensors").read_bytes()


def test_a_training_that_is_stopped_goes_on_and_ends_as_one_that_was_not(tiny_model, tmp_path, monkeypatch):
    monkeypatch.setattr(fitting, "default_model_dir", lambda: tiny_model)
    monkeypatch.setattr(fitting, "EVERY", 1)
    stopped = Fitting(tmp_path / "stopped", PLAN, PAIRS)
    stopped.take_batch()
    stopped.keep()
    lines = []
    resumed = fit(tmp_path / "stopped", PLAN, PAIRS, say=lines.append)
    assert lines[0].startswith("2 of 4 batches") and lines[-1].startswith("4 of 4 batches")
    assert updates(resumed) == updates(fit(tmp_path / "whole", PLAN, PAIRS))
    fit(tmp_path / "whole", PLAN, PAIRS, say=pytest.fail)  # nothing is left to do
    with pytest.raises(ArfError, match="holds another training"):
        fit(tmp_path / "whole", replace(PLAN, batches=5), PAIRS)


def test_questions_get_nearer_to_their_own_passages_than_to_others(tmp_path):
    model_dir = default_model_dir()
    adapter = fit(tmp_path, replace(PLAN, batches=8), PAIRS)
    fitted = save_adapted(model_dir, adapter, tmp_path / "model")
    before, after = (margin(TorchEmbedder(each)) for each in (model_dir, fitted))
    assert after > before + 0.1


def margin(embedder: TorchEmbedder) -> float:
    """How much nearer a question is to its own passage than to the nearest other one, on average."""
    asked, texts = (embedder.embed_documents(list(each)) for each in (LAW, LAW.values()))
    cosines = asked @ texts.T
    return float(np.mean(cosines.diagonal() - (cosines - 2 * np.eye(len(cosines))).max(axis=1)))


def test_there_must_be_enough_to_learn_from(tmp_path):
    with pytest.raises(ArfError, match="too few names"):
        Fitting(tmp_path, PLAN, PAIRS[:7])


def test_a_batch_has_a_section_once_and_another_name_of_each(tmp_path):
    more = [*PAIRS, *(replace(pair, question=f"about {pair.question}") for pair in PAIRS)]
    pairs, others = Fitting(tmp_path, PLAN, [*more, Pair("a heading", "its text", 99, 2, False)])._batch()
    assert len({pair.section for pair in pairs}) == len(pairs)
    assert [pair.section for pair in others] == [pair.section for pair in pairs]
