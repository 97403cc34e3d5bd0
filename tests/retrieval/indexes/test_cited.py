"""How sections are cited is counted when what cites them is published, and nothing else is counted again."""

import pytest

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_system
from retrieval.indexes import cited
from retrieval.ingestion.uploading import erase, withdraw
from retrieval.models import Citation, IndexChange, SectionTerms
from tests.builders import a_case_file, a_document, a_domain, a_section, embedded
from tests.retrieval.ingestion.conftest import domain, ingested, write  # noqa: F401

pytestmark = pytest.mark.django_db

SPEECH = "/us/const/amendment/I"


def told(locator: str = SPEECH) -> tuple[int, str]:
    terms = SectionTerms.objects.get(section__locator=locator, section__live=True, section__valid_to=None)
    return terms.cited_by, terms.called


def test_a_publication_counts_what_it_cites_and_what_it_calls_it(domain, write):  # noqa: F811
    before, _ = told()
    twice = "The First Amendment (relating to marching bands) and again the First Amendment."
    ingested(domain, write(twice, "As the First Amendment says."))
    assert told() == (before + 2, "marching bands")
    ingested(domain, write("", "As the First Amendment says."))
    assert told() == (before + 1, ""), "what is withdrawn cites nothing"


def test_what_is_cited_otherwise_goes_into_the_index_anew(domain, write):  # noqa: F811
    last = IndexChange.objects.latest("pk").pk
    ingested(domain, write("As the First Amendment says."))
    changed = set(IndexChange.objects.filter(pk__gt=last).values_list("chunk_id", flat=True))
    speech = SectionTerms.objects.get(section__locator=SPEECH).section
    assert set(speech.chunks.values_list("pk", flat=True)) <= changed


def test_nothing_that_a_publication_does_not_cite_is_counted_again(domain, write):  # noqa: F811
    SectionTerms.objects.filter(section__locator="/us/const/amendment/III").update(cited_by=99)
    last = IndexChange.objects.latest("pk").pk
    ingested(domain, write("As the First Amendment says."))
    assert told("/us/const/amendment/III")[0] == 99
    quartered = SectionTerms.objects.get(section__locator="/us/const/amendment/III").section
    changed = IndexChange.objects.filter(pk__gt=last).values_list("chunk_id", flat=True)
    assert not set(quartered.chunks.values_list("pk", flat=True)) & set(changed)


@as_system()
def test_what_private_documents_cite_is_counted_nowhere():
    before = told()
    section = a_case_file("Matter of Ana", "See the First Amendment (relating to secrets).").sections.get()
    target = SectionTerms.objects.get(section__locator=SPEECH).section
    Citation.objects.create(
        source=section, target_locator=SPEECH, target=target, called="secrets", start=0, end=1
    )
    cited.count_again(changed=[section.pk])
    assert told() == before


def test_a_section_does_not_make_itself_known():
    (section,) = embedded(a_section(a_document(a_domain()), "See below."))
    Citation.objects.create(source=section, target_locator="/x", target=section, called="itself", start=0, end=1)
    cited.count_again(changed=[section.pk])
    assert SectionTerms.objects.filter(section=section).values_list("cited_by", "called").get() == (0, "")


def test_no_more_citations_are_counted_than_tell_anything(monkeypatch):
    monkeypatch.setattr(cited, "MOST", 2)
    document = a_document(a_domain())
    target, *sources = embedded(*(a_section(document, "See below.") for _ in range(5)))
    for name, source in zip("abcd", sources, strict=True):
        Citation.objects.create(source=source, target_locator="/x", target=target, called=name, start=0, end=1)
    cited.count_again(changed=[source.pk for source in sources])
    assert SectionTerms.objects.filter(section=target).values_list("cited_by", "called").get() == (2, "a; b")


def test_a_public_document_that_is_withdrawn_or_erased_cites_nothing(domain, write):  # noqa: F811
    before, owner = told(), Caller(("key:1",))
    ingested(domain, write("As the First Amendment (relating to marching bands) says."))
    domain.documents.update(owner="key:1")
    withdraw(domain.documents.get(), owner)
    assert told() == before
    ingested(domain, write("As the First Amendment (relating to marching bands) says once more."))
    assert told() != before
    erase(domain.documents.get(), owner)
    assert told() == before
