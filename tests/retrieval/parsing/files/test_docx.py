"""Word files: headings, corrections, notes, pages and tables."""

import textwrap
from io import BytesIO
from zipfile import ZipFile

import pytest
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.parsing.files import docx, formats, structure
from tests import files
from tests.retrieval.parsing.files.reading import read, refusal, sections, texts


def test_words_stay_apart_at_line_ends_and_hyphenated_words_are_mended():
    lines = ["The parties of this agree-", "ment keep a well-", "known and non-", "exclusive right to one"]
    page = files.column(*lines, "well-known thing.", top=200)
    (text,) = texts(files.pdf(page), "a.pdf")
    assert (
        text
        == "The parties of this agreement keep a well-known and nonexclusive right to one well-known thing."
    )


def test_headings_of_word_make_nested_sections():
    leave, sick = ("Heading 1", "Leave"), ("Heading 2", "Sick leave")
    content = files.docx(leave, ("Normal", "Two weeks."), sick, ("Normal", "Ten days."), title="Manual")
    found = sections(read(content, "manual.docx"))
    assert [(name, node.text) for name, node in found.items()] == [
        ("leave", "Two weeks."),
        ("leave/sick-leave", "Ten days."),
    ]


def test_a_heading_of_word_needs_no_point_behind_a_number_that_counts_up():
    said = [part for name in ("1 Hours", "2. Pay", "4 Leave") for part in (("Heading 1", name), ("Normal", "Of it."))]
    found = sections(read(files.docx(*said), "handbook.docx"))
    assert [(name, node.number, node.heading) for name, node in found.items()] == [
        ("1", "1", "Hours"), ("2", "2", "Pay"), ("4", "4", "Leave"),
    ]  # fmt: skip
    steps = files.docx(("Heading 1", "Safety"), ("Heading 1", "10 steps to a safe ward"), ("Normal", "Wash hands."))
    assert [node.number for node in sections(read(steps, "steps.docx")).values()] == ["", ""]


def test_paragraphs_of_the_style_title_are_the_title_and_no_section():
    title = [("Title", "Marlow County"), ("Title", "Purchasing Policy")]
    body = [("Heading 1", "Purpose"), ("Normal", "This policy governs purchases."), ("Title", "Appendix")]
    document = read(files.docx(title[1], *body), "a.docx")
    assert document.title == "Purchasing Policy"
    assert {name: node.text for name, node in sections(document).items()} == {
        "purpose": "This policy governs purchases.\nAppendix"
    }
    assert read(files.docx(*title, *body, title="Draft 3"), "a.docx").title == "Marlow County Purchasing Policy"


def test_what_stands_under_the_title_of_a_word_file_is_its_first_section():
    under = ("Subtitle", "Adopted by the Board")
    content = files.docx(("Title", "Policy"), under, ("Heading 1", "Purpose"), ("Normal", "It governs."))
    found = sections(read(content, "a.docx"))
    assert [(node.heading, node.text) for node in found.values()] == [("Policy", under[1]), ("Purpose", "It governs.")]


def test_a_word_file_of_a_title_alone_is_kept():
    assert [node.text for node in sections(read(files.docx(("Title", "Policy")), "a.docx")).values()] == ["Policy"]


def test_what_was_inserted_or_stands_in_a_control_is_read_and_what_was_deleted_is_not():
    word = Document()
    paragraph = word.add_paragraph("The rent is ")
    paragraph._p.append(parse_xml(f"<w:ins {nsdecls('w')}><w:r><w:t>nine</w:t></w:r></w:ins>"))
    paragraph._p.append(parse_xml(f"<w:del {nsdecls('w')}><w:r><w:delText>ten</w:delText></w:r></w:del>"))
    control = (
        f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:r><w:t>Signed.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    word.element.body.insert(1, parse_xml(control))
    assert texts(files.saved(word), "a.docx") == ["The rent is nine", "Signed."]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["The rent is nine", 1], ["The rent is nine", "[1] One."]),
        (["The rent is nine", 1, ". It is due."], ["The rent is nine[1]. It is due.", "[1] One."]),
        (["“No law.”", 1, " “No state.”", 2], ["“No law.”[1] “No state.”[2]", "[1] One.", "[2] Two."]),
        (["Nine", 7, " is due."], ["Nine is due."]),
    ],
)
def test_footnotes_of_word_stand_after_their_paragraph_where_it_has_their_marks(said, expected):
    assert texts(files.noted_docx(said, ["One.", "Two."]), "a.docx") == expected


