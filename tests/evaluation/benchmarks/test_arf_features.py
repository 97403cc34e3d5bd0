"""The first ARF's fifteen formulas, by values worked out by hand."""

import re
from math import log

import pytest

from evaluation.benchmarks.arf_features import ArfQuestion, Document, extract
from retrieval.stages.reranker.features import FEATURES
from tests.conftest import ROOT

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


def row(question=ASKED, document=FOURTH):
    return extract(question, [document])[0]


def test_full_text_is_the_first_text_there_is_and_everything_nested():
    assert FOURTH.full_text == "the right of the people against unreasonable searches"


def test_bm25_has_no_idf_and_counts_repeated_words_of_the_question_again():
    once = 2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 8 / 2000))  # "the" stands twice among eight words
    assert row()["bm25_score"] == pytest.approx(2 * once)
    assert row(ArfQuestion("search"))["bm25_score"] == 0.0  # "searches" is another word


def test_titles_match_whatever_their_case():
    assert row()["alias_match"] == 1.0
    assert row()["keyword_match"] == 0.0
    assert row(ArfQuestion("x", keywords=("SEARCH AND SEIZURE",)))["keyword_match"] == 1.0


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
    assert row(document=Document("", 0.0, domain))["domain_type"] == number


def test_lengths_and_depth():
    assert row()["document_length"] == pytest.approx(log(1 + 53))
    assert row()["query_length"] == 27
    assert row()["section_depth"] == 2


def test_the_cosine_is_zero_without_both_embeddings():
    assert row()["embedding_cosine_similarity"] == pytest.approx(0.6)
    assert row(document=Document("", 0.0))["embedding_cosine_similarity"] == 0.0


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
    assert row(question)["match_type"] == kind


def test_coverage_and_title_similarity_are_over_distinct_words():
    assert row()["query_term_coverage"] == pytest.approx(1 / 3)  # "the" of search, the, house
    assert row()["title_similarity"] == pytest.approx(1 / 5)


def test_a_batch_has_fifteen_columns_and_its_own_best_score():
    told, best = extract(ASKED, [FOURTH, Document("Other", 0.9)])
    assert len(told) == len(best) == 15
    assert told["semantic_score"] == 0.71
    assert told["score_gap_from_top"] == pytest.approx(0.19)
    assert (told["has_nested_content"], told["bias_adjustment"]) == (1.0, -0.05)
    assert best["score_gap_from_top"] == 0.0


def test_the_documentation_names_each_and_features_that_the_model_reads():
    page = (ROOT / "docs/reranker.md").read_text()
    mended = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", page[: page.index("## Measured")], re.MULTILINE))
    assert mended.keys() == row().keys()
    assert {name for features in mended.values() for name in re.findall(r"`(\w+)`", features)} <= set(FEATURES)
