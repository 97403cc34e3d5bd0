import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from retrieval.text.normalization import fold
from retrieval.text.question_parts import MOST_CHARS, own_words, parts, searched

ROWS = [json.loads(line) for line in Path("tests/data/multi_part.jsonl").read_text().splitlines()]
SEVERAL = [row for row in ROWS if len(row["parts"]) > 1]
SINGLE = [row for row in ROWS if len(row["parts"]) == 1]


def was_read(row: dict) -> bool:
    """Of the half that the grammar was written with; the other was only counted."""
    return int(hashlib.sha256(row["query"].encode()).hexdigest(), 16) % 2 == 0


def stems(text: str) -> set[str]:
    bare = text.split(": ")[-1].partition("? (")[0]
    return {word[:5] for word in fold(bare).replace("?", " ").replace("¿", " ").split() if len(word) > 2}


def is_right(found: tuple[str, ...], wanted: list[str]) -> bool:
    """As many, and each shares most of its words with the one that a person wrote at its place."""
    if len(found) != len(wanted):
        return False
    alike = [[overlap(stems(ours), stems(theirs)) for theirs in wanted] for ours in found]
    return all(row[n] >= max(row) for n, row in enumerate(alike))


def overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(len(one | other), 1)


def share_right(rows: Iterable[dict]) -> float:
    right = [is_right(parts(row["query"], row["language"]), row["parts"]) for row in rows]
    return sum(right) / len(right)


def test_nine_in_ten_of_several_parts_are_split_as_a_person_did():
    assert share_right(SEVERAL) >= 0.90
    assert share_right([row for row in SEVERAL if not was_read(row)]) >= 0.83


@pytest.mark.parametrize("row", SINGLE, ids=lambda row: row["query"])
def test_no_single_question_is_split(row):
    assert parts(row["query"], row["language"]) == (row["query"],)


def test_what_is_told_first_goes_with_each_question():
    assert parts("I have DACA. Can I join the army? Can I leave and come back?", "en") == (
        "I have DACA: Can I join the army?",
        "I have DACA: Can I leave and come back?",
    )


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        (
            "Can I appeal? When? Where? How much does it cost?",
            "en",
            ("Can I appeal? When? Where?", "How much does it cost? (appeal)"),
        ),
        (
            "¿Puedo apelar la orden? ¿Cuándo? ¿Cuánto cuesta?",
            "es",
            ("¿Puedo apelar la orden? ¿Cuándo?", "¿Cuánto cuesta? (apelar orden)"),
        ),
    ],
)
def test_a_question_of_one_word_goes_with_the_one_before(text, language, found):
    assert parts(text, language) == found


def test_a_pronoun_gets_what_it_stands_for():
    assert parts("What counts as treason and what's the punishment for it?", "en")[1] == (
        "what's the punishment for it? (counts as treason)"
    )


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        (
            "Can I get asylum, and how long do I have, and can I work meanwhile?",
            "en",
            "how long do I have? (asylum)",
        ),
        ("If I ask for asylum, can I stay, and how long?", "en", "If I ask for asylum: how long? (stay)"),
        (
            "¿Puedo pedir asilo y cuánto tiempo tengo para hacerlo?",
            "es",
            "¿cuánto tiempo tengo para hacerlo? (pedir asilo)",
        ),
        (
            "¿Puedo pedir asilo político, y cuánto tiempo tengo que esperar?",
            "es",
            "¿cuánto tiempo tengo que esperar? (pedir asilo político)",
        ),
    ],
)
def test_a_question_that_does_not_say_of_what_gets_it(text, language, found):
    assert parts(text, language)[1] == found


def test_both_sides_of_a_comparison():
    assert parts("What's the difference between asylum and withholding of removal?", "en") == (
        "What is asylum?",
        "What is withholding of removal?",
    )
    assert parts("¿Cuánto dura un derecho de autor en comparación con una patente?", "es") == (
        "¿Cuánto dura un derecho de autor?",
        "¿Cuánto dura una patente?",
    )


def test_a_condition_is_no_question():
    asked = "If I was arrested and nobody read me my rights, can I get out?"
    assert parts(asked, "en") == (asked,)


@pytest.mark.parametrize(
    ("asked", "language", "found"),
    [
        (
            "If I am a permanent resident, can I vote and can I own a gun?",
            "en",
            ("If I am a permanent resident, can I vote?", "If I am a permanent resident: can I own a gun?"),
        ),
        (
            "If I am a resident can I vote and can I own a gun?",
            "en",
            ("If I am a resident can I vote?", "If I am a resident: can I own a gun?"),
        ),
        (
            "After I get DACA, can I travel and how long does it last?",
            "en",
            ("After I get DACA, can I travel?", "After I get DACA: how long does it last? (travel)"),
        ),
        (
            "If I'm a felon, can I vote? Can I own a gun?",
            "en",
            ("If I'm a felon, can I vote?", "If I'm a felon: Can I own a gun?"),
        ),
        (
            "If I am a minor, can I sue, and if I am a citizen, can I vote?",
            "en",
            ("If I am a minor, can I sue?", "if I am a citizen, can I vote?"),
        ),
        (
            "¿Si soy residente, puedo votar y puedo tener un arma?",
            "es",
            ("¿Si soy residente, puedo votar?", "Si soy residente: ¿puedo tener un arma?"),
        ),
    ],
)
def test_a_condition_holds_for_the_questions_behind_it(asked, language, found):
    assert parts(asked, language) == found


@pytest.mark.parametrize(
    "asked",
    ["Under what law can I sue and can I appeal?", "Who takes over if the president dies and who picks the next one?"],
)
def test_what_asks_is_no_condition(asked):
    assert ":" not in parts(asked, "en")[1]


