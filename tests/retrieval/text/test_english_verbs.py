"""English verbs inflected, with their objects."""

import pytest

from retrieval.text.english_verbs import did_not, inflected, of_person, with_object
from retrieval.text.spanish_verbs import Form


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
    ],
)
def test_the_first_word_is_inflected(english, form, told):
    assert inflected(english, form) == told


def test_what_is_said_of_me_is_said_of_others():
    assert of_person("take away my license", "le") == "take away his license"
    assert of_person("let me represent myself", "nos") == "let us represent ourselves"


def test_an_object_stands_behind_the_verb_where_there_is_room():
    assert with_object("throw out", "los") == "throw them out"
    assert with_object("have an abortion", "la") == "have an abortion"


def test_what_is_denied_has_an_auxiliary():
    assert did_not("pay me", Form.PAST, finite=True) == "did not pay me"
    assert did_not("pay", Form.PLAIN, finite=False) == "not pay"
