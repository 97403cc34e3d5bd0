"""The rerankers in force, read once for each version: the one that serves and the one in shadow."""

import logging
from functools import lru_cache

from retrieval.errors import NotRun
from retrieval.models import RankerModel
from retrieval.ranking import Query
from retrieval.stages.reranker.artifact import BadArtifact, Reranker, unpack

logger = logging.getLogger(__name__)


@lru_cache(maxsize=4)
def _serving(version: int, status: str) -> tuple[Reranker, str] | None:
    row = RankerModel.objects.filter(status=status).first()
    return None if row is None else (unpack(bytes(row.artifact), row.sha256), row.sha256[:8])


def serving(query: Query, status: str = RankerModel.Status.ACTIVE) -> tuple[Reranker, str]:
    """The reranker in force at the query's version of the models, and its name. Raises NotRun without one."""
    found = _serving(query.versions.get("model", 0), status)
    if found is None:
        raise NotRun("no reranker is deployed", degrades=False)
    return found


@lru_cache(maxsize=2)
def shadowing(version: int) -> tuple[int, Reranker] | None:
    row = RankerModel.objects.filter(status=RankerModel.Status.SHADOW).first()
    try:
        return row and (row.pk, unpack(bytes(row.artifact), row.sha256))
    except BadArtifact as problem:
        logger.error("The reranker in shadow, %s, scores nothing: %s.", row, problem.message)
        return None
