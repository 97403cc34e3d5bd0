import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from retrieval.text.normalization import fold
from retrieval.text.question_parts import MOST_CHARS, parts

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
            ("Can I appeal? When? Where?", "How much does it cost? (Can I appeal? When? Where)"),
        ),
        (
            "¿Puedo apelar la orden? ¿Cuándo? ¿Cuánto cuesta?",
            "es",
            ("¿Puedo apelar la orden? ¿Cuándo?", "¿Cuánto cuesta? (Puedo apelar la orden? ¿Cuándo)"),
        ),
    ],
)
def test_a_question_of_one_word_goes_with_the_one_before(text, language, found):
    assert parts(text, language) == found


def test_a_pronoun_gets_what_it_stands_for():
    assert parts("What counts as treason and what's the punishment for it?", "en")[1] == (
        "what's the punishment for it? (What counts as treason)"
    )


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        (
            "Can I get asylum, and how long do I have, and can I work meanwhile?",
            "en",
            "how long do I have? (Can I get asylum)",
        ),
        ("If I ask for asylum, can I stay, and how long?", "en", "If I ask for asylum: how long? (can I stay)"),
        (
            "¿Puedo pedir asilo y cuánto tiempo tengo para hacerlo?",
            "es",
            "¿cuánto tiempo tengo para hacerlo? (Puedo pedir asilo)",
        ),
        (
            "¿Puedo pedir asilo político, y cuánto tiempo tengo que esperar?",
            "es",
            "¿cuánto tiempo tengo que esperar? (Puedo pedir asilo político)",
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
            ("After I get DACA, can I travel?", "After I get DACA: how long does it last? (can I travel)"),
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
