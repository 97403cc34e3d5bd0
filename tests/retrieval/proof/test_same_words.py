from retrieval.proof.same_words import FILE, meaning
from retrieval.text.analyzer import stems


def said(word, language="en"):
    return meaning(stems(word, language)[0], language)


def test_plain_legal_and_spanish_words_meet():
    assert said("jail") == said("imprisonment") == said("cárcel", "es")
    assert said("jail") != said("fine")


def test_other_words_stay_as_they_are():
    assert meaning("harbor", "en") == "harbor"


def test_each_group_has_english_words_and_a_spanish_part():
    for line in FILE.read_text().splitlines()[1:]:
        english, bar, spanish = line.partition("|")
        assert english.strip() and bar and spanish.strip(), line
