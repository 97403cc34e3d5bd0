"""What a process keeps: made once, by whoever asks first."""

import threading
from types import SimpleNamespace

import pytest

from retrieval.engines import loaded
from retrieval.errors import NotRun
from retrieval.models import EmbeddingModel


def test_threads_that_ask_at_once_get_the_same_object(monkeypatch):
    monkeypatch.setattr(loaded, "_loaded", {})
    together, made, given = threading.Barrier(4), [], []

    def load():
        made.append(object())
        return made[-1]

    def ask():
        together.wait(10)
        given.append(loaded.load_once(("thing",), load))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert given == made * 4


def test_what_is_stored_of_an_embedder_never_holds_the_key(settings):
    settings.ARF_EMBEDDER = settings.ARF_EMBEDDER | {"api_key": "hush"}
    assert "hush" not in loaded.settings_spec().values()
    assert loaded.settings_spec()["kind"] == settings.ARF_EMBEDDER["kind"]


def test_none_is_loaded_where_none_is_configured(settings):
    settings.ARF_CROSS_ENCODER = {"model_dir": "", "export_dir": "/nowhere"}
    assert loaded.cross_encoder() is None


@pytest.mark.django_db
def test_the_embedder_in_force_is_that_of_the_stored_vectors():
    active = loaded.active_embedder()
    row = EmbeddingModel.objects.get(pk=active.model_id)
    assert (row.status, row.fingerprint) == ("active", active.embedder.fingerprint)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "why"),
    [({"status": "retired"}, "nothing has been embedded"), ({"fingerprint": "0"}, "differs from the one")],
)
def test_without_it_the_stage_does_not_run_and_says_why(changes, why):
    EmbeddingModel.objects.update(**changes)
    with pytest.raises(NotRun, match=why):
        loaded.active_embedder(-1)  # no version has this number, so that nothing is kept for it


def test_a_question_is_embedded_once_for_its_search_and_its_answer():
    asked = []
    active = loaded.ActiveEmbedder(1, SimpleNamespace(embed_query=lambda text: asked.append(text) or len(text)))
    assert [active.vector_of("who"), active.vector_of("who")] == [3, 3] and asked == ["who"]
    for n in range(loaded.LATELY):
        active.vector_of(f"{n}")
    active.vector_of("who")
    assert asked.count("who") == 2
