"""Readers of PDF, DOCX, HTML, Markdown and text: what they keep, leave out, and refuse."""

import textwrap

import pytest
from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.errors import SourceRefused
from retrieval.files import formats, structure
from retrieval.tree import page_at
from tests import files

BODY = "the parties agree that every word of this long line stays apart from the next one"


def read(content, filename):
    return structure.outline(formats.read(content, filename), identifier="/d/x", name="Fallback")


def texts(content, filename):
    return [block.text for block in formats.read(content, filename).blocks]


def sections(document):
    return {
        node.locator.removeprefix("/d/x/"): node for node in document.root.walk() if node.level != "document"
    }


def refusal(content, filename):
    with pytest.raises(SourceRefused) as refused:
        formats.read(content, filename)
    return refused.value.message


# -- PDF


def test_words_stay_apart_at_line_ends_and_hyphenated_words_are_mended():
    lines = ["The parties of this agree-", "ment keep a well-", "known and non-", "exclusive right to one"]
    page = files.column(*lines, "well-known thing.", top=200)
    (text,) = texts(files.pdf(page), "a.pdf")
    assert (
        text
        == "The parties of this agreement keep a well-known and nonexclusive right to one well-known thing."
    )


def test_a_paragraph_of_thousands_of_lines_is_read_in_time():
    content = (
        "repair "
        + "the tenant shall keep the house in good re-\npair and pay for what is broken in it\n" * 4_000
    )
    assert (
        texts(content.encode(), "a.txt")[0].count("good repair and") > 10
    )  # quadratic, it would take a minute


def test_running_heads_and_page_numbers_are_left_out_on_every_page():
    def page(number):
        foot = (300.0, 770.0, 8.0, "F1", f"Page {number} of 4")
        head = (72.0, 30.0, 8.0, "F1", "Source: ACME, 10-K")
        return [
            head,
            *files.column(f"Paragraph {['one', 'two', 'three', 'four'][number - 1]} is here.", BODY),
            foot,
        ]

    text = " ".join(texts(files.pdf(*map(page, range(1, 5))), "a.pdf"))
    assert "Source" not in text and "Page" not in text
    assert text.count(BODY) == 4


def test_a_table_of_contents_is_left_out():
    entries = [f"{n}. {word} {'.' * 30} {n + 1}" for n, word in enumerate(["Term", "Fees", "Law"], start=1)]
    contents = files.column("TABLE OF CONTENTS", *entries)
    text = texts(files.pdf(contents, files.column("1. Term. This lasts a year.", BODY)), "a.pdf")
    assert not any("...." in line or "CONTENTS" in line for line in text)
    assert text[0].startswith("1. Term. This lasts a year.")


def test_a_paragraph_goes_on_over_a_page_and_knows_both_pages():
    long = "The buyer may end this agreement at any time when the seller does not"
    document = read(files.pdf(files.column(long, top=700), files.column("deliver the goods.")), "a.pdf")
    (section,) = sections(document).values()
    assert section.text == f"{long} deliver the goods."
    assert [page_at(section.pages, section.text.index(word)) for word in ("buyer", "deliver")] == [1, 2]
    assert document.pages == 2


def test_lines_are_read_from_top_to_bottom_whatever_their_order_in_the_file():
    first, second = files.column("First comes this.", top=100), files.column("Then comes that.", top=200)
    assert texts(files.pdf([*second, *first]), "a.pdf") == ["First comes this.", "Then comes that."]


def test_columns_drawn_one_after_the_other_are_read_so():
    left = files.column(*(f"left {n} goes on" for n in range(9)))
    right = files.column(*(f"right {n} goes on" for n in range(9)), left=320)
    text = " ".join(texts(files.pdf([*left, *right]), "a.pdf"))
    assert text.index("left 8") < text.index("right 0")


def test_numbered_headings_make_nested_sections():
    page = [
        *files.column("ARTICLE II", "GRANT OF RIGHTS", font="F2"),
        *files.column("2.1 Appointment. The seller appoints the buyer.", top=150),
        *files.column("2.2 Fees. The buyer pays ten dollars.", top=180),
        *files.column("ARTICLE III", "TERM", font="F2", top=220),
        *files.column("3.1 The term is one year.", top=260),
    ]
    found = sections(read(files.pdf(page), "a.pdf"))
    assert list(found) == ["article-ii", "article-ii/2.1", "article-ii/2.2", "article-iii", "article-iii/3.1"]
    assert found["article-ii"].heading == "GRANT OF RIGHTS"
    assert (found["article-ii/2.2"].number, found["article-ii/2.2"].heading) == ("2.2", "Fees")
    assert found["article-ii/2.2"].text == "2.2 Fees. The buyer pays ten dollars."


def test_a_list_inside_a_section_makes_no_sections():
    lines = ["1. Term. One year.", "2. Goods. These:", "1. apples;", "2. pears.", "3. Law. Texas."]
    page = [words for row, line in enumerate(lines) for words in files.column(line, top=100 + 30 * row)]
    assert list(sections(read(files.pdf(page), "a.pdf"))) == ["1", "2", "3"]


def test_scanned_pages_are_reported_and_a_whole_scan_is_refused():
    assert formats.read(files.pdf(files.column(BODY), "scan", "blank"), "a.pdf").scanned_pages == (2,)
    assert "All 2 pages are scans" in refusal(files.pdf("scan", "scan"), "a.pdf")


