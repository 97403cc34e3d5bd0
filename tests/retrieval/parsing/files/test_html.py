"""HTML without what is not text."""

import pytest

from tests.retrieval.parsing.files.reading import read, sections, texts


def test_html_is_read_without_menus_scripts_and_what_is_hidden():
    page = b"""<html><head><title>Guide</title><script>x()</script></head><body><nav>Home</nav>
        <ul><li><a href="#a">One</a></li><li><a href="#b">Two</a></li><li><a href="#c">Three</a></li></ul>
        <h2 id=a>Asylum</h2><p>Apply with<b>in</b> a&nbsp;year.<p hidden>No</p><ol><li>First<li>Next</ol>
        <table><tr><th>Fee<td>$0</table><footer>(c)</footer></body></html>"""
    document = read(page, "guide.html")
    (section,) = sections(document).values()
    assert (document.title, section.heading) == ("Guide", "Asylum")
    assert section.text == "Apply within a year.\n1. First\n2. Next\nFee | $0"


def test_a_banner_with_a_heading_is_text_and_one_without_is_not():
    page = b"<header><h1>County Code</h1></header><header><p>Menu</p></header><p>Dogs are kept on a leash.</p>"
    document = read(page, "a.html")
    assert document.title == "County Code"
    assert [section.text for section in sections(document).values()] == ["Dogs are kept on a leash."]


def test_what_is_struck_is_left_out():
    page = b"<h1>Lease</h1><p>The tenant <strike>shall</strike><del>must</del> may <s>not </s>leave.</p>"
    (section,) = sections(read(page, "lease.html")).values()
    assert section.text == "The tenant may leave."


def test_marks_of_notes_stand_apart_from_words_and_letters_stay():
    page = b"<p>Ask the officer<sup><a href='#n12'>12</a></sup> about 5 m<sup>2</sup> on the 1<sup>st</sup> floor.</p>"
    assert texts(page, "a.html") == ["Ask the officer\u00b9\u00b2 about 5 m\u00b2 on the 1st floor."]


@pytest.mark.parametrize("charset", ["utf-16", "utf-16le", "UTF-16BE"])
def test_a_page_that_says_it_is_utf16_where_that_can_be_read_is_utf8(charset):
    assert texts(f'<meta charset="{charset}"><p>Año “uno”</p>'.encode(), "a.html") == ["Año “uno”"]


def test_latin1_is_read_with_the_quotation_marks_of_windows():
    assert texts('<meta charset="iso-8859-1"><p>Año “uno”</p>'.encode("cp1252"), "a.html") == ["Año “uno”"]


@pytest.mark.parametrize("charset", ["iso-8859-1", "windows-1252", "us-ascii"])
@pytest.mark.parametrize("gap", [b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d"])
def test_bytes_that_windows_gives_no_letter_refuse_no_page(charset, gap):
    page = f'<meta charset="{charset}"><p>Año “u*no”</p>'.encode("cp1252")
    assert texts(page.replace(b"*", gap), "a.html") == ["Año “uno”"]


def test_bytes_that_windows_gives_no_letter_change_no_others():
    page = '<meta charset="iso-8859-9"><p>Yasa*ğı</p>'.encode("cp1254")
    assert texts(page.replace(b"*", b"\x8d"), "a.html") == ["Yasağı"]


def test_a_page_in_utf8_whose_bytes_are_no_letters_of_the_charset_it_names_is_read_as_utf8():
    assert texts('<meta charset="iso-8859-1"><p>Año “uno”</p>'.encode(), "a.html") == ["Año “uno”"]


@pytest.mark.parametrize(
    ("charset", "codec", "words"),
    [
        ("gb2312", "gb18030", "法律€镕"),
        ("GBK", "gb18030", "法律€㐀"),
        ("x-gbk", "gb18030", "法律"),
        ("shift_jis", "cp932", "法①髙"),
        ("Windows-31J", "cp932", "法①髙"),
        ("x-sjis", "cp932", "法①髙"),
        ("euc-kr", "cp949", "법똠"),
        ("iso-8859-9", "cp1254", "“Yasağı”"),
        ("us-ascii", "cp1252", "“Año”"),
        ("windows-874", "cp874", "“กฎหมาย”"),
        ("tis-620", "cp874", "“กฎหมาย”"),
        ("macintosh", "mac_roman", "“Año”"),
        ("x-mac-roman", "mac_roman", "“Año”"),
    ],
)
def test_a_charset_is_read_as_browsers_read_it(charset, codec, words):
    assert texts(f'<meta charset="{charset}"><p>{words}</p>'.encode(codec), "a.html") == [words]


@pytest.mark.parametrize("charset", ["utf-7", "unicode-escape", "raw_unicode_escape", "undefined", "rot13", "x"])
def test_a_charset_that_pages_do_not_have_is_not_heeded_and_no_word_is_lost(charset):
    page = f'<meta charset="{charset}"><p>Year +2AA- \\ud800 one.</p><p>Two.</p>'
    assert texts(page.encode(), "a.html") == ["Year +2AA- \\ud800 one.", "Two."]


@pytest.mark.parametrize("start", ["²", "9" * 5_000, "", "-1"])
def test_a_list_that_begins_at_no_number_begins_at_one(start):
    page = f'<ol start="{start}"><li>First<li>Next</ol><ol start="٣"><li>Third</ol>'
    assert texts(page.encode(), "a.html") == ["1. First", "2. Next", "3. Third"]
