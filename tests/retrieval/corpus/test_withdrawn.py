"""Documents of which nothing is in force any more."""

from datetime import date

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.absence import absence_at, absence_of, in_words
from retrieval.corpus.withdrawn import withdrawn_days, withdrawn_on
from retrieval.models import Section
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


def test_of_several_documents_those_that_were_withdrawn_are_told():
    domain = a_domain()
    held, gone, empty = (a_document(domain, locator=f"{domain.locator_prefix}/{n}") for n in "abc")
    for document, day in ((held, None), (held, date(2021, 1, 1)), (gone, date(2020, 1, 1)), (gone, date(2021, 1, 1))):
        a_section(document, valid_to=day)
    assert withdrawn_days({held.pk, gone.pk, empty.pk}) == {gone.pk: date(2021, 1, 1)} and withdrawn_days([]) == {}


def test_what_was_withdrawn_is_not_told_as_ended():
    document = a_document(a_domain())
    earlier, last = (a_section(document, valid_to=date(year, 1, 1)) for year in (2020, 2021))
    known = Section.objects.live().visible_to(ANONYMOUS)
    today = date(2022, 1, 1)
    for absence in (absence_at(last.locator, known, today), absence_of(document, known, today)):
        assert absence.withdrawn and in_words(absence.to_dict(), str).endswith("it was withdrawn on 2021-01-01.")
    ended = absence_at(earlier.locator, known, today)
    assert not ended.withdrawn and in_words(ended.to_dict(), str).endswith("it ended on 2020-01-01.")