def test_word_tells_the_pages_it_last_laid_out():
    word = Document()
    word.add_paragraph("On one.")
    turned = word.add_paragraph("On ")
    turned._p.append(parse_xml(f"<w:r {nsdecls('w')}><w:lastRenderedPageBreak/><w:t>two.</w:t></w:r>"))
    blocks = formats.read(files.saved(word), "a.docx")
    assert [block.pages for block in blocks.blocks] == [((0, 1),), ((0, 1), (3, 2))]
    assert blocks.pages == 2


def test_a_word_table_is_a_line_for_each_row():
    word = Document()
    table = word.add_table(rows=2, cols=2)
    for cell, text in zip(
        (cell for row in table.rows for cell in row.cells), ["Item", "Price", "Pen", "$1"], strict=True
    ):
        cell.text = text
    assert texts(files.saved(word), "a.docx") == ["Item | Price", "Pen | $1"]


def test_headers_and_footers_of_word_files_are_furniture_as_on_pages():
    word = Document()
    word.sections[0].header.paragraphs[0].text = "Confidential draft"
    word.sections[0].footer.paragraphs[0].text = "Page 1 of 9"
    word.add_paragraph("The rent is nine dollars.")
    assert texts(files.saved(word), "a.docx") == ["The rent is nine dollars."]


@settings(max_examples=50)
@given(
    st.lists(st.from_regex(r"[a-z]{1,12}[.,]?", fullmatch=True), min_size=1, max_size=80), st.integers(20, 90)
)
def test_words_are_never_glued_or_lost_however_text_is_wrapped(words, width):
    content = textwrap.fill(" ".join(words), width, break_long_words=False, break_on_hyphens=False)
    assert " ".join(texts(content.encode(), "a.txt")).split() == words


def test_a_long_stretch_without_headings_is_divided_and_keeps_its_words_and_pages():
    sheets = ["\n\n".join(f"Sheet {n} says word {k} of many words." for k in range(300)) for n in (1, 2)]
    found = sections(read("\f".join(sheets).encode(), "long.txt"))
    leaves = [node for node in found.values() if node.text]
    assert [node.heading for node in leaves] == ["p. 1", "p. 2"]
    assert "\n".join(node.text for node in leaves).split() == " ".join(sheets).split()
    assert all(len(node.text) <= structure.LONG_TEXT + 1_000 for node in leaves)
    unbroken = sections(read(b"word " * 9_000, "long.txt")).values()
    assert " ".join(node.text for node in unbroken if node.text).split() == ["word"] * 9_000


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


def with_part(content, name, part):
    """A Word file in which one part is another."""
    made = BytesIO()
    with ZipFile(BytesIO(content)) as before, ZipFile(made, "w") as after:
        for each in before.namelist():
            after.writestr(each, part if each == name else before.read(each))
    return made.getvalue()


WITHOUT_BODY = f"<w:document {nsdecls('w')}/>"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("word/document.xml", WITHOUT_BODY),
        ("word/document.xml", "<a/>"),
        ("word/styles.xml", "<a/>"),
        ("docProps/core.xml", "<a/>"),
        ("_rels/.rels", "<a/>"),
        ("[Content_Types].xml", "<a/>"),
        ("[Content_Types].xml", ""),
    ],
)
def test_a_word_file_with_a_part_that_is_another_is_broken(name, part):
    content = with_part(files.docx(("Normal", "The rent is nine."), title="Lease"), name, part)
    assert refusal(content, "a.docx") == docx.BROKEN


def test_a_word_file_with_damaged_bytes_is_broken():
    content = files.docx(("Normal", "The rent is nine."))
    packed = content.index(b"[Content_Types].xml") + len("[Content_Types].xml")
    assert refusal(content[:packed] + b"\xff" * 40 + content[packed + 40 :], "a.docx") == docx.BROKEN


def test_a_word_file_that_a_password_locks_is_told_from_an_old_one():
    """Word packs an encrypted file into a container of OLE, as it did all files before 2007."""
    container = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)
    encrypted = "The file is encrypted: save it without a password."
    assert refusal(container + "EncryptedPackage".encode("utf-16-le"), "a.docx") == encrypted
    assert "older than Word 2007" in refusal(container + "WordDocument".encode("utf-16-le"), "a.docx")
    assert refusal(files.locked(files.docx(("Normal", "Words."))), "a.docx") == encrypted
