"""Reads provisions, one a line of JSON, as documents: a title of a code, a case. `docs/corpora.md` has the format.

The file is never read whole: its rows are read up to the end of one document, and a later reading goes on there.
"""

import gzip
import json
import lzma
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from retrieval.citations.citation import cite
from retrieval.errors import SourceRefused, gettext_noop
from retrieval.parsing import opinions, packed
from retrieval.parsing.cases import case_of, is_case
from retrieval.parsing.code_titles import heading_of
from retrieval.parsing.designators import CODE, anchors_of
from retrieval.parsing.references import in_statute
from retrieval.parsing.run_in import with_run_in
from retrieval.parsing.tree import Node, Ref, SourceDocument, iso_day, unused_locator
from retrieval.parsing.uslm.reader import CODE_STEPS, CODES, STATUSES

ENDINGS = (".jsonl", ".jsonl.xz", ".jsonl.gz")
MAX_LINE = 20 * 2**20  # bytes: the longest section of the Code has a third of a million
MAX_DOCUMENT = 400 * 2**20  # bytes of rows held at a time
UNSTORABLE = re.compile(r"\\u0000|[\ud800-\udfff]")  # as json.dumps writes NUL, and half of a surrogate pair
LOCATOR = re.compile(r"(?=.{2,300}$)(?:/[^/\s]+)+")


def is_rows(name: str) -> bool:
    return name.lower().endswith(ENDINGS)


def read_at(path: Path, prefix: str, offset: int) -> tuple[SourceDocument, int | None]:
    """As `read_next`, of a file that may be packed: while more documents follow, it stays open for the next of them."""
    if path.suffix.lower() not in packed.OPENERS:
        with path.open("rb") as file:
            return read_next(file, prefix, offset)
    lines = packed.taken(path)
    document, following = read_next(lines, prefix, offset)
    if following is None:
        lines.close()
    else:
        packed.keep(lines)
    return document, following


def read_next(file: BinaryIO | packed.PackedLines, prefix: str, offset: int) -> tuple[SourceDocument, int | None]:
    """The document whose rows begin at an offset of the file (unpacked), and where the next begins, if one does.

    Raises SourceRefused for a row that is none, with where it stands.
    """
    rows: list[dict] = []
    held, ends = 0, None
    for row, start, length in rows_from(file, offset):
        if rows and not is_of_one_document(rows[0], row, prefix):
            ends = start
            break
        rows.append(row)
        held += length
        if held > MAX_DOCUMENT:
            raise SourceRefused(
                gettext_noop("The rows of one document have more than %(most)s bytes."), most=MAX_DOCUMENT
            )
    if not rows:
        raise SourceRefused(gettext_noop("The file holds no rows."))
    return made_of(rows, document_of(rows[0]["locator"], prefix)), ends


def rows_from(file: BinaryIO | packed.PackedLines, offset: int) -> Iterator[tuple[dict, int, int]]:
    """Each row with where its line begins and how long that is."""
    try:
        file.seek(offset)
        while line := file.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                raise SourceRefused(
                    gettext_noop("The row at byte %(offset)s is longer than %(most)s bytes."),
                    offset=offset,
                    most=MAX_LINE,
                )
            if line.strip():
                yield checked(line, offset), offset, len(line)
            offset += len(line)
    except (lzma.LZMAError, gzip.BadGzipFile, EOFError) as error:
        raise SourceRefused(gettext_noop("The file cannot be unpacked: %(why)s."), why=error) from error


def checked(line: bytes, offset: int) -> dict:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SourceRefused(gettext_noop("The row at byte %(offset)s is not JSON."), offset=offset) from error
    if b"\\u" in line and UNSTORABLE.search(json.dumps(row, ensure_ascii=False)):
        raise SourceRefused(
            gettext_noop("The row at byte %(offset)s holds a character that no text has."), offset=offset
        )
    if opinions.is_opinion(row):
        return row | {"locator": opinions.places_of(row)[0]}
    locator = row.get("locator") if isinstance(row, dict) else None
    if not isinstance(locator, str) or not LOCATOR.fullmatch(locator):
        raise SourceRefused(
            gettext_noop("The row at byte %(offset)s has no locator such as /us/usc/t8/s1101."), offset=offset
        )
    wrong = [name for name, kind in FIELDS.items() if not isinstance(row.get(name, kind()), kind)]
    if wrong:
        raise SourceRefused(NOT_OF_KIND[FIELDS[wrong[0]]], offset=offset, name=wrong[0])
    if not all(isinstance(note, str) for note in row.get("notes", ())):
        raise SourceRefused(
            gettext_noop("The row at byte %(offset)s has a note that is not text."), offset=offset
        )
    return row


