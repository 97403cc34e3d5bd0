"""Words as numbers: counted for many texts at once as one by one, stored at ingest, read once."""

from collections import Counter
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.statements import current_versions
from retrieval.indexes import terms
from retrieval.indexes.terms import (
    K1,
    NONE,
    NUMBER,
    UNCITED,
    B,
    CandidateWords,
    Cited,
    QueryWords,
    SectionWords,
    bm25,
    frequencies,
    having_all,
    having_codes,
    matched,
    numbers,
    occurrences,
)
from retrieval.models import Domain, Section, SectionTerms, Vocabulary
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, run
from tests.builders import a_document, a_domain, a_section

few = st.lists(st.integers(0, 2**32 - 1) | st.sampled_from([1, 2, 65_537, 65_538]), max_size=30)


@given(st.sets(st.sampled_from([1, 2, 65_537, 2**32 - 1])), st.lists(few, max_size=5))
def test_occurrences_are_what_counting_text_by_text_gives(asked, texts):
    wanted = np.array(sorted(asked), NUMBER)
    counted = [[Counter(text)[number] for number in sorted(asked)] for text in texts]
    given_ = occurrences(wanted, [np.array(sorted(text), NUMBER) for text in texts])
    assert given_.tolist() == counted


@pytest.mark.parametrize(
    ("asked", "having"),
    [
        ("what does alarm A02 mean", [1.0, 0.0]), ("alarm a02 or B10", [1.0, 0.5]), ("form G-14", [0.0, 1.0]),
        ("alarm F75", [0.0, 0.0]), ("the 14th day, 20kg", [0.0, 0.0]), ("alarm", [0.0, 0.0]),
    ],
)  # fmt: skip
def test_codes_that_a_question_names_are_told_apart_from_other_words(asked, having):
    texts = ("A02 occlusion, B10 battery", "alarm B10, form G-14 within the 14th day of 20kg")
    pages = [SectionWords(np.sort(numbers(text, "en")), NONE, NONE) for text in texts]
    candidates = CandidateWords(pages, [frequencies(pages)], np.zeros(2, int), [UNCITED] * 2)
    assert having_codes(asked, candidates).tolist() == having


def test_bm25_weighs_words_by_how_rare_they_are_in_the_law():
    laws = [
        SectionWords(np.sort(numbers(text, "en")), NONE, NONE)
        for text in ("the warrant the oath", "the jury", "the vote")
    ]
    asked = QueryWords.of({"en": "the warrants"})
    cited = [UNCITED, Cited(1, np.sort(numbers("a warrant", "en"))), UNCITED]
    candidates = CandidateWords(laws, [frequencies(laws)], np.zeros(3, int), cited)
    told = matched(asked, candidates)
    assert bm25(asked, candidates).tolist() == told.bm25.tolist()
    length = 1 - B + B * 4 / (8 / 3)
    assert told.bm25 == pytest.approx(
        [1 / (1 + K1 * length), 0, 0]
    )  # "the" is in every one and asks for nothing
    assert told.covered.tolist() == [1.0, 0.0, 0.0]
    assert told.called.tolist() == [0.0, 1.0, 0.0]
    assert told.cited_by == pytest.approx([0, np.log(2), 0])


def test_what_has_every_word_has_it_in_body_or_heading_and_in_one_of_the_languages():
    laws = [
        SectionWords(np.sort(numbers(body, "en")), np.sort(numbers(head, "en")), NONE)
        for body, head in (("laws of Ruritania", "Governing law"), ("the laws of Ruritania", ""), ("governed", "law"))
    ]
    candidates = CandidateWords(laws, [frequencies(laws)], np.zeros(3, int), [UNCITED] * 3)
    assert having_all({"en": "governing law"}, candidates).tolist() == [True, False, True]
    assert having_all({"en": "of the law", "es": "ley"}, candidates).tolist() == [True, True, True]
    assert having_all({"en": "of the"}, candidates).tolist() == [False] * 3


def test_function_words_tell_only_where_nothing_else_does():
    asked = QueryWords.of({"en": "who may search my house", "es": "quién puede registrar mi casa"})
    assert asked.has_meaning.sum() == 4
    assert QueryWords.of({"en": "to be or not to be"}).has_meaning.any()
    assert len(QueryWords.of({"en": "§"}).every) == 0


