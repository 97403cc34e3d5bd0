"""Every element of the law is in one group, so that the reader never does two things with it."""

from itertools import combinations

from lxml import etree

from retrieval.parsing.uslm import names
from retrieval.parsing.uslm.elements import name_of
from tests.retrieval.parsing.uslm.samples import CONSTITUTION, TITLE

GROUPS = [names.LEVELS, names.SET_ASIDE, names.LEFT_OUT, names.INLINE, names.ROWS, names.CELLS]


def test_no_name_is_in_two_groups():
    assert not [one & other for one, other in combinations(GROUPS, 2) if one & other]


def test_a_wrapper_is_no_level_and_what_stands_below_a_section_is_one():
    assert not names.NOT_WRAPPERS & names.LEVELS
    assert names.BELOW_SECTION | names.LEAVES < names.LEVELS
    assert not names.BELOW_SECTION & names.LEAVES


def test_the_roots_and_levels_of_real_files_are_known():
    for tree in (etree.parse(CONSTITUTION).getroot(), etree.fromstring(TITLE.encode())):
        assert name_of(tree) in names.ROOTS
        numbered = {name_of(num.getparent()) for num in tree.iter("{*}num")}
        assert numbered <= names.LEVELS | names.SET_ASIDE
