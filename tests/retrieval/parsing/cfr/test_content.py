"""The text of a regulation's elements, line by line."""

from lxml import etree

from retrieval.parsing.cfr.content import Content, designators_of, unmarked, write


def written(xml: str) -> Content:
    content = Content()
    for element in etree.fromstring(f"<SECTION>{xml}</SECTION>"):
        write(element, content)
    return content


def test_italics_are_known_by_their_place():
    assert unmarked(" (\ue0001\ue001) Next \ue000day\ue001") == ("(1) Next day", [(1, 2), (9, 12)])


def test_a_number_behind_a_heading_is_below_the_heading():
    found = designators_of("(b) Exceptions—(1) Coast Guard. Words (2)", [(4, 14), (19, 31)])
    assert [(each.number, each.chained) for each in found] == [("b", False), ("1", True)]
    assert [each.number for each in designators_of("(b) Exceptions (1) apply.", [])] == ["b"]


def test_offsets_count_the_whole_text():
    content = written("<P>(a) One.</P><P>(b) Two.</P>")
    assert [content.text()[each.start :][:3] for each in content.designators()] == ["(a)", "(b)"]


def test_text_between_blocks_and_in_notes_is_kept():
    content = written("<NOTE><HED>Note:</HED>Loose <I>words</I>.<P>(a) Inner.</P>Last.</NOTE>")
    assert content.text() == "Note:\nLoose words.\n(a) Inner.\nLast."


def test_what_is_quoted_numbers_the_section_only_where_nothing_else_does():
    quoted = "<EXTRACT><P>(1) Quoted.</P></EXTRACT>"
    assert [each.number for each in written(f"<P>(a) Own.</P>{quoted}").designators()] == ["a"]
    assert [each.number for each in written(quoted).designators()] == ["1"]


def test_a_note_with_several_paragraphs_keeps_them():
    (note,) = written("<EDNOTE><HED>Editorial Note:</HED><P>One.</P><P>Two.</P></EDNOTE>").notes
    assert note == "Editorial Note: One.\nTwo."


def test_running_heads_and_page_numbers_are_left_out():
    assert written('<EAR>Pt. 1</EAR><P>One<PRTPAGE P="3"/> word.</P>').text() == "One word."
