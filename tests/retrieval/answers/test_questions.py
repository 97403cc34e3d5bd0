"""Kinds of answers."""

import pytest

from retrieval.answers.questions import (
    AMOUNTS,
    asked_amounts,
    asked_for,
    asks_of_separate,
    asks_of_standing,
    fits,
    given,
)


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


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("What is the fee for a passport?", ("money",)),
        ("How many years is the permit good for?", ("period",)),
        ("¿Qué porcentaje se reserva a las tribus?", ("share",)),
        ("How much of a fine, and how long in jail?", ("money", "period")),
        ("coffee price for visitors", ("money",)),
        ("¿Cuántas horas antes?", ("period",)),
        ("Who chairs the committee?", ()),
    ],
)
def test_what_amounts_are_asked_for_is_read_off_the_question(question, kinds):
    assert asked_amounts(question) == kinds


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("a civil penalty of $2,000", "money"),
        ("mri of the knee | 410 €", "money"),
        ("se anula sin coste hasta seis horas antes", "period"),
        ("for a period of not to exceed 7 years", "period"),
        ("reserve 85 per centum of the amount", "share"),
    ],
)
def test_a_sentence_that_gives_an_amount_is_told_where_this_is_asked_for(sentence, kind):
    assert given((kind,), sentence) == {name: float(name == kind) for name in AMOUNTS}
    assert given((), sentence) == dict.fromkeys(AMOUNTS, 0.0)
    assert given((kind,), "the secretary shall establish a program") == dict.fromkeys(AMOUNTS, 0.0)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What did the dissent in Roe v. Wade say?", True),
        ("Who dissented in Roe?", True),
        ("¿Qué dijo el voto disidente en Roe?", True),
        ("May the state punish dissent?", False),
        ("What may the dissent of students be punished with?", False),
        ("What did Justice Black write for the Court in Gideon?", False),
    ],
)
def test_who_asks_for_a_separate_opinion_does_not_ask_of_dissent_in_general(question, asks):
    assert asks_of_separate(question) is asks


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Was Obergefell overruled?", True),
        ("Is Roe still good law?", True),
        ("what overruled Chevron", True),
        ("¿Qué decisión anuló a Roe?", True),
        ("Which cases were overruled by Brandenburg?", False),
        ("What did Gideon overrule?", False),
        ("Is it still legal to buy alcohol?", False),
    ],
)
def test_who_asks_what_became_of_a_decision_does_not_ask_what_it_did(question, asks):
    assert asks_of_standing(question) is asks
