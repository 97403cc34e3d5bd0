"""What legs share: from hits to candidates, and the texts they look for."""

from dataclasses import replace

from retrieval.ranking import DomainScope, Query, Ranking
from retrieval.stages.leg import fold, ranking_of, texts_by_language

SPANISH = DomainScope(1, "leyes", corpus_version=1, private=False, languages=("es",))
ENGLISH = DomainScope(2, "laws", corpus_version=1, private=False, languages=("en",))
QUERY = Query(
    original="una busqueda",
    text="a search",
    normalized="a search",
    language="es",
    domains=(SPANISH, ENGLISH),
    respelled="una búsqueda",
)


def test_a_section_stands_where_its_best_chunk_does_and_is_shown_by_it():
    found = fold("dense", [(7, 71, 0.9), (8, 81, 0.8), (7, 72, 0.7)], k=5)
    assert [(c.section_id, c.chunk_id, c.scores, c.ranks) for c in found] == [
        (7, 71, {"dense": 0.9}, {"dense": 1}),
        (8, 81, {"dense": 0.8}, {"dense": 2}),
    ]
    assert found[1].reasons[0] == ("dense", {"rank": 2})


def test_no_more_sections_are_kept_than_asked_for():
    found = fold("lexical", ((section, section, 1.0) for section in range(9)), k=3)
    assert [candidate.section_id for candidate in found] == [0, 1, 2]


def test_the_original_is_looked_for_only_where_texts_are_in_its_language():
    assert texts_by_language(QUERY) == {"en": "a search", "es": "una búsqueda"}
    assert texts_by_language(replace(QUERY, domains=(ENGLISH,))) == {"en": "a search"}


def test_synonyms_are_looked_for_beside_the_english_text():
    query = replace(QUERY, domains=(ENGLISH,), synonyms=("seizure", "warrant"))
    assert texts_by_language(query) == {"en": "a search seizure warrant"}


def test_a_leg_keeps_the_order_it_found():
    found = fold("dense", [(9, 91, 0.5), (3, 31, 0.5)], k=5)
    assert ranking_of(Ranking(QUERY), found).candidates == tuple(found)
