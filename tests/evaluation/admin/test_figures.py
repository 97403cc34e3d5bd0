"""Figures and tables as the admin writes them. Pure."""

from evaluation.admin.figures import bullets, interval, table


def test_an_estimate_is_written_with_its_interval():
    assert interval({"mean": 0.5, "low": 0.41, "high": 0.6}) == "0.500 [0.410, 0.600]"
    assert interval({"mean": 0.01, "low": -0.02, "high": 0.04}, "+.2f") == "+0.01 [-0.02, +0.04]"


def test_lists_and_tables_are_escaped_and_named():
    assert bullets(["<b>"]) == "<ul><li>&lt;b&gt;</li></ul>"
    drawn = table(["", "nDCG@10"], [["<i>", "0.5"]], "Measures")
    assert 'aria-label="Measures"' in drawn and '<th scope="row">&lt;i&gt;</th>' in drawn
