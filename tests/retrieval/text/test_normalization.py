"""Normalised keys and folding."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.text.normalization import fold, normalize


@pytest.mark.parametrize(
    "variant",
    [
        "Can they search my phone?",
        "can they search  my phone",
        "  CAN THEY SEARCH MY PHONE?! ",
        "Can they\u00a0search\u200b my\nphone …",
        "\ufeffＣan they search my phone？",
        "can\tthey search my phone...",
    ],
)
def test_variants_of_one_question_share_a_key(variant):
    assert normalize(variant) == "can they search my phone"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("¿Qué es el «hábeas corpus»?", 'qué es el "hábeas corpus"'),
        ("¡Auxilio!", "auxilio"),
        ("What’s the ‘takings’ clause", "what's the 'takings' clause"),
        ("8 U.S.C. § 1101(a)(15)(F)(i)", "8 u.s.c. § 1101(a)(15)(f)(i)"),
        ("Sections 1–3 — repealed", "sections 1-3 - repealed"),
        ("expresio\u0301n", "expresión"),
        ("?!...", ""),
        ("", ""),
        ("\ud800 stray", "stray"),
    ],
)
def test_normalize_keeps_meaning_and_plain_typography(text, expected):
    assert normalize(text) == expected


def test_different_questions_keep_different_keys():
    questions = ["amendment 2", "amendment 21", "8 usc 1182(a)", "8 usc 1182(b)", "año", "ano"]
    assert len({normalize(question) for question in questions}) == len(questions)


@given(st.text(alphabet=st.characters()))
@example("a\u0345\u0301")
@example("'\u00b4.")
@example("?\u200b?")
def test_normalize_is_idempotent(text):
    assert normalize(normalize(text)) == normalize(text)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_space_and_closing_marks_never_change_the_key(text):
    assert normalize(f" \u200b¿{text} \n?!. ") == normalize(text)


@given(st.text(alphabet=st.characters()))
@example("ŒﬁİßǅΣ…①")
def test_fold_keeps_every_offset(text):
    assert len(fold(text)) == len(text)


def test_fold_drops_accents_and_case():
    assert fold("¿Protección IGUAL, señor’s?") == "¿proteccion igual, senor's?"
