"""Changing the embedder: the old one serves until the new one is complete, then the new one, at once."""

import json
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from evaluation import tasks
from evaluation.learning import registry
from evaluation.learning.training import Trained
from retrieval import checks, jobs
from retrieval.access.caller import Caller
from retrieval.engines.embedders import default_model_dir, export_of, weights_sha256
from retrieval.indexes import hnsw
from retrieval.ingestion import reembedding, uploading
from retrieval.ingestion.embedding import embedding_in_use
from retrieval.models import Chunk, ChunkVector, Domain, EmbeddingModel, JobRun
from retrieval.request import SearchRequest
from retrieval.search.service import search
from retrieval.stages.reranker.artifact import pack
from tests.builders import a_domain
from tests.database import export_of_this_code
from tests.rerankers import some_reranker
from tests.retrieval.engines.samples import write_manifest
from tests.retrieval.ingestion.test_uploading import handed_in

pytestmark = pytest.mark.django_db


class Embeddings(BaseHTTPRequestHandler):
    """An OpenAI-compatible embeddings endpoint of eight dimensions, by the letters of the text."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        rows = [
            {"object": "embedding", "index": n, "embedding": letters(text)} for n, text in enumerate(texts)
        ]
        body = json.dumps({"object": "list", "data": rows, "model": asked["model"], "usage": {}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        """Quiet."""


def letters(text: str) -> list[float]:
    counts = np.bincount([ord(c) % 8 for c in text] or [0], minlength=8) + 0.5
    return (counts / np.linalg.norm(counts)).tolist()


@pytest.fixture
def other_embedder(settings):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.ARF_EMBEDDER = settings.ARF_EMBEDDER | {
        "kind": "openai",
        "base_url": f"http://127.0.0.1:{server.server_port}/v1",
        "api_key": "none",
        "model": "letters",
    }
    yield
    server.shutdown()
    server.server_close()


def serving_note(question: str) -> str:
    answer = search(SearchRequest(text=question))
    assert not answer["degraded"]
    return next(stage["note"] for stage in answer["stages"] if stage["name"] == "EmbedQuery")


def test_the_old_embedder_serves_until_the_new_one_is_complete(other_embedder, monkeypatch):
    monkeypatch.setattr(reembedding, "BATCH", 80)
    before = serving_note("who may coin money")
    steps = jobs.run_here(jobs.create(**reembedding.request()))
    next(steps)
    assert serving_note("who may coin money, and borrow it") == before
    *_, last = steps
    assert last.status == "done"
    assert "letters" in serving_note("who may coin money, and print it")
    (model,) = EmbeddingModel.objects.all()
    assert (model.dims, model.status) == (8, "active")
    assert ChunkVector.objects.count() == Chunk.objects.count()


@pytest.fixture
def other_model(settings, tmp_path):
    """A copy of the packaged model with weights of its own, which the settings name."""
    model = tmp_path / "model"
    shutil.copytree(default_model_dir(), model, ignore=shutil.ignore_patterns("*.safetensors"))
    (model / "model.safetensors").write_bytes(b"of its own")
    settings.ARF_EMBEDDER = settings.ARF_EMBEDDER | {"export_dir": str(tmp_path / "onnx"), "model_dir": str(model)}
    return model


def exported(spec: dict, fingerprint: str) -> None:
    """An export of the model that the settings name, as `prepare` makes it."""
    folder = shutil.copytree(export_of_this_code(), export_of(spec))
    weights = weights_sha256(Path(spec["model_dir"]))
    write_manifest(folder, fingerprint=fingerprint, weights_sha256=weights)


def test_the_model_in_use_serves_by_its_own_export_until_another_is_complete(other_model, settings, monkeypatch):
    shutil.copytree(export_of_this_code(), settings.ARF_EMBEDDER["export_dir"])
    exported(settings.ARF_EMBEDDER, "another")
    kept = Chunk.objects.order_by("pk").values("pk")[:40]
    Chunk.objects.exclude(pk__in=kept).delete()
    monkeypatch.setattr(reembedding, "BATCH", 30)
    steps = jobs.run_here(jobs.create(**reembedding.request()))
    next(steps)
    assert serving_note("who may coin money")
    *_, last = steps
    assert last.status == "done", last.error
    assert EmbeddingModel.objects.get().fingerprint == "another"
    assert serving_note("who may coin money, and print it")


def test_a_model_that_is_not_exported_is_refused_and_checked(other_model, settings):
    [warning] = checks.embedder_of_the_vectors(None, databases=["default"])
    assert warning.id == "arf.W004" and "manage.py prepare" in warning.msg
    with pytest.raises(CommandError, match="manage.py prepare"):
        call_command("reembed")
    exported(settings.ARF_EMBEDDER, "another")
    (other_model / "model.safetensors").write_bytes(b"changed since")
    with pytest.raises(CommandError, match="manage.py prepare"):
        call_command("reembed")


def test_a_reranker_that_learned_with_the_old_embedder_serves_no_more_and_another_is_trained(other_embedder):
    learned = registry.save(Trained(pack(some_reranker(), seed=1), {"family": "a test"}))
    registry.deploy(learned)
    question = SearchRequest(text="who may coin money", pipeline="learned")
    assert "LearnedReranker" not in search(question)["degraded"]
    call_command("reembed")
    again = search(SearchRequest(text="who may coin money, and print it", pipeline="learned"))
    assert "LearnedReranker" in again["degraded"]
    assert registry.problem().startswith("The reranker was trained with another embedder")
    assert "trains another" in tasks.mend_reranker()


def test_cancelling_keeps_the_old_vectors(other_embedder, monkeypatch):
    monkeypatch.setattr(reembedding, "BATCH", 80)
    steps = jobs.run_here(jobs.create(**reembedding.request()))
    jobs.cancel(next(steps))
    assert next(steps).status == "cancelled"
    assert EmbeddingModel.objects.get().status == "active"
    assert ChunkVector.objects.count() == Chunk.objects.count()


def test_there_is_nothing_to_do_while_settings_name_the_stored_embedder():
    with pytest.raises(CommandError, match="by this embedder already"):
        call_command("reembed")


def test_an_embedder_that_is_away_degrades_the_answer(settings):
    EmbeddingModel.objects.update(
        spec={"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "gone"}
    )
    answer = search(SearchRequest(text="freedom of the press"))
    assert answer["degraded"] == ["EmbedQuery", "NearestAliasRetriever", "DenseRetriever"]
    assert answer["results"][0]["locator"] == "/us/const/amendment/I"


def test_another_embedder_gets_its_index_and_takes_the_old_ones(other_embedder, monkeypatch):
    monkeypatch.setattr(hnsw, "LARGE", 100)
    old, domain = EmbeddingModel.objects.get(), Domain.objects.get(slug="us_constitution")
    hnsw.make(old, domain)
    monkeypatch.setattr(reembedding, "BATCH", 80)
    monkeypatch.setattr(hnsw, "LOOKED_AFTER", 0.0)
    monkeypatch.setattr(hnsw, "start_builder", lambda model: hnsw.make(model, domain))
    run = jobs.create(**reembedding.request())
    steps = jobs.run_here(run)
    next(steps)
    new = EmbeddingModel.objects.get(status="building")
    for _ in steps:
        connection.check_constraints()  # as the commit of each step does
    run.refresh_from_db()
    assert run.status == "done" and not hnsw.exists(old.pk, domain.pk)
    assert hnsw.exists(new.pk, domain.pk)


def test_a_document_of_another_title_is_embedded_anew():
    domain = a_domain()
    document = handed_in(domain, b"1. Rent. The tenant pays ninety doubloons.\n", "scan.txt").document
    chunk = Chunk.objects.get(document=document)
    before, version = vector_of(chunk), Domain.objects.get(pk=domain.pk).corpus_version
    uploading.rename(document, "Lease of the lighthouse in Ruritania", Caller((document.owner,)))
    assert np.array_equal(vector_of(chunk), before)
    *_, run = jobs.run_here(JobRun.objects.get(kind="embed_document"))
    chunk.refresh_from_db()
    _model, embedder = embedding_in_use()
    assert run.status == JobRun.Status.DONE
    assert np.allclose(vector_of(chunk), embedder.embed_documents([chunk.indexed_text])[0], atol=2e-3)
    assert not np.allclose(vector_of(chunk), before, atol=2e-3)
    assert Domain.objects.get(pk=domain.pk).corpus_version > version


def test_what_embeds_a_document_that_is_gone_ends():
    params = {"domain": "us_constitution", "document": 0}
    *_, run = jobs.run_here(jobs.create("embed_document", key="corpus", params=params))
    assert run.status == JobRun.Status.DONE


def vector_of(chunk: Chunk) -> np.ndarray:
    return np.asarray(ChunkVector.objects.get(chunk=chunk).vector, dtype=np.float32)
