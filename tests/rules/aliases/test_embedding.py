"""Vectors of aliases are made where they are missing."""

import pytest

from retrieval.engines.embedders import EmbeddingUnavailable
from rules.aliases import embedding
from rules.models import Alias

pytestmark = pytest.mark.django_db


def test_an_alias_worded_anew_loses_its_vector_until_it_is_embedded_again():
    alias = Alias.objects.filter(vectors__isnull=False).first()
    Alias.objects.filter(pk=alias.pk).update(note="looked at")
    assert alias.vectors.exists()
    Alias.objects.filter(pk=alias.pk).update(text="something new")
    assert not alias.vectors.exists()
    assert embedding.embed_all() == 1
    assert embedding.embed_all() == 0


def test_what_is_embedded_in_one_go_is_saved_at_once(monkeypatch):
    monkeypatch.setattr(embedding, "BATCH", 2)
    monkeypatch.setattr(embedding, "AT_ONCE", 1)
    saved, save = [], embedding.saved
    monkeypatch.setattr(embedding, "saved", lambda rows: saved.append(len(rows)) or save(rows))
    Alias.objects.filter(pk__in=Alias.objects.in_use().values("pk")[:3]).update(text="something new")
    assert embedding.embed_all() == 3 and saved == [3]


def test_a_name_that_was_put_another_way_meanwhile_is_embedded_again():
    first, second = Alias.objects.in_use()[:2]
    Alias.objects.filter(pk__in=[first.pk, second.pk]).update(text="something new")
    rows = embedding.embedded_until(0.0)
    Alias.objects.filter(pk=first.pk).update(text="something else")
    assert len(rows) == 2 and embedding.saved(rows) == 1
    assert embedding.embed_all() == 1 and first.vectors.get().stems == "someth els"


def test_what_was_embedded_before_the_model_failed_is_saved(monkeypatch):
    monkeypatch.setattr(embedding, "AT_ONCE", 1)
    Alias.objects.filter(pk__in=Alias.objects.in_use().values("pk")[:3]).update(text="something new")
    vectors_of, asked = embedding.vectors_of, iter(range(10))

    def failing(*portion):
        if next(asked) == 2:
            raise EmbeddingUnavailable("The endpoint is busy.")
        return vectors_of(*portion)

    monkeypatch.setattr(embedding, "vectors_of", failing)
    assert embedding.embed_all() == 3


def test_a_slow_machine_saves_a_portion_in_time(monkeypatch):
    monkeypatch.setattr(embedding, "AT_ONCE", 2)
    Alias.objects.filter(pk__in=Alias.objects.in_use().values("pk")[:3]).update(text="something new")
    assert len(embedding.embedded_until(0.0)) == 2


def test_a_task_whose_time_is_over_leaves_the_rest_to_the_next():
    Alias.objects.filter(pk=Alias.objects.in_use().first().pk).update(text="something new")
    assert embedding.embed_all(seconds=0.0) == 0
    assert embedding.embed_all() == 1
