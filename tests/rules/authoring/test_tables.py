"""Tables are read whatever spreadsheet wrote them."""

import pytest

from rules.authoring.tables import BadFile, decoded, delimiter_of, escaped, unescaped


def test_any_encoding_of_a_spreadsheet_is_read():
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        assert decoded("¿cuál?".encode(encoding)) == "¿cuál?"


def test_a_spreadsheet_is_refused_for_what_it_is():
    with pytest.raises(BadFile, match="Save a spreadsheet as CSV"):
        decoded(b"PK\x03\x04\x00\x00sheet")


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_the_first_line_that_is_not_empty_tells_the_delimiter(sign):
    assert delimiter_of(f"\n\nname{sign}text\n1,2;3,4;5\t6|7") == sign


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@x", "\tx", "plain", "'quoted'", "", 5, None])
def test_escaping_is_taken_back_exactly(cell):
    assert unescaped(escaped(cell)) == cell
