"""Spanish to English: the glossary alone, and the kept Apertium pipeline with its misfortunes."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval import translation
from retrieval.translation import Apertium, Glossary, TranslationUnavailable, installed, translate

needs_apertium = pytest.mark.skipif(not installed(), reason="apertium-eng-spa is not installed")

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


@pytest.fixture(scope="module")
def engine():
    apertium = Apertium()
    yield apertium
    apertium.close()


def english(terms):
    return [term.english for term in terms]


def programs(group: int) -> list[int]:
    """Living processes of a process group."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, pgrp = stat.read_text().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended while we looked
        if int(pgrp) == group and state not in "ZX":
            found.append(int(stat.parent.name))
    return sorted(found)


def wait_until_gone(group: int) -> None:
    deadline = time.monotonic() + 5
    while programs(group) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert programs(group) == []


# The glossary


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


# The glossary alone


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


# Apertium


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
def test_words_typed_without_accents_are_understood(engine):
    assert engine.translate("libertad de expresion") == "Liberty of expression"
    assert "police" in engine.translate("PUEDE LA POLICIA REGISTRAR MI TELEFONO").lower()
    assert "How many years" in engine.translate("cuantos anos dura un senador")
    assert engine.translate("una xqtlamania rara") == "A xqtlamania rare"


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


@needs_apertium
def test_two_hundred_sentences_share_one_pipeline(engine):
    engine.translate("hola")
    group = engine._pipeline.group
    for number in range(200):
        assert str(number) in engine.translate(f"¿Puede la policía registrar la casa {number} sin una orden?")
    assert engine._pipeline.group == group


@needs_apertium
def test_threads_get_their_own_answers(engine):
    wrong = []

    def ask(thread: int) -> None:
        for number in range(30):
            text = engine.translate(f"la casa {thread}000{number} y la ley")
            if text != f"The house {thread}000{number} and the law":
                wrong.append(text)

    threads = [threading.Thread(target=ask, args=(thread,)) for thread in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@needs_apertium
@pytest.mark.parametrize("position", [0, 4, -1])
def test_a_killed_program_is_replaced_within_the_call(engine, position):
    engine.translate("hola")
    group = engine._pipeline.group
    os.kill(programs(group)[position], signal.SIGKILL)
    assert engine.translate("la ley") == "The law"
    assert engine._pipeline.group != group
    assert programs(group) == []


@needs_apertium
@pytest.mark.parametrize("position", [0, 4, -1])
def test_a_hanging_program_costs_one_call(engine, position, monkeypatch):
    engine.translate("hola")
    group = engine._pipeline.group
    os.kill(programs(group)[position], signal.SIGSTOP)
    monkeypatch.setattr(translation, "WARM_LIMIT", 0.2)
    with pytest.raises(TranslationUnavailable, match="in time"):
        engine.translate("la ley")
    assert programs(group) == []
    assert engine.translate("la ley") == "The law"


@needs_apertium
def test_a_forked_process_has_a_pipeline_of_its_own(engine):
    engine.translate("hola")
    group = engine._pipeline.group
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, f"{engine.translate('la ley')}|{engine._pipeline.group}".encode())
            engine.close()
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as answer:
        text, child_group = answer.read().split("|")
    assert text == "The law"
    assert int(child_group) != group
    assert engine.translate("el juez") == "The judge"
    assert engine._pipeline.group == group


LEAVE = """
import os, signal
from retrieval import translation
from retrieval.translation import Apertium
engine = Apertium()
engine.translate("hola")
print(engine._pipeline.group, flush=True)
"""


@needs_apertium
@pytest.mark.parametrize("ending", ["", "raise SystemExit(3)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_nothing_outlives_the_interpreter(ending):
    done = subprocess.run([sys.executable, "-c", LEAVE + ending], stdout=subprocess.PIPE, check=False)
    wait_until_gone(int(done.stdout))


@needs_apertium
def test_an_engine_nobody_holds_ends_its_programs():
    apertium = Apertium()
    apertium.translate("hola")
    group = apertium._pipeline.group
    del apertium
    assert programs(group) == []


@needs_apertium
def test_an_overlong_text_is_refused(engine):
    with pytest.raises(TranslationUnavailable, match="characters"):
        engine.translate("ley " * 5000)


def test_an_absent_translator_is_unavailable(tmp_path):
    assert not installed(tmp_path / "absent.mode")
    with pytest.raises(TranslationUnavailable, match="not installed"):
        Apertium(tmp_path / "absent.mode").translate("la ley")


def test_a_translator_that_cannot_start_is_left_alone_for_a_while(tmp_path):
    mode = tmp_path / "broken.mode"
    mode.write_text("false | cat")
    apertium = Apertium(mode)
    with pytest.raises(TranslationUnavailable, match="stopped"):
        apertium.translate("la ley")
    with pytest.raises(TranslationUnavailable, match="could not be started"):
        apertium.translate("la ley")
