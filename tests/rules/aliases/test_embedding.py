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


def test_a_task_whose_time_is_over_leaves_the_rest_to_the_next():
    Alias.objects.filter(pk=Alias.objects.in_use().first().pk).update(text="something new")
    assert embedding.embed_all(seconds=0.0) == 0
    assert embedding.embed_all() == 1
