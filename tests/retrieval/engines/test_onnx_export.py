"""The exports: made once, held to torch, replaced whole."""

import shutil
import threading

import numpy as np
import pytest

from retrieval.engines import onnx_export
from retrieval.engines.cross_encoders import CrossEncoder, probabilities
from retrieval.engines.embedders import MODEL_FILES, EmbeddingUnavailable, OnnxEmbedder, default_model_dir
from retrieval.engines.onnx_export import ExportRefused, is_current, save_json, write_once
from tests.retrieval.engines.samples import manifest_of, write_manifest
from tests.retrieval.engines.tiny_cross_encoder import tiny
from tests.spoiling import spoil


def test_the_manifest_records_what_was_exported_and_how_well(export_dir):
    manifest = manifest_of(export_dir)
    assert manifest["model"] == "all-MiniLM-L6-v2 fitted to law"
    assert (manifest["dims"], manifest["max_seq_length"]) == (384, 256)
    assert manifest["fp32"]["cosine_min"] >= 0.9999
    assert 0.9 < manifest["int8"]["cosine_min"] <= manifest["int8"]["cosine_mean"] <= 1.0001


def test_a_second_export_finds_the_first_and_changes_nothing(export_dir):
    before = (export_dir / "model.onnx").stat().st_mtime_ns
    onnx_export.export(default_model_dir(), export_dir)
    assert (export_dir / "model.onnx").stat().st_mtime_ns == before


@pytest.mark.parametrize("changes", [{"format": 0}, {"libraries": {}}, {"weights_sha256": "other"}])
def test_an_export_of_something_else_is_not_current(export_dir, changes):
    manifest = manifest_of(export_dir)
    try:
        write_manifest(export_dir, **changes)
        assert not onnx_export.is_current(export_dir, onnx_export.facts_of(default_model_dir()), ())
    finally:
        write_manifest(export_dir, **manifest)


def test_an_export_with_other_bytes_is_not_used_and_made_anew(export_dir, tmp_path):
    copy = tmp_path / "onnx"
    shutil.copytree(export_dir, copy)
    facts, files = onnx_export.facts_of(default_model_dir()), ("tokenizer.json", *MODEL_FILES.values())
    write_manifest(copy, **onnx_export.sealed(copy, *files))
    assert is_current(copy, facts, files)
    spoil(copy / "model.int8.onnx")
    assert not is_current(copy, facts, files)
    with pytest.raises(EmbeddingUnavailable, match="model.int8.onnx is damaged"):
        OnnxEmbedder(copy, query_precision="int8")


def test_a_manifest_that_cannot_be_read_is_made_anew(tmp_path):
    (tmp_path / "manifest.json").write_bytes(b"\xff{")
    assert not is_current(tmp_path, {}, ())


def test_an_unfaithful_export_is_refused(export_dir):
    other = np.eye(384, dtype=np.float32)[: len(onnx_export.CHECK_TEXTS)]
    with pytest.raises(ExportRefused, match="differs from the model"):
        onnx_export._measure(export_dir, other)


def test_a_failed_export_leaves_the_older_one_and_no_litter(tmp_path, monkeypatch):
    out = tmp_path / "onnx"
    out.mkdir()
    (out / "manifest.json").write_text("{}")

    def fail(model_dir, work, facts):
        raise ExportRefused("no")

    monkeypatch.setattr(onnx_export, "_write", fail)
    with pytest.raises(ExportRefused):
        onnx_export.export(default_model_dir(), out)
    assert [path.name for path in tmp_path.rglob("*")] == ["onnx", "manifest.json"]


def test_a_new_export_takes_the_place_of_the_older(tmp_path, monkeypatch):
    out = tmp_path / "onnx"
    out.mkdir()
    (out / "old").write_text("")
    monkeypatch.setattr(onnx_export, "_write", lambda model_dir, work, facts: (work / "new").write_text(""))
    onnx_export.export(default_model_dir(), out)
    assert [path.name for path in tmp_path.rglob("*")] == ["onnx", "new"]


# -- A folder written whole or not at all


def test_what_is_current_is_left_alone(tmp_path):
    save_json(tmp_path / "manifest.json", {"weights": "these", "model": "m"})
    assert write_once(tmp_path, {"weights": "these"}, ["manifest.json"], pytest.fail) == tmp_path


@pytest.mark.parametrize("made", [{"weights": "others"}, {"weights": "these", "int8": {"kernel": "another"}}])
def test_what_is_not_current_or_not_whole_is_written_anew(tmp_path, made):
    save_json(tmp_path / "manifest.json", made)
    assert not is_current(tmp_path, {"weights": "these"}, ())
    assert not is_current(tmp_path, made, ["missing.onnx"])


def test_of_several_at_once_one_writes_and_the_others_find_it_made(tmp_path):
    out, written = tmp_path / "deep" / "out", []

    def write(work):
        written.append(work)
        save_json(work / "manifest.json", {"weights": "these"})

    threads = [
        threading.Thread(target=write_once, args=(out, {"weights": "these"}, (), write)) for _ in range(4)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(written) == 1 and (out / "manifest.json").exists()


# -- A cross-encoder


QUESTION = "who may search my house"


@pytest.mark.slow
def test_the_export_says_what_the_model_says_and_is_kept(exported):
    from sentence_transformers import CrossEncoder as Original

    texts = ["The right of the people", "", "no warrants shall issue " * 40]
    original = Original(str(exported.parent / "tiny"), device="cpu", local_files_only=True)
    wanted = original.predict([(QUESTION, text) for text in texts], show_progress_bar=False)
    fp32, int8 = (CrossEncoder(exported, precision=each) for each in MODEL_FILES)
    assert probabilities(fp32.logits(QUESTION, texts)) == pytest.approx(wanted, abs=1e-4)
    assert 0.0 < manifest_of(exported)["int8"]["farthest"] < 0.1
    assert probabilities(int8.logits(QUESTION, texts)) == pytest.approx(wanted, abs=0.1)
    before = (exported / "model.onnx").stat().st_mtime_ns
    onnx_export.export_cross_encoder(exported.parent / "tiny", exported)
    assert (exported / "model.onnx").stat().st_mtime_ns == before


@pytest.mark.slow
def test_a_model_of_several_labels_is_refused(tmp_path):
    with pytest.raises(ExportRefused, match="gives one logit, this model 3"):
        onnx_export.export_cross_encoder(tiny(tmp_path / "three", labels=3), tmp_path / "export")
    assert not (tmp_path / "export").exists()
