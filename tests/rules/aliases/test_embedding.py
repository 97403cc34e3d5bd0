"""Vectors of aliases are made where they are missing."""

import pytest

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
    monkeypatch.setattr(embedding, "BATCH", 1)
    saved, save = [], embedding.saved
    monkeypatch.setattr(embedding, "saved", lambda rows: saved.append(len(rows)) or save(rows))
    Alias.objects.filter(pk__in=Alias.objects.in_use().values("pk")[:3]).update(text="something new")
    assert embedding.embed_all() == 3 and saved == [3]


def test_a_task_whose_time_is_over_leaves_the_rest_to_the_next():
    Alias.objects.filter(pk=Alias.objects.in_use().first().pk).update(text="something new")
    assert embedding.embed_all(seconds=0.0) == 0
    assert embedding.embed_all() == 1
