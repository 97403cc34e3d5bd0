"""The model itself, where there is no export."""

from retrieval.engines.embedders.loading import load


def test_load_falls_to_torch_without_an_export_and_its_name_says_so(tmp_path):
    embedder = load({"kind": "onnx", "export_dir": str(tmp_path), "model_dir": ""})
    assert embedder.name == "all-MiniLM-L6-v2 (torch)"
