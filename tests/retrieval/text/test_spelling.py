"""Which misspelt words are corrected, and which words never are."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retrieval.text import spelling
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
    return respelled(text, WORDS.__contains__, [WORDS], **options)


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
    assert correction(typed, [WORDS]) == correct


@pytest.mark.parametrize(
    ("typed", "known", "correct"),
    [
        ("presi", {"preso": 9, "presidente": 1}, None),  # clipped, no slip
        ("presi", {"preso": 9}, "preso"),
        ("presidemt", {"president": 1, "presidential": 1}, "president"),
    ],
)
def test_a_clipped_word_is_no_slip(typed, known, correct):
    assert correction(typed, [known]) == correct


def test_the_more_usual_word_is_meant():
    assert correction("hoyse", [WORDS]) == "house"


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
    assert respelled(text, lambda word: True, [WORDS]) == text


@pytest.mark.parametrize(
    ("typed", "correct"), [("slodeirs", "soldiers"), ("serahc", "search"), ("wrrnt", "warrant"), ("wrrn", None)]
)
def test_two_mistakes_are_corrected_where_they_are_looked_for(typed, correct):
    assert correction(typed, [WORDS]) is None
    assert correction(typed, [WORDS], slips=2) == correct


def test_long_words_are_compared_with_known_ones_alone(monkeypatch):
    made = []
    monkeypatch.setattr(spelling, "edits", lambda word: made.append(word) or edits(word))
    words = [f"{chr(97 + n)}" + "overlongwordwithoutsense"[:23] for n in range(8)]
    assert put_right(" ".join(words), slips=2) == " ".join(words)
    assert made == words


@given(st.text(alphabet="abcdef", min_size=5, max_size=9), st.data())
def test_two_edits_lead_to_a_word_as_they_lead_away_from_it(word, data):
    """What is found through the known words is what making all edits of all edits finds."""
    known = data.draw(st.sampled_from(sorted(edits(data.draw(st.sampled_from(sorted(edits(word))))))))
    assume(known != word)
    assert correction(word, [{known: 1}], slips=2) == known
    assert correction(known, [{word: 1}], slips=2) == word


@given(st.text(alphabet="abcdefghij", min_size=5, max_size=12))
def test_an_edit_keeps_the_first_letter(word):
    assert all(other[0] == word[0] and other != word for other in edits(word))
