"""The fingerprint and the tokenizer of a model on disk."""

from retrieval.engines.embedders.model_files import fingerprint_of


def test_onnx_and_torch_share_a_fingerprint(fp32, torch_embedder):
    assert fp32.fingerprint == torch_embedder.fingerprint
    assert (fp32.dims, fp32.max_tokens) == (torch_embedder.dims, torch_embedder.max_tokens)


def test_the_fingerprint_tells_weights_pooling_and_length_apart():
    variants = [("a", "mean", 256), ("b", "mean", 256), ("a", "cls", 256), ("a", "mean", 128)]
    assert len({fingerprint_of(*variant) for variant in variants}) == 4


def test_tokens_are_counted_with_the_special_ones(fp32, torch_embedder):
    assert fp32.count_tokens("") == 2
    assert fp32.count_tokens("habeas corpus") == torch_embedder.count_tokens("habeas corpus") > 3
