import pytest
from django.db.models import Value

from retrieval.citations.titled import as_words
from retrieval.models import Domain, Section
from retrieval.models.texts import AsCited, InNaturalOrder
from tests.builders import a_document, a_domain

pytestmark = pytest.mark.django_db


def test_numbers_in_texts_are_put_in_their_order():
    domain = a_domain()
    for number in ("10", "9", "9a", "100"):
        a_document(domain, locator=f"{domain.locator_prefix}/t{number}")
    in_order = domain.documents.order_by(InNaturalOrder("locator")).values_list("locator", flat=True)
    assert [locator.rpartition("/t")[2] for locator in in_order] == ["9", "9a", "10", "100"]


@pytest.mark.parametrize("title", ["Manual  del Personal, 2ª ed.", "Código “Área” — §4", "LEASE_of 2020", "x" * 90])
def test_a_title_is_compared_in_sql_as_it_is_in_python(title):
    found = Domain.objects.annotate(cited=AsCited(Value(title))).values_list("cited", flat=True).first()
    assert found == as_words(title)


def test_what_begins_with_words_is_found_whatever_signs_they_hold():
    assert Section.objects.filter(locator__under="/us/const/amendment/XV").count() > 1
    assert not Section.objects.filter(locator__under="/us/const/amendment/%").exists()
