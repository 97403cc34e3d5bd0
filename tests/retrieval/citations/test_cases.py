"""Citations of cases, and when eyecite is loaded for them."""

import subprocess
import sys

import pytest

from retrieval.citations import cases
from retrieval.citations.citation import Source
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("Brown, 347 U.S. 483 (1954)", "/us/scotus/347/483"),
        ("410 F.3d 113", "/us/case/f3d/410/113"),
        ("700 U.S. 1", None),  # no such volume
        ("12 U.S. 34 dollars", None),
        ("5 us 137", None),  # small letters, in running text
    ],
)
def test_volume_and_page_make_a_locator(text, locator):
    found = [item.locator for match in cases.find(Source.of(text)) for item in match.items]
    assert found == ([locator] if locator else [])


def test_small_letters_are_read_where_the_query_is_only_that():
    [match] = cases.find(Source.of("5 us 137"), loose=True)
    assert match.items[0].normalized == "5 U.S. 137"


def test_eyecite_is_loaded_for_reporters_alone():
    code = (
        "import sys; from retrieval.citations.finding import find_citations as f, only_citation as o\n"
        "for text in ('14th Amendment', '8 U.S.C. 1182', '347 U.S. 483', '26 I&N Dec. 884', '2 years'):\n"
        "    f(text), o(text)\n"
        "assert 'eyecite' not in sys.modules; f('410 F.3d 113'); assert 'eyecite' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
