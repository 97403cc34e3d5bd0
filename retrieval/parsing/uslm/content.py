"""Writes an element's content as text, a line for each numbered level."""

from __future__ import annotations

from lxml import etree

from retrieval.parsing.uslm.elements import children_named, hyphenated, is_foreign, name_of
from retrieval.parsing.uslm.names import CELLS, INLINE, LEFT_OUT, LEVELS, ROWS, SET_ASIDE
from retrieval.parsing.uslm.writer import SPACE, Writer

SUPERSCRIPTS = str.maketrans("0123456789-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")


def plain_text(element: etree._Element) -> str:
    writer = Writer(flat=True)
    write_content(element, writer)
    return writer.text()


def write_content(element: etree._Element, writer: Writer) -> None:
    """Everything in an element, its own text first."""
    writer.write(element.text)
    for child in element:
        write_element(child, writer)
        writer.write(child.tail)


def write_element(element: etree._Element, writer: Writer) -> None:
    name = name_of(element)
    if name in LEFT_OUT:
        return
    if name in SET_ASIDE:
        write_note(element, writer)
    elif name in LEVELS:
        write_level(element, writer)
    elif name in ROWS:
        write_row(element, writer)
    elif name == "quotedContent":
        write_quoted(element, writer)
    elif name == "ref":
        write_reference(element, writer)
    elif name == "sup":
        write_superscript(element, writer)
    elif name == "i":
        write_italic(element, writer)
    elif name == "br":
        writer.end_line()
    elif name in INLINE:
        write_content(element, writer)
    else:
        write_block(element, writer)


def write_note(element: etree._Element, writer: Writer) -> None:
    """A note of its own, or each of several."""
    inner = [each for each in element if name_of(each) in SET_ASIDE]
    if name_of(element) == "notes" and inner:
        for each in inner:
            write_note(each, writer)
        return
    note = Writer(quoting=1)
    write_content(element, note)
    writer.notes.extend(each for each in (note, *note.notes) if each.text())


def write_block(element: etree._Element, writer: Writer) -> None:
    writer.begin_line()
    write_content(element, writer)
    writer.end_line()


def write_level(element: etree._Element, writer: Writer) -> None:
    """A numbered level on its own line, "(a) Heading.— text"; without words it shares its first child's."""
    place = writer.place_of(element) if writer.place_of and not writer.quoting else None
    mark = writer.begin_level(place, own_line=not children_named(element, "num"))
    for child in element:
        name = name_of(child)
        if name == "num":
            writer.number(plain_text(child))
        elif name == "heading":
            write_heading(child, writer)
        else:
            write_element(child, writer)
            writer.write(child.tail)
    writer.end_level(mark)


def write_heading(element: etree._Element, writer: Writer) -> None:
    if is_foreign(element):
        return
    write_content(element, writer)
    writer.end_heading()


def write_quoted(element: etree._Element, writer: Writer) -> None:
    """Words of another law: text, but no places in this one."""
    writer.quoting += 1
    write_block(element, writer)
    writer.quoting -= 1


def write_row(element: etree._Element, writer: Writer) -> None:
    cells = [each for each in element if name_of(each) in CELLS]
    if not "".join(element.itertext()).strip():
        return
    writer.begin_line()
    writer.flat += 1
    for place, cell in enumerate(cells or [element]):
        if place:
            writer.put("|", before=SPACE, after=SPACE)
        write_content(cell, writer)
    writer.flat -= 1
    writer.end_line()


def write_reference(element: etree._Element, writer: Writer) -> None:
    href = hyphenated(element.get("href") or "")
    if not href:
        return write_superscript(element, writer) if element.get("idref") else write_content(element, writer)
    mark = writer.begin_mark()
    write_content(element, writer)
    writer.end_reference(mark, href)
    return None


def write_italic(element: etree._Element, writer: Writer) -> None:
    """The letters l and o of section numbers are set in italics, lest 78o be read as 780."""
    letter = "".join(element.itertext()).strip()
    if len(letter) == 1 and writer.ends_in_digit():
        writer.put_letter(letter)
    else:
        write_content(element, writer)


def write_superscript(element: etree._Element, writer: Writer) -> None:
    """Footnote marks and powers stay what they are: "1432" with the mark 1 must not read 1432 1 or 14321."""
    text = "".join(element.itertext()).strip()
    raised = text.translate(SUPERSCRIPTS)
    writer.put(raised if text.strip("0123456789-−") == "" else text, before="")