TEXTS = (
    "heading", "text", "path", "number", "level", "status", "document", "language", "source_url", "name", "court",
    "facts",
)  # fmt: skip
FIELDS = dict.fromkeys(TEXTS, str) | dict.fromkeys(("refs", "notes"), list)
NOT_OF_KIND = {
    str: gettext_noop("The row at byte %(offset)s: “%(name)s” is not text."),
    list: gettext_noop("The row at byte %(offset)s: “%(name)s” is not a list."),
}


def is_of_one_document(first: dict, row: dict, prefix: str) -> bool:
    """A case's summary and its opinions come from sources of their own: each row is read alone."""
    alone = is_case(first) or opinions.is_opinion(first)
    return not alone and document_of(row["locator"], prefix) == document_of(first["locator"], prefix)


def document_of(locator: str, prefix: str) -> str:
    """A case is a document of its own; else one level below the domain: a title, a manual."""
    below = {"/us/scotus": 2, "/us/case": 3}.get(prefix, 1)
    return "/".join(locator.split("/")[: prefix.count("/") + 1 + below])


def made_of(rows: list[dict], identifier: str) -> SourceDocument:
    if opinions.is_opinion(rows[0]):
        return opinions.of_row(rows[0])
    if is_case(rows[0]):
        return case_of(rows[0])
    top = Branch(identifier)
    ordered = sorted(rows, key=by_number) if identifier.startswith(CODES) else rows
    used: set[str] = set()
    for row in ordered:
        top.branch(steps_of(row, identifier)).rows.append(row)
    title = next((row["document"] for row in rows if row.get("document")), "") or heading_of(identifier)
    root = top.node(used, heading=title or cite(identifier) or identifier.rpartition("/")[2])
    language = rows[0].get("language") or "en"
    return SourceDocument(title=root.heading, language=language, identifier=identifier, root=root)


def by_number(row: dict) -> list[tuple[int, str]]:
    """2 before 10, 2a before 2b, 60e-3 before 60e-14."""
    return [(int(digits or 0), letters) for digits, letters in re.findall(r"(\d+)|(\D+)", row["locator"])]


@dataclass(slots=True)
class Branch:
    """A level of the hierarchy while it is put together; its rows and the levels in it in the order they came."""

    locator: str
    rows: list["dict | Branch"] = field(default_factory=list)
    below: dict[str, "Branch"] = field(default_factory=dict)

    def branch(self, steps: Iterable[str]) -> "Branch":
        here = self
        for step in steps:
            if step not in here.below:
                here.below[step] = Branch(f"{here.locator}/{step}")
                here.rows.append(here.below[step])
            here = here.below[step]
        return here

    def node(self, used: set[str], heading: str = "") -> Node:
        """With every locator its own. A row about the level itself gives its heading and text."""
        own = next((row for row in self.rows if isinstance(row, dict) and row["locator"] == self.locator), {})
        level, number = level_of(self.locator.rpartition("/")[2])
        used.add(self.locator)
        children = tuple(
            row.node(used) if isinstance(row, Branch) else leaf(row, used)
            for row in self.rows
            if row is not own
        )
        top = leaf(own, set()) if own else Node(level=level, number=number, heading="", locator=self.locator)
        return Node(
            level=own.get("level") or level, number=own.get("number") or number, heading=top.heading or heading,
            locator=self.locator, text=top.text, notes=top.notes, status=top.status, refs=top.refs,
            anchors=top.anchors, children=children,
        )  # fmt: skip


def steps_of(row: dict, identifier: str) -> list[str]:
    """The levels between the document and a provision: the last steps of its path, "usc08/us/usc/t8/ch12/schII". A
    public law in an appendix is one level: "pl/95/521".
    """
    path = "/" + row.get("path", "").strip("/")
    _, found, below = path.partition(identifier + "/")
    steps = below.split("/") if found else []
    if steps[:1] == ["pl"] and len(steps) > 2:
        steps[:3] = ["-".join(steps[:3])]
    return [step for step in steps if step]


LEVELS = {prefix: level for level, prefix in CODE_STEPS.items()}
STEP = re.compile(
    rf"({'|'.join(sorted(LEVELS, key=len, reverse=True))})(\d[\w.-]*|[IVXLCDM]+[\w-]*|[A-Z][\w-]*)"
)


def level_of(step: str) -> tuple[str, str]:
    """ch12 is chapter 12; anything else is a division of its own name."""
    match = STEP.fullmatch(step)
    return (LEVELS[match[1]], match[2]) if match else ("division", step)


