"""What a public domain's texts are about: a few centres of their vectors. New texts are clustered by themselves and
their centres joined to those that are there, so that the cost of publishing does not grow with the corpus. What has
gone stays in them, faintly, until the domain is counted anew.
"""

from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from retrieval.models import ChunkVector

MOST = 64  # centres of a domain: with 8 a question finds its domain in .72 of cases, with 64 in .80
TEXTS_A_CENTRE = 8
READ = 4_000  # vectors of one publication
ROUNDS = 6  # of k-means: later ones hardly move a centre
NONE = np.zeros((0, 0), np.float32)


@dataclass(frozen=True, slots=True)
class Centroids:
    """`vectors`: (k, dims) float32, unit length; `weights`: (k,) how many texts each stands for."""

    vectors: np.ndarray
    weights: np.ndarray

    def nearest(self, vector: np.ndarray) -> float:
        """The greatest cosine; 0 where there is no centre."""
        return float((self.vectors @ vector).max()) if len(self.weights) else 0.0

    def to_bytes(self) -> bytes:
        """Their number, the weights, then the vectors."""
        parts = (np.array([len(self.weights)]), self.weights, self.vectors)
        return b"".join(part.astype("<f4").tobytes() for part in parts)

    @classmethod
    def from_bytes(cls, stored: bytes) -> "Centroids":
        numbers = np.frombuffer(stored, "<f4")
        count = int(numbers[0]) if len(numbers) else 0
        return cls(numbers[1 + count :].reshape(count, -1) if count else NONE, numbers[1 : 1 + count])


def clustered(vectors: np.ndarray) -> Centroids:
    """The centres of unit vectors (n, dims), by k-means on cosines, begun evenly over their order: the same vectors
    give the same centres.
    """
    if not len(vectors):
        return Centroids(NONE, np.zeros(0, np.float32))
    count = min(MOST // 2, -(-len(vectors) // TEXTS_A_CENTRE))
    centres = vectors[np.linspace(0, len(vectors) - 1, count).astype(int)]
    for _ in range(ROUNDS):
        nearest = np.argmax(vectors @ centres.T, axis=1)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, vectors)
        centres = units(np.where(np.bincount(nearest, minlength=count)[:, None] > 0, sums, centres))
    weights = np.bincount(nearest, minlength=len(centres)).astype(np.float32)
    return Centroids(centres[weights > 0], weights[weights > 0])


def joined(before: Centroids, new: Centroids) -> Centroids:
    """All of them; while they are too many, the two that are most alike become one."""
    if not len(before.weights) or not len(new.weights):
        return new if len(new.weights) else before
    vectors, weights = np.vstack([before.vectors, new.vectors]), np.append(before.weights, new.weights)
    while len(vectors) > MOST:
        alike = vectors @ vectors.T - 2 * np.eye(len(vectors))
        one, other = np.unravel_index(np.argmax(alike), alike.shape)
        vectors[one] = units(weights[[one, other]] @ vectors[[one, other]])
        weights[one] += weights[other]
        vectors, weights = np.delete(vectors, other, axis=0), np.delete(weights, other)
    return Centroids(vectors, weights)


def units(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


def of(rows: QuerySet[ChunkVector]) -> Centroids:
    """Of these vectors, of which at most `READ` are read, evenly over their order."""
    ids = list(rows.order_by("chunk_id").values_list("chunk_id", flat=True))
    chosen = [ids[n] for n in np.unique(np.linspace(0, len(ids) - 1, min(READ, len(ids))).astype(int))]
    read = rows.filter(chunk__in=chosen).order_by("chunk_id").values_list("vector", flat=True)
    return clustered(np.array(list(read), np.float32))