def test_a_locked_pdf_and_a_broken_one_are_refused_with_the_reason():
    assert "encrypted" in refusal(files.encrypted_pdf(), "a.pdf")
    assert "broken" in refusal(b"%PDF-1.7\n" + bytes(range(256)) * 4, "a.pdf")


def test_a_title_is_the_files_own_else_its_first_heading_else_its_name():
    plain = files.column(BODY)
    headed = [*files.column("SUPPLY AGREEMENT", font="F2"), *files.column(BODY, top=150)]
    assert read(files.pdf(plain, title="Lease of 2020"), "a.pdf").title == "Lease of 2020"
    assert read(files.pdf(headed, title="Microsoft Word - x.doc"), "a.pdf").title == "SUPPLY AGREEMENT"
    assert read(files.pdf(plain), "a.pdf").title == "Fallback"


@pytest.mark.parametrize(
    ("written", "title"),
    [
        (r"\376\377\000A\000\000\000B\040\056\000\r", "AB"),  # NUL, a mark that turns the line around
        (r"\376\377\330\000\000A", "Fallback"),  # half of a character
    ],
)
def test_a_title_of_a_pdf_can_be_kept_and_shown(written, title):
    plain = files.pdf([(72, 100, 12, "F1", "The tenant pays the rent on the first day.")], title=written)
    assert read(plain, "a.pdf").title == title


# -- DOCX


def test_headings_of_word_make_nested_sections():
    leave, sick = ("Heading 1", "Leave"), ("Heading 2", "Sick leave")
    content = files.docx(leave, ("Normal", "Two weeks."), sick, ("Normal", "Ten days."), title="Manual")
    found = sections(read(content, "manual.docx"))
    assert [(name, node.text) for name, node in found.items()] == [
        ("leave", "Two weeks."),
        ("leave/sick-leave", "Ten days."),
    ]


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


def test_footnotes_of_word_stand_after_their_paragraph():
    word = Document()
    paragraph = word.add_paragraph("The rent is nine")
    paragraph._p.append(parse_xml(f'<w:r {nsdecls("w")}><w:footnoteReference w:id="2"/></w:r>'))
    word.add_paragraph("Signed.")
    note = f'<w:footnotes {nsdecls("w")}><w:footnote w:id="2"><w:p><w:r><w:t>Doubloons.</w:t></w:r></w:p></w:footnote>'
    part = Part(
        PackURI("/word/footnotes.xml"), "application/xml", f"{note}</w:footnotes>".encode(), word.part.package
    )
    word.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    assert texts(files.saved(word), "a.docx") == ["The rent is nine", "[1] Doubloons.", "Signed."]


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


# -- HTML, Markdown, text


def test_html_is_read_without_menus_scripts_and_what_is_hidden():
    page = b"""<html><head><title>Guide</title><script>x()</script></head><body><nav>Home</nav>
        <ul><li><a href="#a">One</a></li><li><a href="#b">Two</a></li><li><a href="#c">Three</a></li></ul>
        <h2 id=a>Asylum</h2><p>Apply with<b>in</b> a&nbsp;year.<p hidden>No</p><ol><li>First<li>Next</ol>
        <table><tr><th>Fee<td>$0</table><footer>(c)</footer></body></html>"""
    document = read(page, "guide.html")
    (section,) = sections(document).values()
    assert (document.title, section.heading) == ("Guide", "Asylum")
    assert section.text == "Apply within a year.\n1. First\n2. Next\nFee | $0"


def test_markdown_headings_nest_and_its_raw_html_is_text():
    content = (
        b"---\ntitle: x\n---\n# Policy\n\nAll staff.\n\n## Leave\n\n<script>alert(1)</script> two *weeks*\n"
    )
    found = sections(read(content, "policy.md"))
    assert found["leave"].text == "<script>alert(1)</script> two weeks"


def test_headers_and_footers_of_word_files_are_furniture_as_on_pages():
    word = Document()
    word.sections[0].header.paragraphs[0].text = "Confidential draft"
    word.sections[0].footer.paragraphs[0].text = "Page 1 of 9"
    word.add_paragraph("The rent is nine dollars.")
    assert texts(files.saved(word), "a.docx") == ["The rent is nine dollars."]


def test_text_is_unwrapped_and_its_form_feeds_are_pages():
    content = b"1. Term. The lease runs for one\nyear from today.\n\f2. Rent. Nine dollars.\n"
    document = read(content, "lease.txt")
    found = sections(document)
    assert found["1"].text == "1. Term. The lease runs for one year from today."
    assert (document.pages, found["2"].pages) == (2, ((0, 2),))
    assert read(b"1. Term. A year.", "lease.txt").pages is None


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


def test_letters_of_other_encodings_are_read_and_bytes_are_not_taken_for_letters():
    assert texts("Año 2020 “sí”".encode("cp1252"), "a.txt") == ["Año 2020 “sí”"]
    assert texts("Año".encode("utf-16"), "a.txt") == ["Año"]
    assert "binary" in refusal(b"abc\x00def", "a.txt")


def test_a_file_that_is_not_what_its_name_says_is_refused():
    assert "no .txt file" in refusal(files.pdf(files.column(BODY)), "a.txt")
    assert "no .docx file" in refusal(b"plain text", "a.docx")
    assert "known format" in refusal(b"MZ", "a.exe")
    assert "empty" in refusal(b"", "a.pdf")
    assert "no text" in refusal(b" \n", "a.txt")


def test_spanish_is_told_from_english():
    content = "El arrendatario pagará la renta el primer día de cada mes y no podrá subarrendar.".encode()
    assert read(content, "a.txt").language == "es"
