"""A corpus for measuring alone is searchable while it lasts, and leaves nothing behind."""

from pathlib import Path

import pytest

from evaluation.measuring.corpora import rolled_back
from retrieval.models import Domain
from retrieval.request import SearchRequest
from retrieval.search.service import search
from tests.builders import a_document, a_domain, a_section, embedded

pytestmark = pytest.mark.django_db


def lighthouses() -> Domain:
    domain = a_domain(slug="lighthouses", locator_prefix="/lighthouses")
    embedded(a_section(a_document(domain), "The keeper of the lighthouse trims its lamp every night."))
    return domain


def test_it_is_searched_by_the_ordinary_search_and_then_gone(settings):
    before = settings.ARF_LEXICAL_DIR
    with rolled_back(lighthouses) as domain:
        folder = Path(settings.ARF_LEXICAL_DIR)
        assert folder != before and folder.is_dir()
        found = search(SearchRequest("who trims the lamp", domains=(domain.slug,), pipeline="lexical"))
        assert found["results"][0]["domain"] == "lighthouses"
    assert before == settings.ARF_LEXICAL_DIR and not folder.exists()
    assert not Domain.objects.filter(slug="lighthouses").exists()


def test_a_corpus_that_cannot_be_made_changes_nothing(settings):
    before = settings.ARF_LEXICAL_DIR

    def broken():
        lighthouses()
        raise ValueError("torn file")

    with pytest.raises(ValueError, match="torn file"), rolled_back(broken):
        pass
    assert before == settings.ARF_LEXICAL_DIR
    assert not Domain.objects.filter(slug="lighthouses").exists()
