"""Files of every kind for tests, made as small as they can be."""

import zlib
from collections.abc import Iterable
from io import BytesIO

from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

Words = tuple[float, float, float, str, str]  # left, from the top, size, font (F1 plain, F2 bold), text


def pdf(*pages: Iterable[Words | str] | str, extra: bytes = b"", title: str = "") -> bytes:
    """A PDF of US Letter pages. A page given as "scan" is an image, as "figure" has a small one, as "blank" nothing;
    words may stand on a "scan" and beside a "figure".
    """
    objects: list[bytes] = [b"", b"", b""]
    kids = []
    for page in pages:
        content = drawn([page] if isinstance(page, str) else list(page))
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(content), content))
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1 3 0 R/F2 "
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>>>/XObject<</I %d 0 R>>>>>>"
            % (len(objects), len(objects) + 2)
        )
        kids.append(len(objects))
        objects.append(image())
    objects[0] = b"<</Type/Catalog/Pages 2 0 R>>"
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (
        len(kids),
        b" ".join(b"%d 0 R" % kid for kid in kids),
    )
    objects[2] = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
    if title:
        objects.append(b"<</Title(%s)>>" % title.encode())
        extra += b"/Info %d 0 R" % len(objects)
    return written(objects, extra)


def drawn(page: list[Words | str]) -> bytes:
    scan = b"q 500 0 0 700 50 40 cm /I Do Q " if "scan" in page else b""
    scan += b"q 300 0 0 250 150 300 cm /I Do Q " if "figure" in page else b""
    shown = (
        b"/%s %g Tf 1 0 0 1 %g %g Tm (%s) Tj" % (font.encode(), size, x, 792 - y, escaped(text))
        for x, y, size, font, text in (words for words in page if words not in ("scan", "figure", "blank"))
    )
    return scan + b"BT " + b"\n".join(shown) + b" ET"


def escaped(text: str) -> bytes:
    return text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def image() -> bytes:
    grey = zlib.compress(bytes(16))
    return (
        b"<</Type/XObject/Subtype/Image/Width 4/Height 4/ColorSpace/DeviceGray/BitsPerComponent 8"
        b"/Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(grey), grey)
    )


def written(objects: list[bytes], extra: bytes) -> bytes:
    out, places = b"%PDF-1.7\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    trailer = b"trailer<</Size %d/Root 1 0 R%s>>startxref\n%d\n%%%%EOF" % (size, extra, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + trailer


def column(
    *lines: str, top: float = 100, size: float = 10, font: str = "F1", left: float = 72
) -> list[Words]:
    """Lines under one another, single-spaced."""
    return [(left, top + row * size * 1.2, size, font, line) for row, line in enumerate(lines)]


def encrypted_pdf() -> bytes:
    """Locked by a password that nobody knows."""
    lock = b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>/ID[<00><00>]" % (b"5a" * 32, b"a5" * 32)
    return pdf(column("secret"), extra=lock)


def docx(*paragraphs: tuple[str, str], title: str = "") -> bytes:
    """A Word file of (style, text)."""
    word = Document()
    word.core_properties.title = title
    for style, text in paragraphs:
        word.add_paragraph(text, style=style)
    return saved(word)


def noted_docx(said: Iterable[str | int], notes: Iterable[str]) -> bytes:
    """A Word file of one paragraph: its words, and by their numbers where it calls its footnotes."""
    word = Document()
    paragraph = word.add_paragraph()
    for each in said:
        run = paragraph.add_run("" if isinstance(each, int) else each)
        if isinstance(each, int):
            run._r.append(parse_xml(f'<w:footnoteReference {nsdecls("w")} w:id="{each}"/>'))
    lines = "".join(
        f'<w:footnote w:id="{number}"><w:p><w:r><w:t>{note}</w:t></w:r></w:p></w:footnote>'
        for number, note in enumerate(notes, start=1)
    )
    content = f"<w:footnotes {nsdecls('w')}>{lines}</w:footnotes>".encode()
    part = Part(PackURI("/word/footnotes.xml"), "application/xml", content, word.part.package)
    word.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    return saved(word)


def saved(word) -> bytes:
    file = BytesIO()
    word.save(file)
    return file.getvalue()


def locked(archive: bytes) -> bytes:
    """A zip whose files a password locks, as their flags say."""
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        first, *others = archive.split(mark)
        flagged = (each[: place - 4] + bytes([each[place - 4] | 1]) + each[place - 3 :] for each in others)
        archive = mark.join((first, *flagged))
    return archive
