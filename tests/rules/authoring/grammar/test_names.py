"""What a sentence names of the corpus, there or not."""

from rules.authoring.grammar.names import named_targets
from rules.authoring.grammar.parser import draft
from rules.authoring.grammar.sentence import Clarification
from tests.rule_sentences import KNOWN, TODAY


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
