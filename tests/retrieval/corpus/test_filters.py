"""What parts of the corpus that are named mean in the database."""

import pytest

from retrieval.corpus.filters import NOTHING, in_part, in_selection, worded
from retrieval.models import Chunk
from retrieval.targets import KINDS, Part, Selection

pytestmark = pytest.mark.django_db

EIGHT = "/us/const/article/I/section/8"


def locators(part: Part) -> set[str]:
    return set(Chunk.objects.filter(in_part(part)).values_list("section__locator", flat=True))


def test_a_section_takes_all_below_it_along_and_no_neighbour():
    found = locators(Part("section", EIGHT))
    assert f"{EIGHT}/clause/3" in found
    assert all(f"{locator}/".startswith(f"{EIGHT}/") for locator in found)


def test_a_part_of_other_domains_is_not_here():
    assert locators(Part("section", EIGHT, domains=("us_code",))) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_meaning(kind):
    part = Part(kind, "no such thing", pages=((9_998, 9_999),) if kind == "pages" else (), key="no such key")
    assert locators(part) == set()


def test_a_selection_of_nothing_selects_nothing():
    assert in_selection(Selection()) == NOTHING
    assert not Chunk.objects.filter(in_selection(Selection())).exists()


def test_a_selection_is_the_union_of_its_parts():
    two = Selection((Part("section", "/us/const/amendment/I"), Part("section", "/us/const/amendment/II")))
    found = set(Chunk.objects.filter(in_selection(two)).values_list("section__locator", flat=True))
    assert found == {"/us/const/amendment/I", "/us/const/amendment/II"}


def test_numbers_stay_whole_in_words_looked_for():
    assert worded("9/11") != worded("911")
