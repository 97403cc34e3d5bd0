"""Spanish beside the law."""

from dataclasses import replace

from retrieval.answers.selection import Passage
from retrieval.answers.spanish import beside
from retrieval.answers.units import units
from retrieval.corpus import translations
from retrieval.corpus.translations import digest

LAW = "The House shall choose its officers. No fee is paid."
PASSAGE = Passage(1, "/us/x", "X", LAW, 1, 0.9, "en", (0, 0))


def translated(monkeypatch, spanish: str) -> None:
    monkeypatch.setattr(translations, "_all", lambda: {"/us/x": (digest(LAW), spanish)})


def test_the_same_sentence_stands_beside_it(monkeypatch):
    translated(monkeypatch, "La Cámara elegirá a sus funcionarios. No se paga nada.")
    assert beside(PASSAGE, units(LAW)[1]) == {"text": "No se paga nada.", "by": "ours", "official": False}


def test_where_sentences_differ_in_number_the_whole_stands_beside_it(monkeypatch):
    translated(monkeypatch, "La Cámara elegirá a sus funcionarios; no se paga nada.")
    assert beside(PASSAGE, units(LAW)[1])["text"].startswith("La Cámara")


def test_other_words_than_those_translated_have_none(monkeypatch):
    translated(monkeypatch, "La Cámara elegirá a sus funcionarios. No se paga nada.")
    assert beside(replace(PASSAGE, text=LAW + " New."), units(LAW)[1]) is None
    assert beside(replace(PASSAGE, language="es"), units(LAW)[1]) is None
