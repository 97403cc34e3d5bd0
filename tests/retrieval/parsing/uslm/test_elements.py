"""What is asked of one XML element."""

from lxml import etree

from retrieval.parsing.uslm.elements import holds_levels, is_foreign, language_of, name_of

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
    assert holds_levels(XML[0]) and not holds_levels(XML[0][0])
