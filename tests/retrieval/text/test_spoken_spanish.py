"""Spoken Spanish put into that of dictionaries."""

from retrieval.text.normalization import fold
from retrieval.text.spoken_spanish import STANDARD, accented_by_place, standard, undiminished


def test_the_table_has_each_word_once_in_small_letters():
    assert all(word == word.lower() and word != meant for word, meant in STANDARD.items())


def test_voseo_and_shortened_words_are_replaced_as_whole_words():
    assert standard("¿Podés votar si sos residente?") == "¿puedes votar si eres residente?"
    assert standard("401k paquete") == "401k paquete"


def test_accents_are_told_by_what_stands_around():
    assert accented_by_place("mi hermano esta preso") == "mi hermano está preso"
    assert accented_by_place("esta ley") == "esta ley"
    text = "me dieron mas de lo que el se merece"
    assert fold(accented_by_place(text)) == text


def test_a_diminutive_has_its_word():
    assert "casa" in undiminished("casita")
    assert "papel" in undiminished("papelito")
    assert "poco" in undiminished("poquito")
    assert undiminished("visita") == []
