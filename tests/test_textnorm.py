"""Normalised keys, folding, tokens and stems."""

import threading

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.textnorm import fold, normalize, stems, tokens


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


@given(st.text(alphabet=st.characters()), st.sampled_from(["en", "es"]))
def test_tokens_and_stems_take_any_text(text, language):
    assert len(stems(text, language)) == len(tokens(text))
    assert all(token.isalnum() or not token.isascii() for token in tokens(text))


def test_fold_drops_accents_and_case():
    assert fold("¿Protección IGUAL, señor’s?") == "¿proteccion igual, senor's?"


def test_tokens_drop_possessives_and_apostrophes():
    assert tokens("What's the President’s oath? Don't ask (a)(15)") == (
        ["what", "the", "president", "oath", "dont", "ask", "a", "15"]
    )


def test_tokens_agree_for_both_forms_of_an_accent():
    assert tokens("elección") == tokens("eleccio\u0301n") == tokens("eleccion") == ["eleccion"]


def test_english_stems_meet():
    assert stems("searches and seizures", "en") == stems("searching and seizure", "en")


def test_spanish_stems_meet_with_and_without_accents():
    assert stems("elecciones públicas", "es") == stems("eleccion publica", "es")


def test_an_unknown_language_is_refused():
    with pytest.raises(KeyError):
        stems("word", "fr")


def test_stems_are_right_under_threads():
    words = [f"{root}{n}ing" for root in ("search", "seiz", "regulat") for n in range(300)]
    expected, found = [stems(word, "en") for word in words], []
    stems.__globals__["_stem"].cache_clear()
    threads = [
        threading.Thread(target=lambda: found.append([stems(w, "en") for w in words])) for _ in range(4)
    ]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [expected] * 4
