"""Spanish beside the law."""

from dataclasses import replace
from math import inf

import pytest

from retrieval.answers import spanish
from retrieval.answers.selection import Passage
from retrieval.answers.spanish import Machine, beside
from retrieval.answers.units import units
from retrieval.corpus import translations
from retrieval.corpus.translations import digest
from retrieval.models import CacheEntry

LAW = "The House shall choose its officers. No fee is paid."
SPANS = units(LAW)[1].spans
PASSAGE = Passage(1, "/us/x", "X", LAW, 1, 0.9, "en", (0, 0))


def translated(monkeypatch, spanish: str) -> None:
    monkeypatch.setattr(translations, "_all", lambda: {"/us/x": (digest(LAW), spanish)})


def test_the_same_sentence_stands_beside_it(monkeypatch):
    translated(monkeypatch, "La Cámara elegirá a sus funcionarios. No se paga nada.")
    assert beside(PASSAGE, SPANS, Machine(inf)) == {"text": "No se paga nada.", "by": "ours", "official": False}


def test_where_sentences_differ_in_number_the_whole_stands_beside_it(monkeypatch):
    translated(monkeypatch, "La Cámara elegirá a sus funcionarios; no se paga nada.")
    assert beside(PASSAGE, SPANS, Machine(inf))["text"].startswith("La Cámara")


@pytest.fixture
def asked(monkeypatch):
    """What the machine is asked, which answers by the same words in capitals."""
    asked = []
    monkeypatch.setattr(spanish.loaded, "apertium_into_spanish", lambda: "a machine")
    monkeypatch.setattr(spanish, "terms_at", lambda version: None)
    monkeypatch.setattr(spanish, "into_spanish", lambda text, *_rest: (asked.append(text), text.upper())[1])
    return asked


@pytest.mark.django_db
def test_where_we_have_no_spanish_the_machines_stands_beside_it_and_is_made_once(asked):
    spans = [(0, 38), SPANS[0]]
    for _again in range(2):
        made = beside(PASSAGE, spans, Machine(inf))
    assert made == {
        "text": "THE HOUSE SHALL CHOOSE ITS OFFICERS. N … NO FEE IS PAID.",
        "by": "machine",
        "official": False,
    }
    assert len(asked) == 2


@pytest.mark.django_db
def test_what_a_private_document_says_is_not_kept(asked):
    kept = CacheEntry.objects.count()
    for _again in range(2):
        assert beside(replace(PASSAGE, private=True), SPANS, Machine(inf))["text"] == "NO FEE IS PAID."
    assert len(asked) == 2 and CacheEntry.objects.count() == kept


@pytest.mark.django_db
def test_after_its_time_and_without_a_machine_there_is_none(asked, monkeypatch):
    assert beside(replace(PASSAGE, private=True), SPANS, Machine(-1)) is None and not asked
    monkeypatch.setattr(spanish.loaded, "apertium_into_spanish", lambda: None)
    assert beside(PASSAGE, SPANS, Machine(inf)) is None


def test_other_words_than_those_translated_have_none(monkeypatch):
    monkeypatch.setattr(spanish.loaded, "apertium_into_spanish", lambda: None)
    translated(monkeypatch, "La Cámara elegirá a sus funcionarios. No se paga nada.")
    assert beside(replace(PASSAGE, text=LAW + " New."), SPANS, Machine(inf)) is None
    assert beside(replace(PASSAGE, language="es"), SPANS, Machine(inf)) is None
