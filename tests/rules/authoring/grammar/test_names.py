"""Marks in place of what a sentence names."""

from dataclasses import replace

from rules.authoring.grammar.names import (
    Clarification,
    Sentence,
    bare,
    named_targets,
    with_curated,
    with_provisions,
)
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


def test_a_curated_name_stands_for_its_provision_with_what_it_lies_in():
    corpus = replace(KNOWN, names={"Takings Clause": "/us/const/amendment/V"})
    within = with_curated(with_provisions(Sentence.of("the Takings Clause of the Fifth Amendment")), corpus)
    assert within.text.startswith("the @t") and within.text.count("@") == 2
    elsewhere = with_curated(with_provisions(Sentence.of("the Takings Clause of the Sixth Amendment")), corpus)
    assert elsewhere.text.count("@") == 4


def test_titles_of_codes_are_named_and_a_title_alone_is_not():
    assert {"kind": "section", "value": "/us/usc/t8"} in named_targets("Title 8 of the US Code", KNOWN)
    assert {"kind": "section", "value": "/us/cfr/t8"} in named_targets("title 8 of the CFR", KNOWN)
    assert named_targets("Title 8", KNOWN) == []


def test_a_place_after_a_citation_is_no_amendment():
    named = named_targets("Article I, Section 8, Clause 3 first and the Tenth Amendment", KNOWN)
    places = {target["value"] for target in named}
    assert places == {"/us/const/article/I/section/8/clause/3", "/us/const/amendment/X"}
