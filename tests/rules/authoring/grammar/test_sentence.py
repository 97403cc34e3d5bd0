"""Marks in place of what a sentence names."""

from rules.authoring.grammar.sentence import Sentence, bare


def test_a_mark_stands_for_what_was_named_and_is_written_out_again():
    sentence = Sentence.of("Hide the Lease always")
    marked = sentence.marking(9, 14, "q", "Lease")
    assert marked.text == "Hide the @q0@ always" and marked.plain(marked.text) == "Hide the Lease always"


def test_marks_that_an_author_writes_are_taken_out():
    assert Sentence.of("Hide @t0@ it").text == "Hide it"


def test_a_phrase_is_bare_without_articles_and_signs():
    assert (bare("¿la palabra fianza?"), bare(" the rent,")) == ("fianza", "rent")
