import re

import pytest

from rules.questions.patterns import sections


@pytest.mark.parametrize("filename", ["needless.txt", "screened.txt"])
def test_every_section_is_one_expression(filename):
    found = sections(filename)
    assert len(found) > 3 and all(re.compile(pattern) for pattern in found.values())


def test_lines_are_alternatives():
    assert re.fullmatch(sections("needless.txt")["greeting"], "buenos dias")
