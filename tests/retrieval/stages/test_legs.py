"""The legs that find chunks: by meaning, by words, and in private documents."""

from dataclasses import replace

import pytest
from django.db import connection

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.models import Chunk, Document
from retrieval.ranking import Query, Ranking
from retrieval.search.service import in_scope
from retrieval.stages.legs import DenseRetriever, LexicalRetriever, PrivateLexicalRetriever, counted_in
from retrieval.text.analyzer import stems
from tests.builders import a_case_file, a_chunk, a_document, a_domain, a_section
from tests.retrieval.stages.leg_contract import LegContract

pytestmark = pytest.mark.django_db


class TestDenseRetriever(LegContract):
    leg = DenseRetriever()


class TestLexicalRetriever(LegContract):
    leg = LexicalRetriever()
    finds_private = False


class TestPrivateLexicalRetriever(LegContract):
    leg = PrivateLexicalRetriever()
    finds_public = False

    def test_spanish_documents_are_found_by_spanish_words(self):
        ana = Caller(("key:961",))
        spanish = a_case_file("Contrato", "El inquilino pagará los alquileres cada mes.", granted_to=ana)
        english = a_case_file("Contract", "The tenant pays rents for the pagaré monthly.", granted_to=ana)
        with as_system():
            Document.objects.filter(pk=spanish.pk).update(language="es")
            written = {spanish.sections.get().pk: "es", english.sections.get().pk: "en"}
        with as_caller(ana):
            domains, _ = in_scope(ana, ("client_cases",))
            query = Query("¿quién paga el alquiler?", "who pays the rent?", "", "es", domains, caller=ana)
            found = self.leg(Ranking(query)).candidates
        assert {written[one.section_id] for one in found} == {"es", "en"}
        assert all(one.scores["private_coverage"] >= 0.5 for one in found)

    def test_it_reads_the_words_that_are_kept_and_finds_documents_by_indexes(self):
        ana = Caller(("key:961",))
        document = a_case_file("Lease", "The tenant pays rents.", granted_to=ana)
        with as_caller(ana):
            domains, _ = in_scope(ana, ("client_cases",))
            query = Query("rents", "rents", "", "en", domains, caller=ana)
            rows = self.leg._hits(query, [domain.id for domain in domains], "en", ["rent"])
            assert [section for section, _, _ in rows] == [document.sections.get().pk]
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL enable_seqscan TO off")  # as with many documents
            plan = rows.explain()
        assert "to_tsvector" not in plan and "words @@" in plan
        assert "Seq Scan" not in plan

    def test_words_are_kept_of_private_chunks_and_follow_text_context_and_language(self):
        private = a_chunk(a_section(a_document(a_domain(visibility="private")), "Pays rents."), context="Lease")
        public = a_chunk(a_section(a_document(a_domain()), "Pays rents."))
        assert words_of(private) == "'leas':1 'pay':2 'rent':3" and words_of(public) is None
        with as_system():
            Chunk.objects.filter(pk=private.pk).update(context="Contract")
            assert words_of(private) == "'contract':1 'pay':2 'rent':3"
            Document.objects.filter(pk=private.section.document_id).update(language="es")
            assert words_of(private) == "'contract':1 'pays':2 'rents':3"
            Document.objects.filter(pk=private.section.document_id).update(language="de")
            assert words_of(private) == "'contract':1 'pay':2 'rent':3"


@as_system()
def words_of(chunk: Chunk) -> str | None:
    return Chunk.objects.values_list("words", flat=True).get(pk=chunk.pk)


def test_a_word_weighs_what_it_does_in_the_one_body_that_is_searched():
    domains, versions = in_scope(Caller(), ("us_constitution",))
    query = Query("militia congress", "militia congress", "", "en", domains, versions=versions)
    counted = counted_in(query, {"en": "militia congress"})
    assert 0 < counted.having[stems("militia", "en")[0]] < 10 < counted.having[stems("congress", "en")[0]]
    assert counted.idf(stems("militia", "en")[0], 0.9) < counted.idf(stems("militia", "en")[0], 0.0)
    beside = a_section(a_document(a_domain()), "Militia.").domain
    several = (*domains, replace(domains[0], id=beside.pk))
    assert counted_in(replace(query, domains=several), {"en": "militia"}) is None
    assert counted_in(replace(query, domains=several[1:]), {"en": "militia"}) is None  # not counted yet
