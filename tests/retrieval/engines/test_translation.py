"""Spanish to English: the glossary alone, and with Apertium."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.engines.translation import Glossary, translate
from tests.retrieval.engines.samples import needs_apertium

GLOSSARY = Glossary(
    {
        "derecho a guardar silencio": "right to remain silent",
        "guardar silencio": "remain silent",
        "orden": "order",
        "orden judicial": "warrant",
        "registrar": "search",
        "debido proceso": "due process",
        "expropiación": "eminent domain",
    }
)


# -- Which terms are found in a text


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


# -- A text translated


def test_without_apertium_the_glossary_translates_what_it_knows():
    done = translate("¿Pueden registrar mi casa sin una orden judicial?", GLOSSARY)
    assert done.text == "search casa warrant ?"
    assert done.engine == "glossary"
    assert done.replaced == ("registrar", "orden judicial")


def test_protected_stretches_come_out_as_given():
    text = "¿Qué dice la Decimocuarta Enmienda?"
    done = translate(text, GLOSSARY, protect=[(13, 34, "Fourteenth Amendment")])
    assert done.text == "dice Fourteenth Amendment ?"
    assert done.replaced == ()


def test_a_protected_stretch_beats_a_term():
    assert translate("orden judicial", GLOSSARY, protect=[(0, 5, "ORDER")]).text == "ORDER judicial"


@pytest.mark.parametrize(
    "protect", [[(0, 99, "x")], [(3, 3, "x")], [(0, 4, "x"), (2, 6, "y")], [(-2, 1, "x")]]
)
def test_protected_stretches_must_lie_apart_inside_the_text(protect):
    with pytest.raises(ValueError, match="Protected stretch"):
        translate("una orden", GLOSSARY, protect=protect)


@given(st.text(alphabet=st.characters()))
def test_any_text_can_be_translated_by_the_glossary(text):
    assert "due process" in translate(text + " debido proceso", GLOSSARY).text


@needs_apertium
def test_no_word_gets_a_capital_for_standing_after_a_term(engine):
    glossary = Glossary({"qué edad": "what age", "cuánto dura": "how long is"})
    for question in ("¿Qué edad debe tener el presidente?", "¿cuánto dura el mandato de un senador?"):
        translated = translate(question, glossary, engine).text
        assert translated[1:] == translated[1:].lower(), translated


@needs_apertium
def test_terms_are_put_in_after_translation(engine):
    done = translate("¿Tengo derecho a guardar silencio ante la policía?", GLOSSARY, engine)
    assert "right to remain silent" in done.text
    assert "police" in done.text
    assert done.engine == "apertium+glossary"
    assert done.replaced == ("derecho a guardar silencio",)


@needs_apertium
def test_alone_it_saves_silence(engine):
    assert engine.translate("derecho a guardar silencio") == "Right to save silence"


@needs_apertium
def test_citations_survive(engine):
    done = translate(
        "¿Qué dice 8 U.S.C. § 1101(a)(15)?", GLOSSARY, engine, protect=[(10, 32, "8 USC 1101(a)(15)")]
    )
    assert "8 USC 1101(a)(15)" in done.text


@needs_apertium
def test_placeholders_never_clash_with_the_text(engine):
    done = translate("xqbbbb xqzbbbb y debido proceso", GLOSSARY, engine)
    assert done.text.lower() == "xqbbbb xqzbbbb and due process"
