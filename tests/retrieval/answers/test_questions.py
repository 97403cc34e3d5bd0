"""Kinds of answers."""

import pytest

from retrieval.answers.questions import asked_for, fits


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who can declare war?", "who"),
        ("¿Quién nombra a los jueces?", "who"),
        ("How long is a senator's term?", "when"),
        ("¿Cuándo empieza el Congreso?", "when"),
        ("How many senators are there?", "how_many"),
        ("Can the police search my phone?", "may"),
        ("¿Puede un estado imprimir dinero?", "may"),
    ],
)
def test_the_kind_of_answer_is_read_off_the_question(question, kind):
    assert kind in asked_for(question)


def test_a_question_of_no_kind_asks_for_none():
    assert asked_for("Explain the veto") == ()


def test_a_sentence_fits_by_what_it_has():
    assert fits(("when",), "for a term of six years") == 1.0
    assert fits(("when",), "the senate shall choose its officers") == 0.0
    assert fits(("who", "when"), "the president may convene them") == 0.5
    assert fits((), "anything") == 0.0
