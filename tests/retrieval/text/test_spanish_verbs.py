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


def test_pronouns_are_taken_off_a_verb():
    assert ("quitar", ("nos", "lo")) in with_pronouns("quitarnoslo")
    assert ("diga", ("me",)) in with_pronouns("digame")
    assert list(with_pronouns("carcel")) == []
