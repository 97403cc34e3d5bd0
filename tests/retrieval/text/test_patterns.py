"""Files of patterns are read by section."""

import re
from pathlib import Path

import pytest

from retrieval.text.patterns import sections

FILES = [Path("retrieval/text/countries.txt"), *Path("rules/questions").glob("*.txt")]


@pytest.mark.parametrize("path", FILES, ids=str)
def test_every_section_is_one_expression(path):
    found = sections(path)
    assert len(found) > 2 and all(re.compile(pattern) for pattern in found.values())


def test_the_lines_of_a_section_are_alternatives(tmp_path):
    path = tmp_path / "patterns.txt"
    path.write_text("[one]\na+\n\nb\n[two]\n[a-c]\n")
    found = sections(path)
    assert list(found) == ["one", "two"]
    assert re.fullmatch(found["one"], "aa") and re.fullmatch(found["one"], "b") and re.fullmatch(found["two"], "c")
