"""Spanish verbs conjugated, and pronouns behind them."""

import pytest

from retrieval.text.spanish_verbs import Form, conjugated, with_pronouns


@pytest.mark.parametrize(
    ("infinitive", "forms"),
    [
        ("registrar", "registraron registraba registren registrando registrado registraria"),
        ("sacar", "saque sacaron"),
        ("pagar", "pague paguen"),
        ("negar", "niegan negaron"),
        ("pedir", "pide pidieron pidio pidiendo"),
        ("poner", "pusieron pongo pondra puesto"),
        ("detener", "detuvieron detengan"),
        ("excluir", "excluyen excluyeron"),
        ("abrir", "abre abrieron abierto"),
    ],
)
def test_forms_have_their_spelling_and_their_vowels(infinitive, forms):
    assert set(forms.split()) <= {word for word, *_ in conjugated(infinitive)}


def test_the_form_says_what_english_puts_for_it():
    told = {word: form for word, form, _ in conjugated("quitar")}
    assert told["quitaron"] is told["quito"] is Form.PAST
    assert told["quitando"] is Form.DOING
    assert told["quitado"] is Form.DONE


def test_what_nouns_end_in_too_is_not_surely_a_verb():
    assert {word for word, _, sure in conjugated("multar") if not sure} >= {"multa", "multas", "multo"}


@pytest.mark.parametrize(
    ("infinitive", "word"),
    [("decir", "decida"), ("estar", "este"), ("salir", "sala"), ("ver", "vida"), ("abolir", "abuela")],
)
def test_another_word_is_no_form(infinitive, word):
    assert word not in {form for form, *_ in conjugated(infinitive)}


def test_the_present_is_no_past():
    assert {form for word, form, _ in conjugated("romper") if word == "rompe"} == {Form.PLAIN}
    assert {form for word, form, _ in conjugated("abrir") if word == "abre"} == {Form.PLAIN}


def test_participles_and_what_is_a_noun_too_are_not_sure():
    assert not any(sure for word, _, sure in conjugated("abogar") if word in ("abogado", "abogadas"))
    assert not any(sure for word, _, sure in conjugated("mentir") if word == "mentira")


def test_pronouns_are_taken_off_a_verb():
    assert ("quitar", ("nos", "lo")) in with_pronouns("quitarnoslo")
    assert ("echando", ("los",)) in with_pronouns("echandolos")
    assert list(with_pronouns("carcel")) == []
