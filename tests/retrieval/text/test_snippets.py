"""The window of a text that answers, and the words marked in it."""

from retrieval.text.snippets import best_snippet, function_stems, marked_words, to_sentence_end


def test_a_snippet_shows_where_most_of_the_wanted_words_stand():
    text = (
        "Nothing here. " * 40
        + "The right to a speedy and public trial, by an impartial jury."
        + " Nor here." * 40
    )
    snippet = best_snippet(text, frozenset({"speedi", "trial", "juri"}))
    assert "speedy and public trial" in snippet.text
    assert [snippet.text[start:end] for start, end in snippet.marks] == ["speedy", "trial", "jury"]
    assert text[snippet.start : snippet.end] == snippet.text


def test_a_short_text_is_its_own_snippet():
    assert best_snippet("We the People", frozenset()).text == "We the People"


def test_marks_see_plurals_and_possessives():
    text = "Marshal's men and marshals"
    assert [text[word.start : word.end] for word in marked_words(text, frozenset({"marshal"}))] == [
        "Marshal's",
        "marshals",
    ]


def test_a_span_is_ended_where_its_sentence_ends():
    text = (
        "No person shall be held to answer. Nor shall any be deprived of life, liberty, or property. The end."
    )
    end = text.index(" The end")
    assert to_sentence_end(text, 35, text.index("liberty")) == (35, end)
    assert to_sentence_end(text, 35, end) == (35, end)
    assert to_sentence_end(text, 35, len(text)) == (35, len(text))


def test_function_words_are_known_by_their_stems():
    wanted = frozenset({"search", "without", "under", "not"}) - function_stems("en")
    assert wanted == {"search"}
    assert "except" not in function_stems("en")  # the stem of "exception"
