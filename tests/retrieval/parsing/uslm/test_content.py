"""Text has the law's lines and words; notes and quoted law are set apart."""


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