def test_a_quotation_or_a_story_is_left_whole():
    assert len(parts('Where does it say "who can vote and who can run"?', "en")) == 1
    assert len(parts("Can I vote? " * (MOST_CHARS // 10), "en")) == 1


def test_a_word_without_end_is_read_in_no_time():
    assert len(parts("can we " + "x" * 490, "en")) == 1


def test_what_a_question_points_at_is_told_without_the_words_that_ask_and_without_places_of_the_law():
    assert parts("How old must a senator be, and how long do they serve?", "en")[1] == (
        "how long do they serve? (senator)"
    )
    assert parts("Who appoints judges and how long do they stay?", "en")[1] == "how long do they stay? (judges)"
    asked = "Does the Sixth Amendment give me a jury in a criminal case? What about a lawsuit over $500?"
    assert parts(asked, "en")[1] == "What about a lawsuit over $500? (give jury criminal case)"


@pytest.mark.parametrize(
    ("before", "question", "language", "found"),
    [
        ("who can be president", "and what about for the vice president?", "en", "who can be the vice president?"),
        ("¿Quién puede ser presidente?", "¿y senador?", "es", "¿Quién puede ser senador?"),
        ("can police search my car", "ok and my house?", "en", "can police search my house?"),
        ("Can women vote?", "what about 18 year olds?", "en", "Can 18 year olds vote?"),
        ("Can the president be sued", "and a senator?", "en", "Can a senator be sued?"),
        ("Who can vote?", "and felons?", "en", "felons? (vote)"),
        ("Can the police search my car without a warrant?", "and my house?", "en",
         "my house? (police search my car without warrant)"),
        ("Can a felon vote?", "and own a gun?", "en", "own a gun? (felon vote)"),
        ("Can a felon vote?", "in Texas?", "en", "in Texas? (felon vote)"),
        ("Can a green card holder vote?", "and a citizen?", "en", "Can a citizen vote?"),
        ("how long does she serve? (senator)", "and a judge?", "en", "how long does a judge serve?"),
        ("can i get asylum?", "and if I was born abroad?", "en", "if I was born abroad? (asylum)"),
        ("What is habeas corpus?", "thank you", "en", "thank you"),
        ("¿Cuándo pudieron votar las mujeres?", "¡muchas gracias!", "es", "¡muchas gracias!"),
        ("cuantos años hay que tener pa ser presidente", "y pa ser representante", "es",
         "¿cuantos años hay que tener pa ser representante?"),
        ("How old must you be to be president?", "and to be a senator?", "en", "How old must you be to be a senator?"),
        ("¿Qué edad debe tener un senador?", "what is it for?", "en", "what is it for? (senador)"),
        ("¿Cuántos años dura un senador en su cargo?", "¿y el presidente?", "es",
         "¿el presidente? (senador)"),
        ("¿Le pueden negar el voto a alguien por su raza?", "¿y por ser mujer?", "es",
         "¿por ser mujer? (negar voto raza)"),
        ("Does amendment VI give me a jury?", "and a lawyer?", "en", "a lawyer? (Does amendment VI give me a jury)"),
        ("who tries impeachments", "and how many votes does that take", "en",
         "how many votes does that take? (impeachments)"),
        ("¿Puede la policía registrar mi casa?", "y ¿pueden meter soldados en ella?", "es",
         "¿pueden meter soldados en ella? (policía registrar mi casa)"),
        ("How old must a senator be, and how long do they serve?", "and who picks them?", "en",
         "who picks them? (serve senator)"),
        ("can i vote", "Who can declare war?", "en", "Who can declare war?"),
        ("can i vote", "?", "en", "?"),
        ("?", "who can vote", "en", "who can vote?"),
    ],
)  # fmt: skip
def test_a_question_goes_on_from_another(before, question, language, found):
    assert searched(question, before, language) == (found,)


def test_the_second_of_two_questions_that_go_on_points_at_what_the_first_does():
    further = "how long do they serve, and who picks them?"
    assert searched(further, "How old must a senator be?", "en") == (
        "how long do they serve? (senator)", "who picks them? (senator)",
    )  # fmt: skip
    assert searched(further, r"What is in section \d?", "en")[1] == r"who picks them? (What is in section \d)"


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("Can I apply for asylum, and is there a filing deadline?", "en", "is there a filing deadline? (apply asylum)"),
        ("¿Puedo pedir asilo y hay algún plazo?", "es", "¿hay algún plazo? (pedir asilo)"),
        ("Who is the Speaker of the House, and how long does he serve?", "en",
         "how long does he serve? (Speaker House)"),
        ("What does Article II say and who does it cover?", "en", "who does it cover? (What does Article II say)"),
        ("Can Congress borrow money, and how much?", "en", "how much? (Congress borrow money)"),
    ],
)  # fmt: skip
def test_a_question_points_at_the_whole_of_what_was_asked_about(text, language, found):
    assert parts(text, language)[1] == found


def test_a_question_that_goes_on_from_none_is_searched_in_its_parts():
    assert searched("Who can vote? Who can declare war?", "", "en") == ("Who can vote?", "Who can declare war?")
    further = searched("what if both die? And who declares war?", "who becomes president if the president dies?", "en")
    assert further == ("what if both die? (president dies)", "who declares war?")


def test_the_own_words_of_a_part():
    assert own_words("how long do they serve? (senator)") == "how long do they serve?"
    assert own_words("Can I vote (I am 18) here?") == "Can I vote (I am 18) here?"
