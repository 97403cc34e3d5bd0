"""A cross-encoder in serving: reads two texts together, in ONNX Runtime, without torch. Pure.

Any sentence-transformers CrossEncoder with one logit; `retrieval.engines.onnx_export` makes the export,
`manage.py train_cross_encoder` a model. Two ship: one tells sentences of a provision apart
(`manage.py train_sentence_ranker`), one whether a passage bears out a claim (`manage.py train_entailment`); none tells
provisions apart.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from retrieval.engines.embedders import (
    MANIFEST,
    MODEL_FILES,
    TOKENIZER,
    PrecisionChoice,
    Session,
    check_whole,
    int8_kernel,
    open_session,
    read_json,
)
from retrieval.errors import NotRun

INT8_FARTHEST = 0.1  # of a probability from torch's, on the export's own sentences: calibration takes up less


class CrossEncoderUnavailable(NotRun):
    """A cross-encoder cannot be read, or does not run."""


@contextmanager
def unavailable_on_error(message: str) -> Iterator[None]:
    """ONNX Runtime and tokenizers raise what they like."""
    try:
        yield
    except Exception as problem:
        raise CrossEncoderUnavailable(message) from problem


class CrossEncoder:
    """An export. Its session is opened at first use, anew in each process; pairs are run one at a time, as texts are
    by the embedder: on CPUs that is faster than padding.
    """

    def __init__(self, folder: Path, *, threads: int = 1, precision: PrecisionChoice = "auto"):
        """`auto`: int8 where the export was measured as good enough on a CPU that multiplies as this one does."""
        with unavailable_on_error(
            "the cross-encoder has no whole export: start by `manage.py up`, or run `manage.py prepare`"
        ):
            manifest = read_json(folder / MANIFEST)
            if precision == "auto":
                precision = "int8" if int8_is_good(manifest.get("int8", {})) else "fp32"
            self._model = folder / MODEL_FILES[precision]
            check_whole(folder, manifest, TOKENIZER, self._model.name)
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(manifest["max_tokens"], strategy="longest_first")
            self.name: str = f"{manifest['model']} {manifest['fingerprint']}"
            self.sha256: str = manifest.get("sha256", {}).get(self._model.name, "")
        self._threads = threads

    def logits(self, question: str, texts: Sequence[str]) -> np.ndarray:
        """(n,) float64, of a model with one output; higher is more relevant. Raises CrossEncoderUnavailable."""
        return np.array([self.read(question, text)[0] for text in texts], dtype=float)

    def read(self, first: str, second: str) -> np.ndarray:
        """(outputs,) float32. Raises CrossEncoderUnavailable."""
        with unavailable_on_error("the cross-encoder does not run"):
            return self._run(first, second)

    def _run(self, first: str, second: str) -> np.ndarray:
        pair = self._tokenizer.encode(first, second)
        values = {
            "input_ids": pair.ids,
            "attention_mask": pair.attention_mask,
            "token_type_ids": pair.type_ids,
        }
        feed = {each.name: np.array([values[each.name]], np.int64) for each in self._session.get_inputs()}
        return self._session.run(None, feed)[0][0]

    @cached_property
    def _session(self) -> Session:
        return open_session(self._model, self._threads)


def int8_is_good(measured: Mapping) -> bool:
    kernel = int8_kernel()
    return bool(kernel) and kernel == measured.get("kernel") and measured["farthest"] <= INT8_FARTHEST


def probabilities(logits: np.ndarray) -> np.ndarray:
    """By the sigmoid that such models are trained with; not yet calibrated on any judgments."""
    return 1.0 / (1.0 + np.exp(-np.clip(logits, -40.0, 40.0)))
