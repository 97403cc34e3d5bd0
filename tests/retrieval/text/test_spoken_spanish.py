"""Spoken Spanish put into that of dictionaries."""

import pytest

from retrieval.text.normalization import fold
from retrieval.text.spoken_spanish import STANDARD, accented_by_place, standard, undiminished


def test_the_table_has_each_word_once_in_small_letters():
    assert all(word == word.lower() and word != meant for word, meant in STANDARD.items())


def test_voseo_and_shortened_words_are_replaced_as_whole_words():
    assert standard("¿Podés votar si tenés papeles?") == "¿puedes votar si tienes papeles?"
    assert standard("401k paquete") == "401k paquete"
    assert standard("dise q k") == "dice que que"


@pytest.mark.parametrize(
    "text",
    ["la visa Q", "K", "Boy Scouts", "Filadelfia PA", "Sta. Ana", "SOS", "el ala derecha", "El papa Francisco"]
    + ["papas", "que me mude", "volví y crei"],
)
def test_what_is_a_word_or_a_name_of_its_own_stays(text):
    assert standard(text) == text


def test_accents_are_told_by_what_stands_around():
    assert accented_by_place("mi hermano esta preso") == "mi hermano está preso"
    assert accented_by_place("mi mama y mi tio") == "mi mamá y mi tío"
    assert accented_by_place("se que hacer, pero a que hora") == "se que hacer, pero a qué hora"
    text = "me dieron mas de lo que el se merece"
    assert fold(accented_by_place(text)) == text


@pytest.mark.parametrize(
    "text",
    ["esta ley", "esta oficina", "esta medida", "esta partida", "esta doctrina", "esta medicina", "esta comida"]
    + ["tengo derecho a que me den un abogado", "el no pagar", "El papa y los papas", "la causa por que se le acusa"],
)
def test_what_a_noun_may_follow_has_no_accent(text):
    assert accented_by_place(text) == text


def test_a_diminutive_has_its_word():
    assert "casa" in undiminished("casita")
    assert "papel" in undiminished("papelito")
    assert "poco" in undiminished("poquito")
    assert undiminished("visita") == []