def leaf(row: dict, used: set[str]) -> Node:
    """A provision. What a repealed or omitted one says of its past is a note."""
    locator, number = place_of(row)
    heading, notes = cleaned(row.get("heading", ""))
    status = row.get("status") or status_of(heading)
    text, more = cleaned(row.get("text", ""))
    notes = (*row.get("notes", ()), *notes, *more)
    if status in STATUSES and not row.get("status") and text:
        text, notes = "", (text, *notes)
    unused = unused_locator(locator, used)
    return Node(
        level=row.get("level") or "section",
        number=number,
        heading=heading.strip("[] ") if status else heading,
        locator=unused,
        text=text,
        anchors=with_run_in(text, unused, anchors_of(text, unused, CODE)),
        refs=tuple(references(row, text)),
        valid_from=iso_day(row.get("valid_from")),
        valid_to=iso_day(row.get("valid_to")),
        notes=notes,
        source_url=row.get("source_url", ""),
        status=status,
    )


def references(row: dict, text: str) -> Iterator[Ref]:
    """Those of the text to its own title, in full, and those of the row besides."""
    title = re.match(r"/us/usc/t\w+(?=/s)", row["locator"])
    own = list(in_statute(text, title[0])) if title else []
    yield from own
    for to in row.get("refs", ()):
        if isinstance(to, str) and not any(f"{ref.locator}/".startswith(f"{to}/") for ref in own):
            yield Ref(cite(to) or to, to, -1, -1)


def place_of(row: dict) -> tuple[str, str]:
    """A provision's locator and number. A code has two sections 1932: they come as s1932.1 and s1932.2, or s1932.1 and
    s1932, and are told apart as those of any source.
    """
    locator = row["locator"]
    if locator.startswith("/us/usc/"):
        locator = re.sub(r"(?<=[\da-z])(?<!\.)\.\d$", "", locator)
    last = locator.rpartition("/")[2]
    return locator, row.get("number") or (last.removeprefix("s") if locator.startswith(CODES) else last)


_GONE = "|".join(STATUSES)
_STATUS = re.compile(  # "Repealed. Pub. L. …", "Transferred or omitted", "Renumbered § 16133"; not "Transferred assets"
    rf"\[*\s*(?P<status>{_GONE})\b(?!\s(?!(?:or|and|by|as|to|eff|effective)\b)(?-i:[a-z]))(?!\s(?:or|and)\s(?!{_GONE}))",
    re.IGNORECASE,
)


def status_of(heading: str) -> str:
    """What a heading that says nothing else says of its section."""
    first = _STATUS.match(heading)
    return first["status"].lower() if first else ""


FOOTNOTE = re.compile(
    r"[ \t]*<sup>\s*\[?\s*(\d+)\s*\]?\s*</sup>\s*<sup>\s*<sup>(.*?)</sup>\s*</sup>[ \t]*", re.S
)
ROW = re.compile(r"\s*<tr>(.*?)</tr>\s*", re.S)
CELL = re.compile(r"<t[dh](?: [^<>]*)?>(.*?)</t[dh]>", re.S)  # colspan="2"
TAGS = re.compile(r"</?(?:table|tr|td|th|tbody|thead|sup)(?: [^<>]*)?>")
ESCAPED = re.compile(r"\\([\[\]_*])")
# A heading's line ends in a blank.
HEADED = re.compile(r"^((?:\(\w+\)\s*)+[^\n]*?)(?: ?\.?—)? +\n(?!\()", re.M)
LONE = re.compile(r"^(?:(?:\(\w+\) ?)+\n)+(?=\S)", re.M)  # numbers whose words begin on the next line


def cleaned(raw: str) -> tuple[str, tuple[str, ...]]:
    """Text as other readers give it, and its footnotes: a line for each numbered level, its heading in that line,
    a line for each row of a table.
    """
    text = ESCAPED.sub(r"\1", raw)
    notes = tuple(" ".join(match[2].split()) for match in FOOTNOTE.finditer(text))
    text = FOOTNOTE.sub(lambda mark: "" if mark.string[mark.end() :][:1] in {*",.;:)"} else " ", text)
    text = TAGS.sub("", ROW.sub(written_row, text))
    text = LONE.sub(joined_numbers, HEADED.sub(r"\1.— ", text))
    lines = (" ".join(line.split()).replace(" , ", ", ") for line in text.split("\n"))
    return "\n".join(line for line in lines if line), notes


def written_row(row: re.Match[str]) -> str:
    return "\n" + " | ".join(" ".join(cell.split()) for cell in CELL.findall(row[1])) + "\n"


def joined_numbers(lone: re.Match[str]) -> str:
    numbers = "".join(lone[0].split())
    return numbers if lone.string[lone.end()] == "(" else f"{numbers} "
