"""What a text may hold without putting the pipeline out of step."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.retrieval.engines.translation.terms import needs_apertium


@needs_apertium
def test_words_typed_without_accents_are_understood(engine):
    assert engine.translate("libertad de expresion") == "Liberty of expression"
    assert "police" in engine.translate("PUEDE LA POLICIA REGISTRAR MI TELEFONO").lower()
    assert "How many years" in engine.translate("cuantos anos dura un senador")
    assert engine.translate("una xqtlamania rara") == "A xqtlamania rare"


@needs_apertium
@pytest.mark.parametrize("mark", list(r"[]{}^$/\@<>~*#+%&|\"'") + ["§", "^xq$", "<n>", "\\[", "[[x]]", "🙂"])
def test_reserved_characters_survive(engine, mark):
    assert mark in engine.translate(f"la ley {mark} y el juez")
    assert engine.translate(f"la ley {mark}").endswith(mark)


@needs_apertium
@pytest.mark.parametrize("gap", ["\n", "\r\n", "\n\n", "\t", "\0", "\x1a", ".\n"])
def test_breaks_and_control_characters_are_blanks(engine, gap):
    assert engine.translate(f"la ley{gap}el juez").lower().replace(".", "") == "the law the judge"


@needs_apertium
@settings(max_examples=150)
@given(text=st.text(alphabet=st.characters(), max_size=60))
def test_no_text_puts_the_pipeline_out_of_step(engine, text):
    engine.translate(text)
    assert engine.translate("la ley") == "The law"
