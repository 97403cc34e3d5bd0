"""Changing the embedder: vectors of the new one are built beside the old, and serve once they are complete. And the
vectors of a document anew, whose title is another than when they were made.
"""

from django.conf import settings

from retrieval.access.row_security import as_system
from retrieval.engines import loaded
from retrieval.engines.embedders import is_exported
from retrieval.errors import ArfError, gettext_noop
from retrieval.indexes import hnsw
from retrieval.ingestion.embedding import embedding_in_use, save_vectors
from retrieval.jobs import CORPUS, Job, Progress
from retrieval.models import Chunk, ChunkVector, Document, Domain, EmbeddingModel, JobRun, Version
from retrieval.models.operations import NEXT_OF_DOMAIN

BATCH = 256  # chunks a step: about ten seconds without a GPU
DELETED = 20_000  # old vectors a step


class Reembed(Job):
    """Builds vectors by the embedder that settings name now, switches to it, then deletes the old ones."""

    @as_system()
    def step(self, run: JobRun) -> Progress:
        if run.state.get("phase") == "clear":
            return clear_old(run)
        return embed_some(run)

    @as_system()
    def undo(self, run: JobRun) -> None:
        """Drops the half-built model and its vectors; the old one has served all the time."""
        EmbeddingModel.objects.filter(status=EmbeddingModel.Status.BUILDING).delete()
        hnsw.drop_unused()


def request() -> dict:
    return {"kind": "reembed", "key": CORPUS}


def embed_some(run: JobRun) -> Progress:
    spec = loaded.settings_spec()
    if not run.position and spec["kind"] == "onnx" and not is_exported(settings.ARF_EMBEDDER):
        raise ArfError(
            gettext_noop(
                "The embedder that the settings name is not exported, or was changed since: run `manage.py prepare` "
                "with the same settings first."
            )
        )
    embedder = loaded.embedder_from(spec)
    model, _ = EmbeddingModel.objects.get_or_create(
        fingerprint=embedder.fingerprint,
        defaults={"name": embedder.name, "dims": embedder.dims, "spec": spec},
    )
    if model.status == EmbeddingModel.Status.ACTIVE:
        raise ArfError(gettext_noop("The stored vectors are by this embedder already."))
    missing = Chunk.objects.exclude(vectors__model=model)
    batch = list(missing.order_by("pk")[:BATCH])
    total = run.total or missing.count()
    if not batch:
        if hnsw.missing(model):
            return hnsw.build_step(run, model)
        switch_to(model)
        return Progress(
            total, total, f"{model.name} serves now; clearing the old vectors", {"phase": "clear"}
        )
    save_vectors(batch, model, embedder)
    done = min(total, run.position + len(batch))
    return Progress(done, total, f"{done} of {total} chunks embedded by {model.name}")


def switch_to(model: EmbeddingModel) -> None:
    """One row changes its status, in the transaction in which no chunk lacked its vector. A reranker that learned with
    the one before serves no more: another is trained (`evaluation.tasks.mend_reranker`).
    """
    EmbeddingModel.objects.filter(status=EmbeddingModel.Status.ACTIVE).update(
        status=EmbeddingModel.Status.RETIRED
    )
    model.status = EmbeddingModel.Status.ACTIVE
    model.save(update_fields=["status"])
    Version.count_up("model")


def clear_old(run: JobRun) -> Progress:
    """First their indexes, in a step of its own: it holds searches up until it is through."""
    if hnsw.drop_unused():
        return Progress(run.total, run.total, "old indexes dropped", {"phase": "clear"})
    retired = ChunkVector.objects.filter(model__status=EmbeddingModel.Status.RETIRED)
    ids = list(retired.values_list("chunk", flat=True)[:DELETED])
    retired.filter(chunk__in=ids).delete()
    finished = len(ids) < DELETED
    if finished:
        EmbeddingModel.objects.filter(status=EmbeddingModel.Status.RETIRED).delete()
    return Progress(run.total, run.total, "old vectors cleared", {"phase": "clear"}, finished=finished)


class EmbedDocument(Job):
    """params: domain (slug) and document. Chunks are embedded with the way to them, which begins with the title."""

    @as_system()
    def step(self, run: JobRun) -> Progress:
        number, after = run.params["document"], run.state.get("after", 0)
        chunks = Chunk.objects.filter(document=number)
        batch = list(chunks.filter(pk__gt=after).order_by("pk")[:BATCH])
        total = run.total or chunks.count()
        if not batch:
            Domain.objects.filter(slug=run.params["domain"]).update(corpus_version=NEXT_OF_DOMAIN)
            return Progress(total, total, f"Document {number}: embedded anew", run.state, finished=True)
        model, embedder = embedding_in_use()
        ChunkVector.objects.filter(chunk__in=batch, model=model).delete()
        save_vectors(batch, model, embedder)
        done = min(total, run.position + len(batch))
        state = {"document": number, "after": batch[-1].pk}
        return Progress(done, total, f"Document {number}: {done} of {total} chunks embedded anew", state)


def request_for(document: Document) -> dict:
    params = {"domain": document.domain.slug, "document": document.pk}
    return {"kind": "embed_document", "key": CORPUS, "params": params, "queues": True}
