"""The numbers that Word counts itself."""

from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from tests import files
from tests.retrieval.parsing.files.reading import texts


def test_the_numbers_that_word_counts_itself_are_read():
    word = Document()
    numbering = word.part.numbering_part.element
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for level, (form, text) in enumerate(
            [("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)")]
        )
    )
    numbering.insert(
        0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="77">{levels}</w:abstractNum>')
    )
    numbering.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="78"><w:abstractNumId w:val="77"/></w:num>'))
    for level, text in (
        (0, "Term."),
        (1, "A year."),
        (1, "Or two:"),
        (2, "at most"),
        (0, "Law."),
        (1, "Texas."),
    ):
        place = f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="78"/></w:numPr>'
        word.add_paragraph(text)._p.get_or_add_pPr().append(parse_xml(place))
    assert texts(files.saved(word), "a.docx") == [
        *("1. Term.", "1.1 A year.", "1.2 Or two:", "(a) at most", "2. Law.", "2.1 Texas.")
    ]
