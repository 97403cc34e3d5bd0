"""Where words meet, and where anchors and references stand in the text."""

import pytest

from tests.retrieval.parsing.uslm.samples import section_text


def test_deeper_levels_are_anchors_in_the_text(enforcement):
    found = {each.locator: enforcement.text[each.start : each.end] for each in enforcement.anchors}
    base = "/us/usc/t42/s2000e-5/"
    assert found[base + "b/15/F/i"] == "(i) aids; or"
    assert found[base + "b/15/F/ii"] == "(ii) abets,"
    assert found[base + "b/15"].startswith("(15)(F) whoever—\n(i)")
    assert found[base + "b"].startswith("(b)(15)")
    assert [each.number for each in enforcement.anchors] == ["a", "b", "15", "F", "i", "ii", "c"]


def test_references_carry_their_offsets_and_notes_none(enforcement):
    inside, noted = enforcement.refs
    assert enforcement.text[inside.start : inside.end] == inside.text == "section 2000e–2"
    assert inside.locator == "/us/usc/t42/s2000e-2"
    assert (noted.locator, noted.start, noted.end) == ("/us/pl/102/166", -1, -1)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<content>under\n\t\t<ref href='/x'>section 5</ref>\n\t\tof it</content>", "under section 5 of it"),
        ("<content>under \n\t<ref href='/x'>section 5</ref>\n\t.</content>", "under section 5."),
        ("<content>section 1184(\n\t<i>l</i>\n\t)\n\t\t of it</content>", "section 1184(l) of it"),
        ("<content>section 78\n\t<i>o</i>\n\t(a)\n\t of</content>", "section 78o(a) of"),
        ("<content>one<br/>two</content>", "one\ntwo"),
        ("<content>a <!-- c --> b<?pi x?></content>", "a b"),
        ("<content><p>one</p><p>two</p></content>", "one\ntwo"),
        ("<content><unheard>one</unheard><unheard>two</unheard></content>", "one\ntwo"),
        ("<chapeau>If—</chapeau><p>then</p>", "If—\nthen"),
    ],
)
def test_no_words_are_glued_or_torn_where_elements_meet(body, text):
    assert section_text(body) == text
