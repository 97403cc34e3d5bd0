"""Plots are well formed, escaped and told in words."""

import pytest

from evaluation.measuring.plots import Bar, bars, line, reliability, risk_coverage


@pytest.mark.parametrize(
    "drawn",
    [
        line("A <b>", [], []),
        line("A <b>", ["one", "two"], [0.5, 0.5]),
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
