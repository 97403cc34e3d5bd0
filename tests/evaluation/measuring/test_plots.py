"""Plots are well formed, escaped and told in words."""

import pytest

from evaluation.measuring.plots import Bar, apart, bars, line, lines, reliability, risk_coverage


@pytest.mark.parametrize(
    "drawn",
    [
        line("A <b>", [], []),
        line("A <b>", ["one", "two"], [0.5, 0.5]),
        lines("A <b>", ["10", "<100"], {"<words>": [3.0, 4.0], "vectors": [1.0, 4.1]}),
        bars("A <b>", []),
        bars("A <b>", [Bar("<i>", 0.5, 0.4, 0.6)]),
        reliability("A <b>", [(0.1, 0.2, 5), (0.9, 0.8, 3)]),
        risk_coverage("A <b>", [(0.5, 0.0), (1.0, 0.2)]),
    ],
)
def test_a_plot_is_well_formed_escaped_and_told_in_words(drawn):
    from xml.etree import ElementTree

    root = ElementTree.fromstring(drawn)
    assert root.attrib["role"] == "img"
    assert root[0].text == "A <b>" and root.attrib["aria-label"].startswith("A <b>")


def test_the_alternative_of_a_plot_has_every_value():
    assert "gates: 0.500 [0.400, 0.600]" in bars("A", [Bar("gates", 0.5, 0.4, 0.6)])
    assert "one: 0.250" in line("A", ["one"], [0.25])


def test_names_of_lines_that_end_close_together_are_not_written_over_one_another():
    heights = sorted(apart({"words": 100.0, "vectors": 98.0, "both": 99.0, "far": 10.0}).values())
    assert heights[0] == 10.0 and all(below - above >= 13 for above, below in zip(heights, heights[1:], strict=False))
