"""English verbs inflected, with their objects."""

import re

import pytest

from retrieval.text.english_verbs import did_not, inflected, of_person, with_object
from retrieval.text.spanish_verbs import INFINITIVE, Form
from rules.shipped import GLOSSARY, SPOKEN_GLOSSARY, rows_of


@pytest.mark.parametrize(
    ("english", "form", "told"),
    [
        ("search", Form.PAST, "searched"),
        ("take away", Form.PAST, "took away"),
        ("take away", Form.DONE, "taken away"),
        ("stop", Form.DOING, "stopping"),
        ("deny bail", Form.PAST, "denied bail"),
        ("fire", Form.PLAIN, "fire"),
        ("forced labor", Form.PAST, "forced labor"),
        ("peaceably assemble", Form.PAST, "peaceably assemble"),
        ("enter and search my house", Form.PAST, "entered and searched my house"),
        ("bully", Form.PAST, "bullied"),
        ("lie to me", Form.DOING, "lying to me"),
        ("be valid", Form.DOING, "being valid"),
    ],
)
def test_the_first_word_is_inflected(english, form, told):
    assert inflected(english, form) == told


# What a rule without a table or doubled letters would make.
NO_WORDS = """
    acquited beared becomed begined bing builded catched compeled controled doed drinked drived expeled falled fighted
    gived goed haved holded keeped knowed leaved liing losed maked overrided payed runned seed sended shooted speaked
    stealed stoped striked taked throwed understanded weared withholded writed
"""


def test_no_shipped_entry_is_inflected_to_what_is_no_word():
    rows = [row for name in (GLOSSARY, SPOKEN_GLOSSARY) for row in rows_of(name)]
    entries = [row["english"] for row in rows if INFINITIVE.fullmatch(row["spanish"].split()[0])]
    made = {inflected(english, form) for english in entries for form in Form}
    words = {english.split()[0] for english in made}
    assert not words & set(NO_WORDS.split())
    assert not [word for word in words if re.search("bl(y|i)ed$|[^aeiou]yed$|iing$", word)]


def test_what_is_said_of_me_is_said_of_others():
    assert of_person("take away my license", "le") == "take away his license"
    assert of_person("let me represent myself", "nos") == "let us represent ourselves"


def test_an_object_stands_behind_the_verb_where_there_is_room():
    assert with_object("throw out", "los") == "throw them out"
    assert with_object("have an abortion", "la") == "have an abortion"


def test_what_is_denied_has_an_auxiliary():
    assert did_not("pay me", Form.PAST, finite=True) == "did not pay me"
    assert did_not("pay", Form.PLAIN, finite=False) == "not pay"
    assert did_not("be valid", Form.PLAIN, finite=True) == "not be valid"
