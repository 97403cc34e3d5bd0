"""The export of a real sentence-transformers model: made once, and faithful."""

import pytest

from retrieval.engines import cross_encoder_export
from retrieval.engines.cross_encoders import CrossEncoder, probabilities
from retrieval.engines.exporting import ExportRefused
from tests.retrieval.engines.tiny_cross_encoder import tiny

QUESTION = "who may search my house"


@pytest.mark.slow
def test_the_export_says_what_the_model_says_and_is_kept(exported):
    from sentence_transformers import CrossEncoder as Original

    texts = ["The right of the people", "", "no warrants shall issue " * 40]
    original = Original(str(exported.parent / "tiny"), device="cpu", local_files_only=True)
    wanted = original.predict([(QUESTION, text) for text in texts], show_progress_bar=False)
    assert probabilities(CrossEncoder(exported).logits(QUESTION, texts)) == pytest.approx(wanted, abs=1e-4)
    before = (exported / "model.onnx").stat().st_mtime_ns
    cross_encoder_export.export(exported.parent / "tiny", exported)
    assert (exported / "model.onnx").stat().st_mtime_ns == before


@pytest.mark.slow
def test_a_model_of_several_labels_is_refused(tmp_path):
    with pytest.raises(ExportRefused, match="gives one logit, this model 3"):
        cross_encoder_export.export(tiny(tmp_path / "three", labels=3), tmp_path / "export")
    assert not (tmp_path / "export").exists()