def test_a_domain_is_counted_by_what_its_sections_hold():
    counted = frequencies(
        [
            SectionWords(np.array(b, NUMBER), np.array(h, NUMBER), NONE)
            for b, h in ([[5, 5, 7], [9]], [[7], [7]])
        ]
    )
    assert (counted.sections, counted.mean_length, counted.terms.tolist(), counted.counts.tolist()) == (
        2,
        2.0,
        [5, 7, 9],
        [1, 2, 1],
    )
    assert np.argsort(counted.idf(np.array([7, 5, 6], NUMBER))).tolist() == [0, 1, 2]


@pytest.mark.django_db
def test_every_provision_has_its_words_and_the_constitution_its_counts():
    domain = Domain.objects.get(slug="us_constitution")
    provisions = Section.objects.live().filter(domain=domain, is_result=True)
    stored = SectionTerms.objects.select_related("section").filter(section__in=provisions)
    assert len(stored) == provisions.count() == 135
    for row in stored[:10]:
        assert terms.as_numbers(row.body).tolist() == numbers(row.section.text, "en").tolist()
    counted = Vocabulary.objects.get(domain=domain)
    assert (counted.corpus_version, counted.sections) == (domain.corpus_version, 135)


@pytest.mark.django_db
def test_a_corpus_that_changed_is_counted_again_once():
    section = a_section(a_document(a_domain()), "No title of nobility")
    terms.save_terms([section])
    assert (terms.count_again(), terms.count_again()) == (1, 0)
    section.text = "No title of nobility shall be granted"
    terms.save_terms([section])
    section.save()
    version = current_versions()["vocabulary"]
    assert terms.count_again() == 1
    assert current_versions()["vocabulary"] > version
    assert Vocabulary.objects.get(domain=section.domain).mean_length == 7


@pytest.mark.django_db
def test_a_publication_is_counted_by_what_it_adds_and_removes(monkeypatch):
    document = a_document(a_domain())
    old, kept = (a_section(document, text) for text in ("No title of nobility", "No tax or duty"))
    terms.save_terms([old, kept])
    terms.count_again()
    domain = Domain.objects.get(pk=document.domain_id)
    version = domain.corpus_version
    new = a_section(document, "No tax or duty shall be laid on articles exported")
    terms.save_terms([new])
    Section.objects.filter(pk=old.pk).update(valid_to=date(2026, 1, 1))
    with monkeypatch.context() as only:
        only.setattr(terms, "of_current_texts", None)  # the rest of the domain is not read
        terms.count_published(domain, version, added=[new.pk], removed=[old.pk])
    stored = terms.counts_in(Vocabulary.objects.get(domain=domain))
    counted = terms.counted(terms.of_current_texts(domain))
    assert stored.terms.tolist() == counted.terms.tolist() and stored.counts.tolist() == counted.counts.tolist()
    assert (stored.sections, stored.mean_length) == (2, counted.mean_length) and not terms.count_again()
    terms.count_published(domain, version - 1, added=[], removed=[])  # counts of another version: all is read
    assert terms.counts_in(Vocabulary.objects.get(domain=domain)).sections == 2


@pytest.mark.django_db
def test_what_only_moves_is_not_counted_again():
    document = a_document(a_domain())
    section = a_section(document, "No title of nobility")
    terms.save_terms([section])
    terms.count_again()
    version = Domain.objects.get(pk=document.domain_id).corpus_version
    with terms.unchanged(document.domain):
        Section.objects.filter(pk=section.pk).update(position=7)
    assert Domain.objects.get(pk=document.domain_id).corpus_version > version
    assert terms.count_again() == 0


@pytest.mark.django_db
def test_counts_beside_another_embedder_are_made_anew():
    document = a_document(a_domain())
    section = a_section(document, "No title of nobility")
    terms.save_terms([section])
    terms.count_again()
    version = Domain.objects.get(pk=document.domain_id).corpus_version
    Vocabulary.objects.filter(domain=document.domain).update(embedded_by=None)
    new = a_section(document, "No tax or duty")
    terms.save_terms([new])
    terms.count_published(document.domain, version, added=[new.pk], removed=[])
    stored = Vocabulary.objects.get(domain=document.domain)
    assert stored.sections == 2 and stored.embedded_by is not None


@pytest.mark.django_db
def test_public_words_are_read_once(django_assert_num_queries):
    scopes, in_force = in_scope(ANONYMOUS, ("us_constitution",))
    ranking = run(
        SearchRequest("who may search my house", pipeline="pool"), ANONYMOUS, scopes, in_force
    )
    first = terms.texts_of(ranking.query, ranking.candidates)
    with django_assert_num_queries(1):  # how they are cited
        again = terms.texts_of(ranking.query, ranking.candidates)
    assert again.words == first.words and all(len(words.body) for words in again.words)
    assert again.counted[0].sections == 135
