"""Tables are read whatever spreadsheet wrote them."""

import pytest

from rules.authoring.tables import BadFile, decoded, delimiter_of, escaped, table_rows, unescaped


def test_any_encoding_of_a_spreadsheet_is_read():
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        assert decoded("¿cuál?".encode(encoding)) == "¿cuál?"


def test_a_spreadsheet_is_refused_for_what_it_is():
    with pytest.raises(BadFile, match="Save a spreadsheet as CSV"):
        decoded(b"PK\x03\x04\x00\x00sheet")


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_the_first_line_that_is_not_empty_tells_the_delimiter(sign):
    assert delimiter_of(f"\n\nname{sign}text\n1,2;3,4;5\t6|7") == sign


@pytest.mark.parametrize("cell", ['"', '"b', '"b\n', '"b\n3,c', '"b\n3,c\n', '"b\n3,"c"\n', '"b" c\n3,d'])
def test_a_quote_that_is_not_closed_swallows_no_rows(cell):
    with pytest.raises(BadFile, match="From line 2 on .* is a quote not closed"):
        list(table_rows(f"n,text\n2,{cell}", ","))


def test_quotes_within_a_cell_and_closed_ones_over_lines_are_read():
    rows = list(table_rows('n,text\n1,5" pipe\n2,"a\n""b"""\n3,""\n4,c', ","))
    assert rows[1:] == [(2, ["1", '5" pipe']), (3, ["2", 'a\n"b"']), (5, ["3", ""]), (6, ["4", "c"])]


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@x", "\tx", "plain", "'quoted'", "", 5, None])
def test_escaping_is_taken_back_exactly(cell):
    assert unescaped(escaped(cell)) == cell
