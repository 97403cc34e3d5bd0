"""Text of tables as spreadsheets write them, read and written whatever their encoding and delimiter. Pure."""

import csv
import io
from collections.abc import Iterator

from retrieval.errors import ArfError, gettext_noop

DELIMITERS = ",;\t|"
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")  # what spreadsheets take for the beginning of a formula


class BadFile(ArfError):
    """A file of which nothing can be read."""

    status = 422
    code = "bad_import"


def decoded(content: bytes) -> str:
    """Text of a file in whatever encoding spreadsheets write; a byte order mark is taken off. Raises BadFile."""
    is_utf_16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = content.decode("utf-16", errors="replace") if is_utf_16 else decoded_bytes(content)
    if "\0" in text:
        raise BadFile(gettext_noop("This is no text file. Save a spreadsheet as CSV."))
    return text


def decoded_bytes(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def delimiter_of(text: str) -> str:
    """By the first line that is not empty."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return max(DELIMITERS, key=line.count)


def table_rows(text: str, delimiter: str, *, strict: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Each row after the number of the line where it begins. Raises BadFile, where strict also for quotes that nothing
    closes or that close within a cell.
    """
    rows, start = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict), 1
    try:
        for row in rows:
            yield start, row
            start = rows.line_num + 1
    except csv.Error as problem:
        raise BadFile(
            gettext_noop("From line %(start)s on this is no table (%(problem)s): is a quote not closed?"),
            start=start,
            problem=problem,
        ) from problem


def escaped(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_SIGNS) else cell


def unescaped(cell: object) -> object:
    is_escaped = isinstance(cell, str) and cell.startswith("'") and cell[1:].startswith(FORMULA_SIGNS)
    return cell[1:] if is_escaped else cell
