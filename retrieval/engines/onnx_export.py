"""Exports a sentence-transformers model to ONNX, in fp32 and int8, and measures both against torch.
Set-up only: it loads torch, which no web worker may. `python -m retrieval.engines.onnx_export OUT_DIR [MODEL_DIR]`
"""

import argparse
import json
import logging
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from retrieval.engines.embedders import model_files
from retrieval.engines.embedders.base import unit
from retrieval.engines.embedders.model_files import MANIFEST, MODEL_FILES
from retrieval.engines.embedders.onnx import OnnxEmbedder
from retrieval.engines.embedders.sessions import Precision, int8_kernel
from retrieval.engines.embedders.torch import TorchEmbedder
from retrieval.engines.exporting import (
    LEGAL_SENTENCES,
    ExportRefused,
    export_graph,
    libraries,
    read_json,
    save_json,
    write_once,
)

FORMAT = 1  # raise it when the graph or the manifest changes, and every export is made anew
FP32_MIN_COSINE = 0.9999  # below, ONNX and torch vectors could not stand in one index
# The empty text and one past every window, beside sentences of all lengths.
CHECK_TEXTS = [*LEGAL_SENTENCES, "", " ".join(LEGAL_SENTENCES)]


def export(model_dir: Path, out_dir: Path) -> Path:
    """Writes model.onnx, model.int8.onnx, tokenizer.json and manifest.json, all or none. May run twice: an
    export of these weights by these libraries on this kind of CPU is kept (0.3 s). Otherwise about 20 s.

    Raises ExportRefused, EmbeddingUnavailable (the model cannot be read).
    """
    return write_once(
        out_dir,
        is_current=lambda: is_current(model_dir, out_dir),
        write=lambda work: _write(model_dir, work),
    )


def is_current(model_dir: Path, out_dir: Path) -> bool:
    manifest = read_json(out_dir / MANIFEST)
    if not manifest or not all(
        (out_dir / name).is_file() for name in ("tokenizer.json", *MODEL_FILES.values())
    ):
        return False
    facts = _facts(model_dir)
    return (
        facts == {name: manifest.get(name) for name in facts} and manifest["int8"]["kernel"] == int8_kernel()
    )


def _facts(model_dir: Path) -> dict:
    weights, pooling = model_files.weights_sha256(model_dir), model_files.pooling_mode(model_dir)
    max_tokens = model_files.max_sequence_length(model_dir)
    return {
        "format": FORMAT,
        "model": model_files.model_name(model_dir),
        "fingerprint": model_files.fingerprint_of(weights, pooling, max_tokens),
        "dims": TorchEmbedder(model_dir).dims,
        "max_seq_length": max_tokens,
        "pooling": pooling,
        "weights_sha256": weights,
        "libraries": libraries(),
    }


def _write(model_dir: Path, work: Path) -> None:
    """The manifest comes last, and its presence is what makes an export one."""
    from sentence_transformers import SentenceTransformer

    facts = _facts(model_dir)
    model = SentenceTransformer(
        str(model_dir), device="cpu", local_files_only=True, model_kwargs={"attn_implementation": "eager"}
    )
    _refuse_other_modules(model)
    shutil.copyfile(model_dir / "tokenizer.json", work / "tokenizer.json")
    _export_fp32(model, facts["pooling"], work / MODEL_FILES["fp32"])
    _quantize(work / MODEL_FILES["fp32"], work / MODEL_FILES["int8"])
    save_json(work / MANIFEST, facts | {"fp32": {}, "int8": {"kernel": ""}})
    save_json(work / MANIFEST, facts | _measure(work, model.encode(CHECK_TEXTS, batch_size=8)))


def _refuse_other_modules(model: Any) -> None:
    kinds = [type(module).__name__ for module in model]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise ExportRefused(f"Only transformer, pooling and normalisation can be exported, not {kinds}.")


def _export_fp32(model: Any, pooling: str, path: Path) -> None:
    def pooled(answer: Any, mask: Any) -> Any:
        hidden = answer.last_hidden_state
        if pooling == "cls":
            return hidden[:, 0]
        mask = mask.unsqueeze(-1).to(hidden.dtype)
        return (hidden * mask).sum(1) / mask.sum(1)

    inputs = ("input_ids", "attention_mask")
    longest = model.max_seq_length
    export_graph(model[0].auto_model, inputs, pooled, path, output="sentence_embedding", longest=longest)


def _quantize(fp32: Path, int8: Path) -> None:
    """Weights to int8 for each output channel, activations to uint8 as they come: what VNNI multiplies."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(fp32, int8, per_channel=True, weight_type=QuantType.QInt8)


def _measure(work: Path, reference: np.ndarray) -> dict:
    """Cosines of both exports with torch's vectors of CHECK_TEXTS. Raises ExportRefused if fp32 differs."""
    fp32, int8 = (_cosines(work, precision, reference) for precision in ("fp32", "int8"))
    if fp32.min() < FP32_MIN_COSINE:
        raise ExportRefused(f"The ONNX export differs from the model: cosine {fp32.min():.6f}.")
    return {
        "fp32": {"cosine_min": float(fp32.min())},
        "int8": {
            "cosine_min": float(int8.min()),
            "cosine_mean": float(int8.mean()),
            "kernel": int8_kernel(),
        },
    }


def _cosines(work: Path, precision: Precision, reference: np.ndarray) -> np.ndarray:
    exported = OnnxEmbedder(work, query_precision=precision, document_precision=precision)
    return (exported.embed_documents(CHECK_TEXTS) * unit(reference)).sum(axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Export the embedding model to ONNX.")
    parser.add_argument("out_dir", type=Path)
    parser.add_argument("model_dir", type=Path, nargs="?", help="default: the packaged all-MiniLM-L6-v2")
    options = parser.parse_args()
    logging.getLogger().setLevel(logging.ERROR)
    out_dir = export(options.model_dir or model_files.default_model_dir(), options.out_dir)
    manifest = read_json(out_dir / MANIFEST)
    print(json.dumps({key: manifest[key] for key in ("model", "fingerprint", "fp32", "int8")}, indent=1))


if __name__ == "__main__":
    main()
