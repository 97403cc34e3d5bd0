"""What a serving process keeps in memory: the active embedder and this node's lexical index."""

import os
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from cachetools import LRUCache
from django.conf import settings

from retrieval.engines.apertium import INTO_SPANISH, OF_TEXTS, Apertium, installed
from retrieval.engines.cross_encoders import CrossEncoder
from retrieval.engines.embedders import Embedder, EmbeddingUnavailable, load
from retrieval.errors import NotRun
from retrieval.indexes import notes
from retrieval.indexes.lexical import LexicalIndex
from retrieval.models import EmbeddingModel, Version

SENTENCE_RANKER = Path(__file__).with_name("sentence_ranker")
LATELY = 8  # questions whose vectors are kept
_lock, _lately_lock = threading.Lock(), threading.Lock()
_loaded: dict[tuple, object] = {}


@dataclass(frozen=True, slots=True)
class ActiveEmbedder:
    """The embedder that made the stored vectors, and the row they are stored under."""

    model_id: int
    embedder: Embedder
    _lately: LRUCache[bytes, np.ndarray] = field(default_factory=lambda: LRUCache(LATELY), repr=False, compare=False)

    def vector_of(self, question: str) -> np.ndarray:
        """(dims,) float32, unit length; an answer asks for what its search embedded a moment before. Raises
        EmbeddingUnavailable.
        """
        key = sha256(question.encode()).digest()
        with _lately_lock:
            vector = self._lately.get(key)
        if vector is None:
            vector = self.embedder.embed_query(question)
            with _lately_lock:
                self._lately[key] = vector
        return vector


def load_once(key: tuple, load):
    """One object per process and key, made by the first thread that asks; a forked child makes its own."""
    key = (os.getpid(), *key)
    if key not in _loaded:
        with _lock:
            if key not in _loaded:
                _loaded[key] = load()
    return _loaded[key]


def embedder_from(spec: dict) -> Embedder:
    """The embedder of a stored spec, with the key that settings hold."""
    full = {**settings.ARF_EMBEDDER, **spec}
    return load_once(("embedder", tuple(sorted(spec.items()))), lambda: load(full))


def settings_spec() -> dict:
    """The part of the settings that names an embedder and may be stored: never the key."""
    return {k: v for k, v in settings.ARF_EMBEDDER.items() if k in ("kind", "model_dir", "base_url", "model")}


def active_embedder(version: int | None = None) -> ActiveEmbedder:
    """The embedder of the stored vectors at this version of the embedding models, or now.

    Raises NotRun while no corpus has been embedded or when its embedder cannot be loaded.
    """
    if version is None:
        version = Version.objects.filter(name="embedding").values_list("number", flat=True).first() or 0
    return _embedder_at(version)


@lru_cache(maxsize=2)
def _embedder_at(version: int) -> ActiveEmbedder:
    row = EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).first()
    if row is None:
        raise NotRun("nothing has been embedded yet")
    try:
        embedder = embedder_from(row.spec)
    except EmbeddingUnavailable as problem:
        raise NotRun(f"the embedder cannot be loaded: {problem}") from problem
    if embedder.fingerprint != row.fingerprint:
        raise NotRun(
            "the embedder differs from the one that made the stored vectors: run `manage.py reembed`"
        )
    return ActiveEmbedder(row.pk, embedder)


def lexical_index() -> LexicalIndex:
    path = Path(settings.ARF_LEXICAL_DIR)
    return load_once(("lexical", str(path)), lambda: LexicalIndex(path))


def notes_index() -> LexicalIndex:
    """Of the notes beside this node's lexical index."""
    path = Path(settings.ARF_LEXICAL_DIR) / notes.FOLDER
    return load_once(("notes", str(path)), lambda: LexicalIndex(path))


def cross_encoder() -> CrossEncoder | None:
    """The configured one, from its export; None without. Raises CrossEncoderUnavailable."""
    if not settings.ARF_CROSS_ENCODER["model_dir"]:
        return None
    folder = Path(settings.ARF_CROSS_ENCODER["export_dir"])
    return load_once(("cross_encoder", str(folder)), lambda: CrossEncoder(folder))


def sentence_ranker() -> CrossEncoder:
    """What ships to tell the sentence that answers from others of its provision, for English. Raises
    CrossEncoderUnavailable.
    """
    return load_once(("sentence_ranker",), lambda: CrossEncoder(SENTENCE_RANKER, precision="int8"))


def apertium() -> Apertium | None:
    """This process's kept pipeline; None where Apertium is not installed."""
    return load_once(("apertium",), lambda: Apertium() if installed() else None)


def apertium_for_texts() -> Apertium | None:
    """The same for texts that are read in, where a busy machine may take its time."""
    return load_once(("apertium", "of texts"), lambda: Apertium(limit=OF_TEXTS) if installed() else None)


def apertium_into_spanish() -> Apertium | None:
    """The same of the other direction, which answers in Spanish start."""
    key = ("apertium", "into Spanish")
    return load_once(key, lambda: Apertium(INTO_SPANISH) if installed(INTO_SPANISH) else None)
