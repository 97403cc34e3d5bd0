"""From names to a sentence ranker that can serve, which does not by itself."""

import pytest
from django.core.management import call_command

from evaluation.sentence_ranker import fitting
from retrieval.engines.cross_encoders import CrossEncoder
from retrieval.engines.embedders import sha256_of
from retrieval.engines.loaded import SENTENCE_RANKER


@pytest.mark.slow
@pytest.mark.django_db
def test_one_is_fitted_and_exported_and_the_one_that_serves_is_left(from_a_tiny_model, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(fitting, "BATCH", 4)
    fitted = []
    fit = fitting.fit
    monkeypatch.setattr(fitting, "fit", lambda *given, **named: fitted.append(fit(*given, **named)) or fitted[0])
    serving = sha256_of(SENTENCE_RANKER / "model.int8.onnx")
    call_command("train_sentence_ranker", out=tmp_path, limit=8, threads=1)
    told = capsys.readouterr().out
    assert "8 names that point to a sentence" in told and "2 of 2 batches" in told
    assert sha256_of(SENTENCE_RANKER / "model.int8.onnx") == serving

    ranker, question = CrossEncoder(tmp_path / "export", precision="int8"), "who may vote"
    texts = ["Citizens may vote.", "No man may.", "A", "Every Bill shall"]
    wanted = fitted[0].logits([(question, text) for text in texts]).flatten().tolist()
    assert ranker.logits(question, texts) == pytest.approx(wanted, abs=0.05) and max(wanted) > min(wanted) + 0.2
