"""What is asked of one XML element."""

from itertools import combinations

from lxml import etree

from retrieval.parsing.uslm import elements
from retrieval.parsing.uslm.elements import holds, is_foreign, language_of, name_of
from tests.retrieval.parsing.uslm.samples import CONSTITUTION, TITLE

XML = etree.fromstring(
    '<doc xmlns="http://xml.house.gov/schemas/uslm/1.0" xml:lang="en-US"><main><section><heading xml:lang="es">'
    "Uno</heading></section></main></doc>"
)


def test_a_name_has_no_namespace():
    assert [name_of(each) for each in XML.iter()] == ["doc", "main", "section", "heading"]


def test_the_nearest_mark_says_the_language():
    main, heading = XML[0], XML[0][0][0]
    assert (language_of(main), language_of(heading)) == ("en", "es")
    assert is_foreign(heading) and not is_foreign(main)


def test_a_wrapper_holds_levels_and_a_section_without_paragraphs_none():
    assert holds(XML[0], elements.LEVELS) and not holds(XML[0][0], elements.LEVELS)


GROUPS = [
    elements.LEVELS,
    elements.SET_ASIDE,
    elements.LEFT_OUT,
    elements.INLINE,
    elements.ROWS,
    elements.CELLS,
]


def test_no_name_is_in_two_groups():
    assert not [one & other for one, other in combinations(GROUPS, 2) if one & other]


def test_a_wrapper_is_no_level_and_what_stands_below_a_section_is_one():
    assert not elements.NOT_WRAPPERS & elements.LEVELS
    assert elements.BELOW_SECTION | elements.LEAVES < elements.LEVELS
    assert not elements.BELOW_SECTION & elements.LEAVES


def test_the_roots_and_levels_of_real_files_are_known():
    for tree in (etree.parse(CONSTITUTION).getroot(), etree.fromstring(TITLE.encode())):
        assert name_of(tree) in elements.ROOTS
        numbered = {name_of(num.getparent()) for num in tree.iter("{*}num")}
        assert numbered <= elements.LEVELS | elements.SET_ASIDE
