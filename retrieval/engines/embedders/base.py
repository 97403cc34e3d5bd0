"""What every embedder gives: unit vectors, and a fingerprint that names their space. Free of Django."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import numpy as np

from retrieval.errors import ArfError


class EmbeddingUnavailable(ArfError):
    """No vector could be made; never answered by a zero or stale one."""

    status = 503
    code = "embedding_unavailable"


class Embedder(Protocol):
    """`fingerprint` names the vector space: embedders that share it may read each other's vectors.
    `max_tokens` counts the special tokens; longer texts are cut on the right.
    """

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def dims(self) -> int: ...
    @property
    def max_tokens(self) -> int: ...
    @property
    def words(self) -> frozenset[str]:
        """The words it reads whole, in small letters; none where its vocabulary is not told."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        """(n, dims) float32, unit length, in the order given. Raises EmbeddingUnavailable."""
        ...

    def embed_query(self, text: str) -> np.ndarray:
        """(dims,) float32, unit length. Raises EmbeddingUnavailable."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens before truncation, special ones included: it fits if this is at most `max_tokens`."""
        ...


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
