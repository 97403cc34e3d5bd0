"""What trainings in torch begin with where it does not matter what they learn."""

import pytest


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    from tests.retrieval.engines.tiny_embedder import tiny_embedder

    return tiny_embedder(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture
def from_a_tiny_model(tiny_model, monkeypatch):
    """Cross-encoders begin with its first layer, at rates that change even weights in 16 bits within a batch."""
    from dataclasses import replace

    from evaluation import fine_tuning
    from evaluation.proof import entailment
    from evaluation.sentence_ranker import fitting as ranker

    monkeypatch.setattr(fine_tuning, "default_model_dir", lambda: tiny_model)
    for module in (entailment, ranker):
        monkeypatch.setattr(module, "RECIPE", replace(module.RECIPE, layers=1, rate=0.1, rate_of_head=0.1))
