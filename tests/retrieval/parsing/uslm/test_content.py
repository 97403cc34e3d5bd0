"""Text has the law's lines and words; notes and quoted law are set apart."""

import pytest

from tests.retrieval.parsing.uslm.samples import section_text


def test_text_has_a_line_for_each_numbered_level(enforcement):
    assert enforcement.text.split("\n") == [
        "(a) Power.— The Commission may act¹ under section 2000e–2.",
        "(b)(15)(F) whoever—",
        "(i) aids; or",
        "(ii) abets,",
        "shall pay.",
        "(c) Rates.— First paragraph.",
        "Second paragraph:",
        "Age | Rate",
        "Under 5 | 10²",
        "“Sec. 1. Quoted law.”",
    ]


def test_quoted_law_has_no_anchor(enforcement):
    assert "Quoted law" in enforcement.text
    assert all(each.locator.startswith("/us/usc/t42/") for each in enforcement.anchors)


def test_notes_and_credits_are_set_aside_and_ids_are_not_looked_at(enforcement):
    assert enforcement.notes == (
        "1 So in original.",
        "(Pub. L. 88–352, title VII, § 706.)",
        "Amendments\n1991—Subsec. (a). Pub. L. 102–166 added it.",
        "Another note.",
    )
    assert not any(word in enforcement.text for word in ("So in original", "Pub. L.", "Amendments"))


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
