"""The kept Apertium pipeline with its misfortunes, and texts that might put it out of step."""

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

from retrieval.engines import apertium
from retrieval.engines.apertium import Apertium, TranslationUnavailable, installed
from tests.retrieval.engines.samples import needs_apertium


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
    monkeypatch.setattr(apertium, "WARM_LIMIT", 0.2)
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
from retrieval.engines import apertium
from retrieval.engines.apertium import Apertium
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


# -- What a text may hold without putting the pipeline out of step


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
