"""System checks of what searches need: the embedder of the stored vectors, their indexes, this node's lexical index,
and what is set of a language model and of other sites.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from retrieval.engines import loaded
from retrieval.engines.embedders import EmbeddingUnavailable
from retrieval.indexes import hnsw, lexical_sync
from retrieval.indexes.lexical import FORMAT, LexicalIndex
from retrieval.models import Chunk, EmbeddingModel

LLM_VARIABLES = {"base_url": "ARF_LLM_URL", "api_key": "ARF_LLM_KEY", "model": "ARF_LLM_MODEL"}
LLM_NEEDS = ("base_url", "model")  # a local server may want no key
ENDPOINT_NEEDS = {"base_url": "ARF_EMBEDDER_URL", "model": "ARF_EMBEDDER_MODEL"}


@register(Tags.compatibility)
def embedder_settings(app_configs, **kwargs) -> Iterator[CheckMessage]:
    spec = settings.ARF_EMBEDDER
    missing = [variable for key, variable in ENDPOINT_NEEDS.items() if not spec[key]]
    if spec["kind"] not in ("onnx", "torch", "openai"):
        yield Error(f"ARF_EMBEDDER is “{spec['kind']}”; it must be onnx, torch or openai.", id="arf.E006")
    elif spec["kind"] == "openai" and missing:
        message = f"ARF_EMBEDDER is openai, but not set: {', '.join(missing)}."
        yield Error(message, hint="Set them, or leave ARF_EMBEDDER at onnx.", id="arf.E006")


@register(Tags.compatibility)
def llm_settings(app_configs, **kwargs) -> Iterator[CheckMessage]:
    spec = settings.ARF_LLM
    given = [variable for key, variable in LLM_VARIABLES.items() if spec[key]]
    missing = [LLM_VARIABLES[key] for key in LLM_NEEDS if not spec[key]]
    if given and missing:
        message = f"Set: {', '.join(given)}; but not set: {', '.join(missing)}."
        yield Error(message, hint="Set them, or leave all of them empty to use no LLM.", id="arf.E007")


@register(Tags.compatibility)
def external_settings(app_configs, **kwargs) -> Iterator[CheckMessage]:
    spec = settings.ARF_EXTERNAL
    if bool(spec["url"]) != bool(spec["hosts"]):
        yield Error(
            "Pages of other sites need both ARF_EXTERNAL_URL and ARF_EXTERNAL_HOSTS.",
            hint="Set both, or leave both empty to name no other site.",
            id="arf.E012",
        )


@register(Tags.database)
def embedder_of_the_vectors(
    app_configs, databases: Sequence[str] | None = None, **kwargs
) -> Iterator[CheckMessage]:
    if not migrated(databases):
        return
    active = EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).first()
    if active is None:
        return
    try:
        named = loaded.embedder_from(loaded.settings_spec())
    except EmbeddingUnavailable as problem:
        yield Warning(f"The embedder that the settings name cannot be loaded: {problem}", id="arf.W004")
        return
    if named.fingerprint != active.fingerprint:
        yield Warning(
            f"The settings name the embedder {named.name} ({named.fingerprint}), "
            f"but the stored vectors are by {active.name} ({active.fingerprint}).",
            hint="Run `manage.py prepare` and `manage.py reembed` to switch, or set back what ARF_EMBEDDER… names.",
            id="arf.W004",
        )


@register(Tags.database)
def lexical_index(app_configs, databases: Sequence[str] | None = None, **kwargs) -> Iterator[CheckMessage]:
    if migrated(databases) and Chunk.objects.exists() and (problem := problem_of(loaded.lexical_index())):
        yield Warning(problem, hint="Keep `manage.py lexical_writer` running on this node.", id="arf.W005")


@register(Tags.database)
def vector_index(app_configs, databases: Sequence[str] | None = None, **kwargs) -> Iterator[CheckMessage]:
    """Nothing is missed without one; a search only takes longer."""
    for model, domain in hnsw.missing() if migrated(databases) else ():
        yield Warning(
            f"The domain {domain.slug} has more than {hnsw.LARGE} chunks and no index of their vectors by "
            f"{model.name}.",
            hint="A job makes it once nothing comes into the domain; `manage.py index_vectors` makes it at once.",
            id="arf.W010",
        )


def problem_of(index: LexicalIndex) -> str | None:
    """What is wrong with this node's index, in a sentence."""
    if not index.format:
        return f"There is no lexical index in {index.path}."
    if not index.exists:
        return f"The lexical index in {index.path} has format {index.format}; this version reads format {FORMAT}."
    if lexical_sync.must_rebuild(index.position):
        return f"The lexical index in {index.path} does not belong to this database."
    if damaged := index.integrity.damaged():
        return f"The lexical index in {index.path} is damaged: {damaged}."
    if missing := lexical_sync.behind(index.position):
        return f"The lexical index in {index.path} lacks {missing} changes of the corpus."
    return None


def migrated(databases: Sequence[str] | None) -> bool:
    """Whether the default database is to be checked and is as this version wants it."""
    if "default" not in (databases or ()):
        return False
    return migrations() <= set(MigrationRecorder(connection).applied_migrations())


@cache
def migrations() -> frozenset[tuple[str, str]]:
    """App and name of every migration of this version."""
    return frozenset(MigrationLoader(None).disk_migrations)
