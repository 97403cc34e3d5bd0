import pytest

from retrieval.proof import vocabulary
from retrieval.text.analyzer import stems
from retrieval.text.normalization import fold


@pytest.mark.parametrize(
    "name", ["SMALL", "LARGE", "ORDINAL", "PARTS", "UNIT", "MONTH", "PLACE", "MODALS", "NEGATIVE"]
)
def test_words_are_folded_as_the_text_is_where_they_are_looked_for(name):
    assert [word for word in getattr(vocabulary, name) if fold(word) != word] == []


def test_numbers_of_both_languages_are_the_same():
    small, ordinal = vocabulary.SMALL, vocabulary.ORDINAL
    assert small["thirty"] == small["treinta"] == 30 and small["quinientos"] == small["quinientas"] == 500
    assert (
        ordinal["twelfth"] == ordinal["duodecima"] == 12 and ordinal["twentieth"] == ordinal["vigesima"] == 20
    )


@pytest.mark.parametrize(
    "text", ["but upon probable cause", "unless he consents", "salvo por causa", "subject to appeal"]
)
def test_what_makes_an_exception(text):
    assert vocabulary.EXCEPTING.match(text)


def said(word, language="en"):
    return vocabulary.meaning(stems(word, language)[0], language)


def test_plain_legal_and_spanish_words_meet():
    assert said("jail") == said("imprisonment") == said("cárcel", "es")
    assert said("jail") != said("fine")


def test_other_words_stay_as_they_are():
    assert vocabulary.meaning("harbor", "en") == "harbor"


def test_each_group_has_english_words_and_a_spanish_part():
    for line in vocabulary.SAME_WORDS.read_text().splitlines()[1:]:
        english, bar, spanish = line.partition("|")
        assert english.strip() and bar and spanish.strip(), line
