"""The export: made once, held to torch, replaced whole."""

import numpy as np
import pytest

from retrieval.engines import onnx_export
from retrieval.engines.embedders.model_files import default_model_dir
from retrieval.engines.exporting import ExportRefused
from tests.retrieval.engines.embedders.samples import manifest_of, write_manifest


def test_the_manifest_records_what_was_exported_and_how_well(export_dir):
    manifest = manifest_of(export_dir)
    assert manifest["model"] == "all-MiniLM-L6-v2"
    assert (manifest["dims"], manifest["max_seq_length"]) == (384, 256)
    assert manifest["fp32"]["cosine_min"] >= 0.9999
    assert 0.9 < manifest["int8"]["cosine_min"] <= manifest["int8"]["cosine_mean"] <= 1.0001


def test_a_second_export_finds_the_first_and_changes_nothing(export_dir):
    before = (export_dir / "model.onnx").stat()
    onnx_export.export(default_model_dir(), export_dir)
    assert (export_dir / "model.onnx").stat() == before


@pytest.mark.parametrize("changes", [{"format": 0}, {"libraries": {}}, {"weights_sha256": "other"}])
def test_an_export_of_something_else_is_not_current(export_dir, changes):
    manifest = manifest_of(export_dir)
    try:
        write_manifest(export_dir, **changes)
        assert not onnx_export.is_current(default_model_dir(), export_dir)
    finally:
        write_manifest(export_dir, **manifest)


def test_an_unfaithful_export_is_refused(export_dir):
    other = np.eye(384, dtype=np.float32)[: len(onnx_export.CHECK_TEXTS)]
    with pytest.raises(ExportRefused, match="differs from the model"):
        onnx_export._measure(export_dir, other)


def test_a_failed_export_leaves_the_older_one_and_no_litter(tmp_path, monkeypatch):
    out = tmp_path / "onnx"
    out.mkdir()
    (out / "manifest.json").write_text("{}")

    def fail(model_dir, work):
        raise ExportRefused("no")

    monkeypatch.setattr(onnx_export, "_write", fail)
    with pytest.raises(ExportRefused):
        onnx_export.export(default_model_dir(), out)
    assert [path.name for path in tmp_path.rglob("*")] == ["onnx", "manifest.json"]


def test_a_new_export_takes_the_place_of_the_older(tmp_path, monkeypatch):
    out = tmp_path / "onnx"
    out.mkdir()
    (out / "old").write_text("")
    monkeypatch.setattr(onnx_export, "_write", lambda model_dir, work: (work / "new").write_text(""))
    onnx_export.export(default_model_dir(), out)
    assert [path.name for path in tmp_path.rglob("*")] == ["onnx", "new"]
