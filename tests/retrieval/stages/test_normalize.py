"""The question in plain characters, and its language."""

import pytest

from retrieval.ranking import Query, Ranking
from retrieval.stages.normalize import Normalize


def normalized(text: str, language: str = "") -> Query:
    return Normalize()(Ranking(Query(text, text, "", language, ()))).query


def test_blanks_and_case_are_made_plain_and_the_original_kept():
    query = normalized("  Who   APPOINTS judges? ")
    assert query.original == query.text == "Who APPOINTS judges?"
    assert query.normalized == "who appoints judges"


@pytest.mark.parametrize(
    ("text", "language"), [("who can search my house", "en"), ("¿quién puede revisar mi casa?", "es")]
)
def test_the_language_is_the_one_it_is_written_in(text, language):
    assert normalized(text).language == language


def test_a_language_asked_for_holds():
    assert normalized("habeas corpus", "es").language == "es"
