"""Triggers of rules on plain text: sixty keyword cases, patterns in linear time."""

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from retrieval.corpus.filters import worded
from rules.engine.matching import has_phrase, matches_pattern, pattern, replaced, words_of
from tests.keyword_cases import KEYWORD_CASES


@pytest.mark.parametrize(("about", "phrase", "stemmed", "language", "question", "fires"), KEYWORD_CASES)
def test_a_keyword_fires_as_the_table_says(about, phrase, stemmed, language, question, fires):
    assert has_phrase(question, phrase, stemmed_as=language if stemmed else "") is fires


def test_the_table_has_sixty_cases():
    assert len(KEYWORD_CASES) == 60


@given(st.text(max_size=60))
def test_a_text_holds_itself_unless_it_has_no_words(text):
    assert has_phrase(text, text) is any(words_of(text).apart)


@pytest.mark.parametrize("written", ["(?=a)b", "(a", "a" * 201, r"(\w)\1"])
def test_a_pattern_that_re2_cannot_run_in_linear_time_is_refused(written):
    with pytest.raises(ValueError):
        pattern(written)


def test_a_pattern_that_ruins_other_engines_is_answered():
    assert not matches_pattern("a" * 2_000 + "b", "(a+)+$")
    assert matches_pattern("Formulario I-589", r"\bi-\d{3}\b")


NOT_AS_IN_QUESTIONS = (
    "Process servers",
    "Tell us",
    "Straße",
    "我想申请庇护",
)  # sentences, ß, and words without spaces


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("phrase", "heading", "fires"),
    [
        (phrase, question, fires)
        for _, phrase, stemmed, _, question, fires in KEYWORD_CASES
        if not stemmed and not any(other in question for other in NOT_AS_IN_QUESTIONS)
    ],
)
def test_words_are_found_in_headings_as_keywords_are_in_questions(phrase, heading, fires):
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s ~ %s", [heading, worded(phrase)])
        assert cursor.fetchone() == (fires,)


def test_a_common_word_in_capitals_is_replaced_where_it_is_in_capitals():
    assert replaced("the US made us leave", "US", "United States", "en") == "the United States made us leave"
    assert replaced("the ADA and ada", "ADA", "act", "en") == "the act and act"
    assert replaced("is an esta a visa", "ESTA", "authorization", "en") == "is an authorization a visa"
    assert replaced("¿esta es ESTA?", "ESTA", "autorización", "es") == "¿esta es autorización?"
