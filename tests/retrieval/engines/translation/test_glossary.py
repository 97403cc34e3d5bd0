"""Which terms are found in a text."""

import pytest

from retrieval.engines.translation.glossary import Glossary
from tests.retrieval.engines.translation.terms import GLOSSARY


def english(terms):
    return [term.english for term in terms]


def test_the_longest_term_wins():
    assert english(GLOSSARY.find("mi derecho a guardar silencio")) == ["right to remain silent"]
    assert english(GLOSSARY.find("sin orden judicial")) == ["warrant"]


def test_terms_match_without_case_or_accents_and_across_blanks():
    for text in ("EXPROPIACION", "expropiacio\u0301n", "Expropiación"):
        assert english(GLOSSARY.find(text)) == ["eminent domain"]
    assert english(GLOSSARY.find("debido \n proceso")) == ["due process"]


def test_terms_match_whole_words_and_not_across_punctuation():
    assert GLOSSARY.find("ordenar desorden") == []
    assert english(GLOSSARY.find("la orden, judicial")) == ["order"]


def test_an_entry_without_a_word_is_refused():
    with pytest.raises(ValueError, match="no word"):
        Glossary({"¿?": "question"})
