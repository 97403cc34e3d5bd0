"""Rerankers of random weights: one that serves, and one of an earlier version."""

import io
import json
from zlib import crc32

import numpy as np

from evaluation.learning import registry
from retrieval.models import RankerModel
from retrieval.stages.reranker.artifact import pack
from tests.rerankers import some_reranker


def model(name: str, **fields) -> RankerModel:
    artifact = pack(some_reranker(), seed=crc32(name.encode()))
    digest = registry.sha256(artifact)
    return RankerModel.objects.create(family=name, sha256=digest, artifact=artifact, **fields)


def of_other_features(artifact: bytes) -> bytes:
    """As an earlier version would have packed it."""
    with np.load(io.BytesIO(artifact)) as file:
        arrays = dict(file)
    told = json.loads(arrays["told"].tobytes()) | {"features": ["cosine"]}
    arrays["told"] = np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()
