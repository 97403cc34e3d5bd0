"""Documents of which nothing is in force any more."""

from datetime import date

import pytest

from retrieval.corpus.withdrawn import withdrawn_on
from tests.builders import a_document, a_domain, a_section

pytestmark = pytest.mark.django_db


def test_a_document_that_holds_a_text_is_not_withdrawn():
    document = a_document(a_domain())
    assert withdrawn_on(document) is None
    a_section(document, valid_to=date(2020, 1, 1))
    last = a_section(document)
    assert withdrawn_on(document) is None
    type(last).objects.filter(pk=last.pk).update(valid_to=date(2021, 1, 1))
    assert withdrawn_on(document) == date(2021, 1, 1)
