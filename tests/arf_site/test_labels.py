"""Names of models and fields that nobody wrote out are messages of a context of their own."""

from django.utils import translation

from arf_site import labels
from retrieval.models import SearchLog


def test_no_field_and_no_model_is_left_in_plain_words_once_the_site_has_started():
    assert {attribute for _, attribute, _ in labels.labels()} <= {"verbose_name_plural"}


def test_a_field_that_nobody_named_is_named_in_the_language_in_force():
    named = SearchLog._meta.get_field("created_at").verbose_name
    with translation.override("en"):
        assert str(named) == "created at"
    with translation.override("es"):
        assert str(named) == "creado el"
