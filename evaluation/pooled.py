"""Topics, their pools and what is learned of them in files, between the steps of a job: each step may run in another
process.
"""

import base64
import gzip
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from django.conf import settings

from evaluation.topics import Topic
from evaluation.training import Pool
from retrieval.features import OF_TEXT
from retrieval.ranking import Candidate


class Workfiles:
    """One job's folder. A step that runs again writes the same files again."""

    def __init__(self, job: int):
        self.path = Path(settings.VAR_DIR) / "retraining" / str(job)

    def save_topics(self, topics: Sequence[Topic]) -> None:
        self._write("topics", [topic_as_json(topic) for topic in topics])

    def topics(self) -> list[Topic]:
        return [topic_from(told) for told in self._read("topics")]

    def save_pools(self, number: int, pools: Sequence[Pool]) -> None:
        self._write(f"pools-{number:06}", [pool_as_json(pool) for pool in pools])

    def pools(self) -> list[Pool]:
        names = sorted(path.name.removesuffix(".json.gz") for path in self.path.glob("pools-*.json.gz"))
        return [pool_from(told) for name in names for told in self._read(name)]

    def save_scored(self, fold: int, by_family: Mapping[str, np.ndarray]) -> None:
        np.savez(self.path / f"scored-{fold}.npz", **by_family)

    def scored(self, fold: int) -> dict[str, np.ndarray]:
        with np.load(self.path / f"scored-{fold}.npz", allow_pickle=False) as file:
            return dict(file)

    def save_artifact(self, artifact: bytes, manifest: dict) -> None:
        (self.path / "challenger.npz").write_bytes(artifact)
        self._write("manifest", manifest)

    def artifact(self) -> tuple[bytes, dict]:
        return (self.path / "challenger.npz").read_bytes(), self._read("manifest")

    def clear(self) -> None:
        if self.path.exists():
            shutil.rmtree(self.path)

    def _write(self, name: str, value: list | dict) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        with gzip.open(self.path / f"{name}.json.gz", "wt", encoding="utf-8", compresslevel=1) as file:
            json.dump(value, file)

    def _read(self, name: str) -> list | dict:
        with gzip.open(self.path / f"{name}.json.gz", "rt", encoding="utf-8") as file:
            return json.load(file)


def topic_as_json(topic: Topic) -> dict:
    return asdict(topic) | {"irrelevant": sorted(topic.irrelevant)}


def topic_from(told: dict) -> Topic:
    return Topic(**told | {"tags": tuple(told["tags"]), "irrelevant": frozenset(told["irrelevant"])})


def pool_as_json(pool: Pool) -> dict:
    """Floats keep every bit: what is trained from files is what would be trained without."""
    vector = pool.vector
    return {
        "topic": topic_as_json(pool.topic),
        "vector": None if vector is None else np.asarray(vector, dtype=np.float32).tolist(),
        "candidates": [candidate_as_json(candidate) for candidate in pool.candidates],
        "rows": base64.b64encode(np.asarray(pool.rows, np.float32).tobytes()).decode(),
        "settled": pool.settled,
        "blend": pool.blend,
    }


def pool_from(told: dict) -> Pool:
    vector = None if told["vector"] is None else np.array(told["vector"], dtype=np.float32)
    candidates = tuple(Candidate(**candidate) for candidate in told["candidates"])
    rows = np.frombuffer(base64.b64decode(told["rows"]), np.float32)
    return Pool(
        topic=topic_from(told["topic"]),
        vector=vector,
        candidates=candidates,
        rows=rows.reshape(len(candidates), len(OF_TEXT)),
        settled=told["settled"],
        blend=told["blend"],
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
