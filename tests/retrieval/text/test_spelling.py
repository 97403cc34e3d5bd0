"""Which misspelt words are corrected, and which words never are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.spelling import correction, edits, respelled

WORDS = {
    "police": 9,
    "search": 8,
    "warrant": 7,
    "soldiers": 3,
    "speech": 5,
    "seized": 2,
    "house": 6,
    "horse": 1,
}


def put_right(text, **options):
    return respelled(text, WORDS.__contains__, lambda word: WORDS.get(word, 0), **options)


@pytest.mark.parametrize(
    ("typed", "correct"),
    [
        ("polcie", "police"),  # neighbours changed
        ("warant", "warrant"),  # one left out
        ("seearch", "search"),  # one put in
        ("spedch", "speech"),  # one beside it on the keyboard
        ("saized", "seized"),  # a vowel for another
        ("hiuse", "house"),
        ("olice", None),  # the first letter is seldom wrong
        ("warranty", None),  # an ending is another word
        ("speach", "speech"),
        ("spemch", None),  # m is nowhere near e
        ("pizza", None),
    ],
)
def test_one_mistake_is_corrected_and_nothing_else(typed, correct):
    assert correction(typed, lambda word: WORDS.get(word, 0)) == correct


def test_the_more_usual_word_is_meant():
    assert correction("hoyse", lambda word: WORDS.get(word, 0)) == "house"


def test_capitals_stay_capitals():
    assert put_right("POLCE SEIZD IT") == "POLICE SEIZED IT"


@pytest.mark.parametrize(
    "text",
    [
        "what Polce wrote",
        'the words "polce" mean',
        "mail polce@warant.org",
        "a polce-1 form",
        "suit no. 5",
        "lice",
    ],
)
def test_names_quotes_and_codes_stay_as_they_are(text):
    assert put_right(text) == text


def test_what_is_kept_stays_as_it_is():
    assert put_right("the polce warant", kept=[(4, 9)]) == "the polce warrant"


@given(st.text(alphabet="abcdefghij ñé'\"-.", max_size=60))
def test_known_words_are_never_touched(text):
    assert respelled(text, lambda word: True, lambda word: 1) == text


@given(st.text(alphabet="abcdefghij", min_size=5, max_size=12))
def test_an_edit_keeps_the_first_letter(word):
    assert all(other[0] == word[0] and other != word for other in edits(word))
