"""The first ARF's fifteen formulas, by values worked out by hand."""

from math import log

import pytest

from evaluation.benchmarks import arf_features as arf
from evaluation.benchmarks.arf_features import MENDED, ArfQuestion, Document
from retrieval.stages.reranker.features import FEATURES

FOURTH = Document(
    title="Search and Seizure",
    score=0.71,
    texts=("", "the right of the people"),
    nested=("against unreasonable searches",),
    levels={"title": "IV", "article": "", "section": "1"},
    embedding=(3.0, 4.0),
    bias=-0.05,
)
ASKED = ArfQuestion("Search the house, the HOUSE", (1.0, 0.0), aliases=("search and seizure",))


def test_full_text_is_the_first_text_there_is_and_everything_nested():
    assert FOURTH.full_text == "the right of the people against unreasonable searches"


def test_bm25_has_no_idf_and_counts_repeated_words_of_the_question_again():
    once = 2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 8 / 2000))  # "the" stands twice among eight words
    assert arf.bm25_score(ASKED, FOURTH) == pytest.approx(2 * once)
    assert arf.bm25_score(ArfQuestion("search"), FOURTH) == 0.0  # "searches" is another word


def test_titles_match_whatever_their_case():
    assert arf.alias_match(ASKED, FOURTH) == 1.0
    assert arf.keyword_match(ASKED, FOURTH) == 0.0
    assert arf.keyword_match(ArfQuestion("x", keywords=("SEARCH AND SEIZURE",)), FOURTH) == 1.0


@pytest.mark.parametrize(
    ("domain", "number"),
    [
        ("us_constitution", 0),
        ("code_of_federal_regulations", 1),
        ("us_code", 2),
        ("uscis_policy", 3),
        ("x", -1),
    ],
)
def test_domains_are_an_ordinal(domain, number):
    assert arf.domain_type(Document("", 0.0, domain)) == number


def test_lengths_and_depth():
    assert arf.document_length(FOURTH) == pytest.approx(log(1 + 53))
    assert arf.query_length(ASKED) == 27
    assert arf.section_depth(FOURTH) == 2


def test_the_cosine_is_zero_without_both_embeddings():
    assert arf.embedding_cosine_similarity(ASKED, FOURTH) == pytest.approx(0.6)
    assert arf.embedding_cosine_similarity(ASKED, Document("", 0.0)) == 0.0


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        (
            ArfQuestion("x", keywords=("seizure",), aliases=("search and seizure",)),
            1,
        ),  # the keyword decides first
        (ArfQuestion("x", keywords=("arms",), aliases=("search and seizure",)), 2),
        (ArfQuestion("guns and roses"), 1),  # by "and"
        (ArfQuestion("guns"), 0),
    ],
)
def test_match_type(question, kind):
    assert arf.match_type(question, FOURTH) == kind


def test_coverage_and_title_similarity_are_over_distinct_words():
    assert arf.query_term_coverage(ASKED, FOURTH) == pytest.approx(1 / 3)  # "the" of search, the, house
    assert arf.title_similarity(ASKED, FOURTH) == pytest.approx(1 / 5)


def test_a_batch_has_fifteen_columns_in_their_order():
    best = Document("Other", 0.9)
    rows = arf.extract(ASKED, [FOURTH, best])
    assert len(MENDED) == 15 and {len(row) for row in rows} == {15}
    told = dict(zip(MENDED, rows[0], strict=True))
    assert told["semantic_score"] == 0.71
    assert told["score_gap_from_top"] == pytest.approx(0.19)
    assert (told["has_nested_content"], told["bias_adjustment"]) == (1.0, -0.05)
    assert rows[1][10] == 0.0


def test_every_mended_feature_is_one_that_the_model_reads():
    assert {name for mended in MENDED.values() for name in mended.features} <= set(FEATURES)
