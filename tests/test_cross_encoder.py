"""A cross-encoder: exported from a real sentence-transformers model, read by the stage, learned from, without torch."""

import json
from pathlib import Path

import numpy as np
import pytest

from evaluation.training import cross_knots
from retrieval import cross_encoding, cross_export, serving
from retrieval.cross_encoders import CrossEncoder, CrossEncoderUnavailable, probabilities
from retrieval.embedders import default_model_dir
from retrieval.features import FEATURES, of_text
from retrieval.onnx_export import ExportRefused
from retrieval.ranking import ANONYMOUS
from retrieval.reranking import asked
from retrieval.search import SearchRequest, run, visible_domains
from retrieval.versions import current
from retrieval.vocabulary import texts_of

QUESTION = "who may search my house"


def tiny(folder: Path, *, labels: int = 1) -> Path:
    """A CrossEncoder of random weights with the shipped embedder's tokenizer, as its makers would save it."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(1)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(num_labels=labels, max_position_embeddings=64, initializer_range=0.5, **sizes)
    BertForSequenceClassification(config).save_pretrained(folder)
    names = {f"{name.lower()}_token": f"[{name}]" for name in ("PAD", "CLS", "SEP", "UNK", "MASK")}
    PreTrainedTokenizerFast(
        tokenizer_file=str(default_model_dir() / "tokenizer.json"),
        model_max_length=64,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        **names,
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("cross")
    return cross_export.export(tiny(folder / "tiny"), folder / "export")


@pytest.fixture
def configured(settings, exported):
    settings.ARF_CROSS_ENCODER = {"model_dir": "tiny", "export_dir": str(exported)}


def pool_of(text: str):
    scopes = visible_domains(ANONYMOUS, ("us_constitution",))
    return run(SearchRequest(text, pipeline="pool"), ANONYMOUS, scopes, current(scopes))


@pytest.mark.slow
def test_the_export_says_what_the_model_says_and_is_kept(exported):
    from sentence_transformers import CrossEncoder as Original

    texts = ["The right of the people", "", "no warrants shall issue " * 40]
    original = Original(str(exported.parent / "tiny"), device="cpu", local_files_only=True)
    wanted = original.predict([(QUESTION, text) for text in texts], show_progress_bar=False)
    assert probabilities(CrossEncoder(exported).logits(QUESTION, texts)) == pytest.approx(wanted, abs=1e-4)
    before = (exported / "model.onnx").stat().st_mtime_ns
    cross_export.export(exported.parent / "tiny", exported)
    assert (exported / "model.onnx").stat().st_mtime_ns == before


@pytest.mark.slow
def test_a_model_of_several_labels_is_refused(tmp_path):
    with pytest.raises(ExportRefused, match="gives one logit, this model 3"):
        cross_export.export(tiny(tmp_path / "three", labels=3), tmp_path / "export")
    assert not (tmp_path / "export").exists()


@pytest.mark.django_db
def test_the_first_candidates_are_read_and_keep_their_order(configured, exported):
    ranking = pool_of(QUESTION)
    first = ranking.candidates[0]
    text = cross_encoding.passages(ranking.query, [first])[0]
    logit = CrossEncoder(exported).logits(ranking.query.text, [text])[0]
    assert "searches and seizures" in text
    assert first.scores["cross_encoder_logit"] == pytest.approx(logit)
    assert first.scores["cross_encoder"] == pytest.approx(probabilities(np.array([logit]))[0])
    assert sum("cross_encoder" in candidate.scores for candidate in ranking.candidates) == 30
    assert ranking.reports[-1].note.endswith("not calibrated yet")
    fingerprint = json.loads((exported / "manifest.json").read_text())["fingerprint"]
    assert fingerprint in repr(cross_encoding.CrossEncoderReranker())
    rows = of_text(asked(ranking.query), ranking.candidates, texts_of(ranking.query, ranking.candidates))
    assert rows[0, FEATURES.index("cross_encoder")] == pytest.approx(first.scores["cross_encoder"])


@pytest.mark.django_db
def test_without_one_the_stage_says_so_and_without_its_export_the_answer_is_degraded(settings, tmp_path):
    assert pool_of(QUESTION).reports[-1].note == "no cross-encoder is configured"
    settings.ARF_CROSS_ENCODER = {"model_dir": "x", "export_dir": str(tmp_path)}
    with pytest.raises(CrossEncoderUnavailable, match="has no export"):
        serving.cross_encoder()
    ranking = pool_of(QUESTION)
    assert ranking.degraded == ("CrossEncoderReranker",) and ranking.candidates


def test_its_probability_is_calibrated_on_judged_rows():
    from evaluation.training import Division

    chance = np.random.default_rng(0)
    rows = np.zeros((400, len(FEATURES)), np.float32)
    nothing = {"unseen": rows[:0], "sizes": np.zeros(0, int)}
    assert cross_knots(Division(rows, np.zeros(400, int), **nothing)) is None
    rows[:, FEATURES.index("cross_encoder")] = plain = chance.uniform(0.01, 1, 400)
    labels = (chance.uniform(size=400) < plain / 4).astype(int)  # four times too sure
    knots = cross_knots(Division(rows, labels, **nothing))
    assert np.interp(plain, *knots).mean() == pytest.approx(labels.mean(), abs=1e-6)
