"""The export against torch: the same vectors, and what they mean."""

import numpy as np
import pytest

from retrieval.engines.embedders.base import EmbeddingUnavailable
from retrieval.engines.embedders.onnx import OnnxEmbedder
from tests.retrieval.engines.embedders.samples import LONG, TEXTS


def test_onnx_equals_torch(fp32, torch_embedder):
    texts = [*TEXTS, "", LONG]
    ours, theirs = fp32.embed_documents(texts), torch_embedder.embed_documents(texts)
    assert ours.shape == (len(texts), 384) and ours.dtype == np.float32
    assert (ours * theirs).sum(axis=1).min() >= 0.9999


def test_int8_is_close(fp32, int8):
    cosines = (fp32.embed_documents(TEXTS) * int8.embed_documents(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.97


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_text_has_one_vector_whatever_stands_beside_it(request, precision):
    embedder = request.getfixturevalue(precision)
    together = embedder.embed_documents([LONG, *TEXTS])
    apart = np.stack([embedder.embed_query(text) for text in [LONG, *TEXTS]])
    assert np.abs(together - apart).max() < 1e-5
    assert np.abs(embedder.embed_documents([*TEXTS[::-1], LONG])[::-1] - together).max() < 1e-5


def test_vectors_have_unit_length(int8):
    lengths = np.linalg.norm(int8.embed_documents([*TEXTS, "", " ", "\x00", "§" * 5000]), axis=1)
    assert np.abs(lengths - 1).max() < 1e-5


def test_no_texts_give_no_vectors(fp32, torch_embedder):
    assert fp32.embed_documents([]).shape == torch_embedder.embed_documents([]).shape == (0, 384)


def test_long_texts_are_cut_on_the_right(fp32):
    assert fp32.count_tokens(LONG) > fp32.max_tokens
    assert np.allclose(fp32.embed_query(LONG), fp32.embed_query(LONG + " and more"), atol=1e-6)
    assert not np.allclose(fp32.embed_query(LONG), fp32.embed_query("More and " + LONG), atol=1e-3)


def test_related_texts_are_nearer_than_others(int8):
    near, far = int8.embed_documents(
        ["No Warrants shall issue, but upon probable cause", "The Senate chuses"]
    )
    query = int8.embed_query("can police search without a warrant")
    assert query @ near > query @ far


def test_a_damaged_export_is_unavailable_rather_than_wrong(export_dir, tmp_path):
    for name in ("manifest.json", "tokenizer.json"):
        (tmp_path / name).write_bytes((export_dir / name).read_bytes())
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(EmbeddingUnavailable, match="failed"):
        OnnxEmbedder(tmp_path, query_precision="fp32").embed_query("habeas corpus")
