"""The embedder that a stored spec names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from retrieval.engines.embedders.base import Embedder, EmbeddingUnavailable
from retrieval.engines.embedders.endpoint import EndpointEmbedder
from retrieval.engines.embedders.model_files import MANIFEST, default_model_dir
from retrieval.engines.embedders.onnx import OnnxEmbedder
from retrieval.engines.embedders.torch import TorchEmbedder


def load(spec: Mapping) -> Embedder:
    """The embedder that `spec` names by `kind`: onnx, torch or openai. Without an export onnx gives torch.

    Other keys, empty or absent for their defaults: model_dir, export_dir, threads, query_precision,
    document_precision, base_url, api_key, model, timeout, max_tokens. Raises EmbeddingUnavailable.
    """
    kind = spec.get("kind") or "onnx"
    if kind == "openai":
        return EndpointEmbedder(**_given(spec, "base_url", "api_key", "model", "timeout", "max_tokens"))
    if kind not in ("onnx", "torch"):
        raise EmbeddingUnavailable(f"There is no embedder of kind “{kind}”.")
    export_dir = Path(spec.get("export_dir") or "")
    if kind == "onnx" and spec.get("export_dir") and (export_dir / MANIFEST).is_file():
        return OnnxEmbedder(export_dir, **_given(spec, "threads", "query_precision", "document_precision"))
    return TorchEmbedder(Path(spec.get("model_dir") or default_model_dir()), **_given(spec, "threads"))


def _given(spec: Mapping, *keys: str) -> dict:
    return {key: spec[key] for key in keys if spec.get(key)}
