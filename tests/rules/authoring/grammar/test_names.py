"""Marks in place of what a sentence names."""

from rules.authoring.grammar.names import Clarification, Sentence, bare, named_targets
from rules.authoring.grammar.parser import draft
from tests.rule_sentences import KNOWN, TODAY


def test_a_mark_stands_for_what_was_named_and_is_written_out_again():
    sentence = Sentence.of("Hide the Lease always")
    marked = sentence.marking(9, 14, "q", "Lease")
    assert marked.text == "Hide the @q0@ always" and marked.plain(marked.text) == "Hide the Lease always"


def test_marks_that_an_author_writes_are_taken_out():
    assert Sentence.of("Hide @t0@ it").text == "Hide it"


def test_a_phrase_is_bare_without_articles_and_signs():
    assert (bare("¿la palabra fianza?"), bare(" the rent,")) == ("fianza", "rent")


def test_provisions_files_and_pages_are_named():
    named = named_targets('Hide pages 3 to 5 of "Lease 12.pdf" and 8 USC 1158', KNOWN)
    assert {"kind": "filename", "value": "Lease 12.pdf", "pages": "3-5"} in named
    assert {"kind": "section", "value": "/us/usc/t8/s1158"} in named


def test_an_unknown_file_is_asked_for_with_those_like_it():
    asked = draft('When someone asks about rent, hide "Lease 13.pdf"', KNOWN, today=TODAY)
    assert isinstance(asked, tuple) and asked[0].subject == "target" and "Lease 12.pdf" in asked[0].near


def test_an_unknown_provision_is_asked_for_with_those_like_it():
    (asked,) = draft("When someone asks about asylum, pin 8 USC 1158(a)(9)", KNOWN, today=TODAY)
    assert isinstance(asked, Clarification) and asked.words == "/us/usc/t8/s1158/a/9"
    assert "/us/usc/t8/s1158/a/2/B" in asked.near


def test_an_unknown_tag_is_asked_for_with_those_like_it():
    (asked,) = draft("When someone asks about rent, hide documents tagged leases", KNOWN, today=TODAY)
    assert (asked.words, asked.near[0], asked.absent) == ("leases", "lease", True)
