"""Designators inside a line are places where each follows its predecessor; references and words are none."""

import pytest

from retrieval.parsing.designators import CODE, anchors_of
from retrieval.parsing.run_in import may_hold, with_run_in
from retrieval.parsing.tree import Anchor


def places(text: str) -> dict[str, str]:
    """By its place below the section, the text of each."""
    anchors = with_run_in(text, "/s", anchors_of(text, "/s", CODE))
    return {each.locator.removeprefix("/s/"): text[each.start : each.end] for each in anchors}


def test_lists_in_a_line_are_places_below_that_of_the_line():
    text = (
        "(H) an alien (i) [(a) Repealed. Pub. L. 106-95] (b) subject to section 1182(j)(2), other than in subclause "
        "(a) or in subparagraph (O) or (P)), or (b1) who is entitled, or (c) who is coming; or (ii)(a) having a "
        "residence, or (b) coming temporarily; or (iii) coming as a trainee;\n(I) a reporter (1) accredited."
    )
    held = places(text)
    assert [*held] == ["H", "H/i", "H/i/a", "H/i/b", "H/i/b1", "H/i/c", "H/ii", "H/ii/a", "H/ii/b", "H/iii", "I"]
    assert held["H/i/b1"] == "(b1) who is entitled, or"
    assert held["H/ii"] == "(ii)(a) having a residence, or (b) coming temporarily; or"
    assert held["H/iii"] == "(iii) coming as a trainee;"


def test_numbers_at_the_beginning_of_a_line_go_on_in_it():
    held = places("(16)(A) hire interpreters; (B) pay them; and (C) pay their costs;\n(17) report.")
    assert held["16/A"] == "(A) hire interpreters;"
    assert held["16/C"] == "(C) pay their costs;"
    assert [*held] == ["16", "16/A", "16/B", "16/C", "17"]


def test_a_section_without_numbers_of_its_own_may_have_one_such_line():
    assert [*places("Any person who (1) was a citizen, (2) entered, and (3) has resided.")] == ["1", "2", "3"]
    assert not places("Who (1) was a citizen, or (2) entered.\nWho (1) came, or (2) went.")


def test_the_last_of_a_list_in_one_sentence_ends_with_it():
    held = places("(42) A refugee is (A) any person who flees, or (B) one whom the President names. It is no other.")
    assert held["42/B"] == "(B) one whom the President names."
    held = places("(42) It may (A) act. Or rest; or (B) pay. It may not lend.")
    assert held["42/B"] == "(B) pay. It may not lend."


@pytest.mark.parametrize(
    "text",
    [
        "(a) one described in paragraph (1), (2) or (3), or in section 4(a) and (b) of this title",
        "(a) whoever meets clauses (i) through (iii), or (i) and (ii) of paragraph (2)",
        "(a) two (2) years or one (1) day, officer(s), and (2) more",
        "(a) who (1) comes, or (3) goes",
        "(a) who (1) comes alone",
        "(a) who (2) comes, or (3) goes",
        "(a) who (1) comes under section 9(a), or (2) goes, (3) of this section",
        "(a) which reads “(1) who comes, or (2) goes”",
        "(a) who (a) comes, or (b) goes",
        "(a) who (1) comes, or (2) goes—\n(A) alone",
        "(a) who (1) comes, or (2) goes, whoever (1) stays, or (2) sleeps",
        "(a) who (1) comes, or (2) goes\n(1) as before\n(2) as ever",
        "(a) whoever\nhas words behind his places (1) comes, or (2) goes",
    ],
)
def test_what_is_in_doubt_is_no_place(text):
    assert {*places(text)} == {*(each.locator.removeprefix("/s/") for each in anchors_of(text, "/s", CODE))}


def test_two_places_that_stand_in_one_line_have_none_inside():
    text = "(h) foo bar; (i) an alien; (ii) another."
    given = (Anchor("/s/h", "h", "subsection", 0, 11), Anchor("/s/i", "i", "subsection", 13, len(text)))
    assert with_run_in(text, "/s", given) == given


def test_what_is_in_doubt_may_be_there():
    text = "(E) whoever (i) meets paragraph (1), or (ii) of them (I) goes"
    assert may_hold(text, ("ii", "I"))
    assert not may_hold(text, ("I", "ii")) and not may_hold(text, ("iii",)) and not may_hold(text, ())
