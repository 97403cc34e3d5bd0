"""Words of sections: stored at ingest, counted once a version of the corpus, read once."""

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.versions import current
from retrieval.indexes import term_statistics
from retrieval.indexes.terms import numbers
from retrieval.models import Domain, Section, SectionTerms, Vocabulary
from retrieval.request import SearchRequest
from retrieval.search.service import run, visible_domains
from tests.builders import a_document, a_domain, a_section


@pytest.mark.django_db
def test_every_provision_has_its_words_and_the_constitution_its_counts():
    domain = Domain.objects.get(slug="us_constitution")
    provisions = Section.objects.live().filter(domain=domain, is_result=True)
    stored = SectionTerms.objects.select_related("section").filter(section__in=provisions)
    assert len(stored) == provisions.count() == 135
    for row in stored[:10]:
        assert term_statistics.as_numbers(row.body).tolist() == numbers(row.section.text, "en").tolist()
    counted = Vocabulary.objects.get(domain=domain)
    assert (counted.corpus_version, counted.sections) == (domain.corpus_version, 135)


@pytest.mark.django_db
def test_a_corpus_that_changed_is_counted_again_once():
    section = a_section(a_document(a_domain()), "No title of nobility")
    term_statistics.save_terms([section])
    assert (term_statistics.count_again(), term_statistics.count_again()) == (1, 0)
    section.text = "No title of nobility shall be granted"
    term_statistics.save_terms([section])
    section.save()
    version = current(())["vocabulary"]
    assert term_statistics.count_again() == 1
    assert current(())["vocabulary"] > version
    assert Vocabulary.objects.get(domain=section.domain).mean_length == 7


@pytest.mark.django_db
def test_public_words_are_read_once(django_assert_num_queries):
    scopes = visible_domains(ANONYMOUS, ("us_constitution",))
    ranking = run(
        SearchRequest("who may search my house", pipeline="pool"), ANONYMOUS, scopes, current(scopes)
    )
    first = term_statistics.texts_of(ranking.query, ranking.candidates)
    with django_assert_num_queries(0):
        again = term_statistics.texts_of(ranking.query, ranking.candidates)
    assert again.words == first.words and all(len(words.body) for words in again.words)
    assert again.counted[0].sections == 135
