"""Which embedder a spec names."""

import pytest

from retrieval.engines.embedders.base import EmbeddingUnavailable
from retrieval.engines.embedders.loading import load
from retrieval.engines.embedders.onnx import OnnxEmbedder


def test_load_takes_the_export(export_dir):
    embedder = load({"kind": "onnx", "export_dir": str(export_dir), "query_precision": "fp32"})
    assert isinstance(embedder, OnnxEmbedder)
    assert embedder.name == "all-MiniLM-L6-v2 (onnx fp32)"


@pytest.mark.parametrize(
    "spec", [{"kind": "magic"}, {"kind": "openai"}, {"kind": "torch", "model_dir": "/nonexistent/model"}]
)
def test_a_spec_that_cannot_be_loaded_is_refused(spec):
    with pytest.raises(EmbeddingUnavailable):
        load(spec)
