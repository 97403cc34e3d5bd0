"""The model itself, by sentence-transformers; torch is imported at first use only."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retrieval.engines.embedders.base import unavailable_on_error, unit
from retrieval.engines.embedders.model_files import (
    ModelTokenizer,
    fingerprint_of,
    max_sequence_length,
    model_name,
    pooling_mode,
    read_json,
    weights_sha256,
)


class TorchEmbedder:
    """The model itself, for a machine without an export: six times slower a query and 400 MB larger."""

    def __init__(self, model_dir: Path, *, threads: int = 1):
        self._model_dir = model_dir
        self._threads = threads
        self.name = f"{model_name(model_dir)} (torch)"
        self.dims: int = int(read_json(model_dir / "config.json")["hidden_size"])
        self.max_tokens = max_sequence_length(model_dir)
        self._tokens = ModelTokenizer(model_dir / "tokenizer.json", self.max_tokens)

    @functools.cached_property
    def words(self) -> frozenset[str]:
        return self._tokens.words()

    @functools.cached_property
    def fingerprint(self) -> str:
        return fingerprint_of(weights_sha256(self._model_dir), pooling_mode(self._model_dir), self.max_tokens)

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        if not texts:
            return np.empty((0, self.dims), np.float32)
        with unavailable_on_error("The embedding model failed."):
            return unit(self._model.encode(list(texts), batch_size=32, show_progress_bar=False))

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed_documents([text])[0]

    def count_tokens(self, text: str) -> int:
        return self._tokens.count(text)

    @functools.cached_property
    def _model(self):  # noqa: ANN202 - the type would import torch
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(self._threads)
        return SentenceTransformer(str(self._model_dir), device="cpu", local_files_only=True)
