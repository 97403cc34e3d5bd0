"""What a step of retraining hands to the next one: rows in PostgreSQL, so that any worker can go on."""

import base64
import io
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from evaluation.learning.pools import LearningPool
from evaluation.topics.topic import Topic
from retrieval.errors import ArfError
from retrieval.models import Checkpoint, JobRun
from retrieval.models.packed import pack, unpack
from retrieval.ranking import Candidate
from retrieval.stages.reranker.features import OF_TEXT

MOST_BYTES = 64 * 2**20  # of one checkpoint; the largest seen is 1 MB


class Checkpoints:
    """The checkpoints of one job, each by its name. A step that runs again writes the same again."""

    def __init__(self, run: JobRun):
        self.run = run

    def save(self, name: str, content: bytes) -> None:
        if len(content) > MOST_BYTES:
            raise ArfError(f"Checkpoint “{name}” has {len(content):,} bytes; at most {MOST_BYTES:,} are kept.")
        self.run.checkpoints.update_or_create(name=name, defaults={"content": content})

    def content(self, name: str) -> bytes:
        """Raises ArfError for one that is not kept any more."""
        try:
            return bytes(self.run.checkpoints.get(name=name).content)
        except Checkpoint.DoesNotExist:
            raise ArfError(f"Checkpoint “{name}” is not kept any more: begin again.") from None

    def delete(self, name: str) -> None:
        self.run.checkpoints.filter(name=name).delete()

    def has(self, name: str) -> bool:
        return self.run.checkpoints.filter(name=name).exists()

    def save_json(self, name: str, value: Any) -> None:
        self.save(name, pack(value))

    def json(self, name: str) -> Any:
        return unpack(self.content(name))

    def save_arrays(self, name: str, arrays: Mapping[str, np.ndarray]) -> None:
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        self.save(name, buffer.getvalue())

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        with np.load(io.BytesIO(self.content(name)), allow_pickle=False) as file:
            return dict(file)

    def save_topics(self, topics: Iterable[Topic]) -> None:
        self.save_json("topics", [topic_as_json(topic) for topic in topics])

    def topics(self) -> list[Topic]:
        return [topic_from(stored) for stored in self.json("topics")]

    def save_pools(self, position: int, pools: Iterable[LearningPool]) -> None:
        """Pools of the topics from this position on."""
        self.save_json(f"pools {position:06}", [pool_as_json(pool) for pool in pools])

    def pools(self) -> list[LearningPool]:
        rows = self.run.checkpoints.filter(name__startswith="pools ").order_by("name")
        return [pool_from(stored) for row in rows.iterator(chunk_size=1) for stored in unpack(bytes(row.content))]


def topic_as_json(topic: Topic) -> dict:
    return asdict(topic) | {"irrelevant": sorted(topic.irrelevant)}


def topic_from(stored: dict) -> Topic:
    return Topic(**stored | {"tags": tuple(stored["tags"]), "irrelevant": frozenset(stored["irrelevant"])})


def pool_as_json(pool: LearningPool) -> dict:
    """Floats keep every bit: what is trained from checkpoints is what would be trained without."""
    vector = pool.vector
    return {
        "topic": topic_as_json(pool.topic),
        "vector": None if vector is None else np.asarray(vector, dtype=np.float32).tolist(),
        "candidates": [candidate_as_json(candidate) for candidate in pool.candidates],
        "rows": base64.b64encode(np.asarray(pool.rows, np.float32).tobytes()).decode(),
        "final": pool.final,
        "blend": pool.blend,
    }


def pool_from(stored: dict) -> LearningPool:
    vector = None if stored["vector"] is None else np.array(stored["vector"], dtype=np.float32)
    candidates = tuple(Candidate(**candidate) for candidate in stored["candidates"])
    rows = np.frombuffer(base64.b64decode(stored["rows"]), np.float32)
    return LearningPool(
        topic=topic_from(stored["topic"]),
        vector=vector,
        candidates=candidates,
        rows=rows.reshape(len(candidates), len(OF_TEXT)),
        final=stored["final"],
        blend=stored["blend"],
    )


def candidate_as_json(candidate: Candidate) -> dict:
    """What orders and measures read of it: the features are in the rows, reasons are for people."""
    return {
        "section_id": candidate.section_id,
        "domain_id": candidate.domain_id,
        "locator": candidate.locator,
        "score": candidate.score,
        "chunk_id": candidate.chunk_id,
    }
