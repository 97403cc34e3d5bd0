"""Spanish documents are embedded in English, as Spanish questions are."""

from unittest.mock import Mock

import numpy as np
import pytest

from retrieval import jobs
from retrieval.engines import loaded
from retrieval.engines.apertium import TranslationUnavailable, TranslatorDown
from retrieval.engines.translation import Glossary
from retrieval.ingestion import reembedding
from retrieval.ingestion.in_english import embedded_texts, in_english
from retrieval.models import Chunk, ChunkVector, Document
from tests.retrieval.engines.samples import needs_apertium
from tests.retrieval.ingestion.conftest import ingested

pytestmark = pytest.mark.django_db
SPANISH = "El inquilino debe pagar la renta el primer día de cada mes. El casero puede entrar con aviso."


@pytest.fixture
def document(domain, write):
    ingested(domain, write(SPANISH))
    return Document.objects.get(domain=domain)


def test_english_documents_are_embedded_as_they_are(document):
    chunks = list(Chunk.objects.filter(document=document))
    assert embedded_texts(chunks) == [chunk.indexed_text for chunk in chunks]


@needs_apertium
def test_a_spanish_document_is_embedded_in_english_and_stays_spanish(document):
    (chunk,) = Chunk.objects.filter(document=document)
    (before,) = ChunkVector.objects.filter(chunk=chunk)
    document.language = "es"
    document.save()
    (made,) = embedded_texts([chunk])
    assert "tenant has to pay" in made
    list(jobs.run_here(jobs.create(**reembedding.request_for(document))))
    (after,) = ChunkVector.objects.filter(chunk=chunk)
    embedder = loaded.active_embedder().embedder
    asked = embedder.embed_query("does the tenant have to pay on the first day of the month")
    assert asked @ np.array(after.vector) > asked @ np.array(before.vector)
    chunk.refresh_from_db()
    assert chunk.text == SPANISH


@needs_apertium
def test_the_language_that_a_new_version_will_have_counts(document):
    (chunk,) = Chunk.objects.filter(document=document)
    Document.objects.filter(pk=document.pk).update(staged_description={"language": "es"})
    assert embedded_texts([chunk]) != [chunk.indexed_text]


def test_without_a_translator_it_is_embedded_as_it_is(document, monkeypatch):
    Document.objects.filter(pk=document.pk).update(language="es")
    monkeypatch.setattr(loaded, "apertium_for_texts", lambda: None)
    (chunk,) = Chunk.objects.filter(document=document)
    assert embedded_texts([chunk]) == [chunk.indexed_text]


def test_a_sentence_that_the_translator_fails_at_stays_and_the_log_says_so(caplog):
    engine = Mock(translate=Mock(side_effect=["The first. ", TranslationUnavailable("It hangs.")]))
    assert in_english("Lo primero. Lo segundo.", Glossary({}), engine).split("\n")[0].split() == [
        "The", "first.", "Lo", "segundo.",
    ]  # fmt: skip
    assert "It hangs." in caplog.text


def test_a_translator_that_cannot_start_ends_the_step():
    engine = Mock(translate=Mock(side_effect=TranslatorDown("The translator could not be started.")))
    with pytest.raises(TranslatorDown):
        in_english("Lo primero.", Glossary({}), engine)
