"""The embedder of web workers: an export of the model, run by ONNX Runtime."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retrieval.engines.embedders.base import unavailable_on_error, unit
from retrieval.engines.embedders.model_files import MANIFEST, MODEL_FILES, ModelTokenizer, read_json
from retrieval.engines.embedders.sessions import (
    Precision,
    PrecisionChoice,
    Session,
    int8_kernel,
    open_session,
    precision_for,
)


class OnnxEmbedder:
    """An export of `retrieval.engines.onnx_export`. Sessions are opened at first use, anew in each process.

    Texts are run one at a time: on CPUs that is faster than padded batches (texts of 150 words a second on
    one thread: 22 alone, 15 in batches of 32), and int8 scales are taken over a whole batch, so that a text's
    vector would depend on its neighbours.
    """

    def __init__(
        self,
        export_dir: Path,
        *,
        threads: int = 1,
        query_precision: PrecisionChoice = "auto",
        document_precision: PrecisionChoice = "auto",
    ):
        manifest = read_json(export_dir / MANIFEST)
        self._export_dir = export_dir
        self._threads = threads
        self.fingerprint: str = manifest["fingerprint"]
        self.dims: int = manifest["dims"]
        self.max_tokens: int = manifest["max_seq_length"]
        self.query_precision = precision_for(query_precision, manifest["int8"], int8_kernel())
        self.document_precision = precision_for(document_precision, manifest["int8"], int8_kernel())
        self.name = f"{manifest['model']} (onnx {self.query_precision})"
        self._tokens = ModelTokenizer(export_dir / "tokenizer.json", self.max_tokens)
        self._opened: dict[tuple[int, Precision], Session] = {}

    @functools.cached_property
    def words(self) -> frozenset[str]:
        return self._tokens.words()

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        rows = [self._run(text, self.document_precision) for text in texts]
        return np.stack(rows) if rows else np.empty((0, self.dims), np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        return self._run(text, self.query_precision)

    def count_tokens(self, text: str) -> int:
        return self._tokens.count(text)

    def _run(self, text: str, precision: Precision) -> np.ndarray:
        ids = np.array([self._tokens.ids(text)], dtype=np.int64)
        with unavailable_on_error("The embedding model failed."):
            feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            return unit(self._session(precision).run(None, feed)[0][0])

    def _session(self, precision: Precision) -> Session:
        key = (os.getpid(), precision)
        if key not in self._opened:
            self._opened.setdefault(
                key, open_session(self._export_dir / MODEL_FILES[precision], self._threads)
            )
        return self._opened[key]
