"""What formats a domain is read from. Hostile files harm nobody, and every limit answers with a reason."""

import tarfile
import zipfile
from io import BytesIO

import pytest

from retrieval.errors import SourceRefused
from retrieval.models import Domain
from retrieval.parsing import sources
from retrieval.parsing.sources import Place, extract, read_next
from tests import files
from tests.retrieval.parsing.cfr.samples import ECFR
from tests.retrieval.parsing.uslm.samples import CONSTITUTION, TITLE

CODE = Domain(
    slug="us_code",
    name="The Code",
    locator_prefix="/us/usc",
    citation_style="us_code",
    result_level="section",
)
LEASES = Domain(slug="leases", name="Leases", locator_prefix="/leases", citation_style="plain")


def every(source, domain) -> list:
    """The documents of a source, one reading each."""
    found, place = [], Place()
    while place is not None:
        one = read_next(source, domain, place)
        place = one.following
        found.append(one.document)
    return found


def first(source, domain):
    return read_next(source, domain, Place()).document


def test_xml_is_read_as_uslm_to_the_level_of_the_domain():
    lowest = first(CONSTITUTION, Domain(result_level=Domain.ResultLevel.LOWEST))
    sections = first(CONSTITUTION, Domain(result_level=Domain.ResultLevel.SECTION))
    assert lowest.identifier == sections.identifier
    assert len(list(lowest.root.walk())) > len(list(sections.root.walk()))


def test_the_end_of_a_name_may_be_in_capitals(tmp_path):
    (tmp_path / "usc42.XML").write_text(TITLE)
    assert first(tmp_path / "usc42.XML", Domain()).identifier == "/us/usc/t42"


@pytest.mark.parametrize(
    ("filename", "locator"), [("My Lease (2).txt", "/leases/my-lease-2"), ("¿?.txt", "/leases/document")]
)
def test_a_file_has_its_place_by_its_name(tmp_path, filename, locator):
    (tmp_path / filename).write_text("1. Term. A year.\n")
    assert first(tmp_path / filename, LEASES).identifier == locator


def test_what_is_missing_or_of_another_domain_is_refused(tmp_path):
    with pytest.raises(SourceRefused, match="There is no file gone.xml"):
        first(tmp_path / "gone.xml", LEASES)
    (tmp_path / "a.txt").write_text("words")
    with pytest.raises(SourceRefused, match="in no format that The Code is read from"):
        first(tmp_path / "a.txt", Domain(name="The Code", citation_style="bluebook"))


def title(number: int) -> str:
    return TITLE.replace("/us/usc/t42", f"/us/usc/t{number}")


def test_a_folder_is_read_file_by_file_in_order_of_their_numbers(tmp_path):
    for number in (10, 9):
        (tmp_path / f"usc{number}.xml").write_text(title(number))
    (tmp_path / ".hidden.xml").write_text("x")
    (tmp_path / "usc.css").write_text("x")
    assert [each.identifier for each in every(tmp_path, CODE)] == ["/us/usc/t9", "/us/usc/t10"]


@pytest.mark.parametrize("name", ["release.zip", "release.tar.xz"])
def test_an_archive_is_read_as_its_files(tmp_path, name):
    members = {
        "uscAll/usc42.xml": TITLE,
        "uscAll/usc9.xml": title(9),
        "__MACOSX/usc42.xml": "x",
        "readme.css": "x",
    }
    packed = tmp_path / name
    if name.endswith(".zip"):
        with zipfile.ZipFile(packed, "w") as archive:
            for member, content in members.items():
                archive.writestr(member, content)
    else:
        with tarfile.open(packed, "w:xz") as archive:
            for member, content in members.items():
                entry = tarfile.TarInfo(member)
                entry.size = len(content.encode())
                archive.addfile(entry, BytesIO(content.encode()))
    assert [each.identifier for each in every(packed, CODE)] == ["/us/usc/t9", "/us/usc/t42"]


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tar.xz"])
def test_a_packed_archive_is_opened_and_listed_once_for_all_its_files(tmp_path, monkeypatch, name):
    with tarfile.open(tmp_path / name, "w:" + name[-2:]) as archive:
        for number in range(1, 5):
            (tmp_path / f"usc{number}.xml").write_text(title(number))
            archive.add(tmp_path / f"usc{number}.xml", f"usc{number}.xml")
    opened = []
    monkeypatch.setattr(tarfile, "open", lambda path, real=tarfile.open: opened.append(real(path)) or opened[-1])
    put_in_order = []
    natural = sources.natural
    monkeypatch.setattr(sources, "natural", lambda each: put_in_order.append(each) or natural(each))
    sources.in_order.cache_clear()
    identifiers = [each.identifier for each in every(tmp_path / name, CODE)]
    assert identifiers == [f"/us/usc/t{number}" for number in range(1, 5)]
    assert len(opened) == 1 and opened[0].closed
    assert len(put_in_order) == 4


def test_the_files_of_a_folder_are_those_of_its_folders_too_and_no_others(tmp_path):
    for name in ("a/b/2.xml", "a/1.xml", "10.xml", "note.md5", ".hidden/3.xml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "gone.xml").symlink_to(tmp_path / "nowhere.xml")
    (tmp_path / "round").symlink_to(tmp_path)
    assert sources.files_of(tmp_path) == ["a/1.xml", "a/b/2.xml", "10.xml"]


def test_json_lines_are_read_title_by_title(tmp_path):
    rows = (f'{{"locator": "/us/usc/t{title}/s1", "text": "Words."}}\n' for title in (8, 9))
    (tmp_path / "law.jsonl").write_text("".join(rows))
    assert [each.identifier for each in every(tmp_path / "law.jsonl", CODE)] == ["/us/usc/t8", "/us/usc/t9"]
    assert [each.identifier for each in every(tmp_path, CODE)] == ["/us/usc/t8", "/us/usc/t9"]


def test_regulations_are_told_from_statutes_by_their_root(tmp_path):
    (tmp_path / "title-6.xml").write_text(ECFR)
    assert first(tmp_path / "title-6.xml", CODE).identifier == "/us/cfr/t6"


@pytest.mark.parametrize("name", ["a.zip", "a.tar.xz"])
def test_an_archive_that_is_none_or_holds_nothing_is_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"words")
    with pytest.raises(SourceRefused, match="cannot be unpacked"):
        first(tmp_path / name, CODE)
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceRefused, match="holds no file that The Code is read from"):
        first(tmp_path / "empty", CODE)


def archive_of_a_title(name: str) -> bytes:
    file = BytesIO()
    if name.endswith(".zip"):
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("usc42.xml", TITLE)
    else:
        with tarfile.open(fileobj=file, mode="w:" + name.rpartition(".")[2]) as archive:
            entry = tarfile.TarInfo("usc42.xml")
            entry.size = len(TITLE.encode())
            archive.addfile(entry, BytesIO(TITLE.encode()))
    return file.getvalue()


def halved(archive: bytes) -> bytes:
    return archive[: len(archive) // 2]


def spoilt(archive: bytes) -> bytes:
    return archive[:60] + b"spoilt" + archive[66:]


@pytest.mark.parametrize(
    ("name", "damage"),
    [(name, damage) for name in ("a.zip", "a.tar.gz", "a.tar.xz") for damage in (halved, spoilt)],
)
def test_a_damaged_archive_is_refused_in_one_sentence(tmp_path, name, damage):
    (tmp_path / name).write_bytes(damage(archive_of_a_title(name)))
    with pytest.raises(SourceRefused, match="cannot be unpacked|not well-formed"):
        first(tmp_path / name, CODE)


def test_an_archive_that_a_password_locks_says_so(tmp_path):
    (tmp_path / "a.zip").write_bytes(files.locked(archive_of_a_title("a.zip")))
    with pytest.raises(SourceRefused, match=r"usc42.xml is encrypted: pack it without a password."):
        first(tmp_path / "a.zip", CODE)


def test_a_file_in_an_archive_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MAX_MEMBER", 100)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("usc42.xml", TITLE)
    with pytest.raises(SourceRefused, match="larger than 100 bytes"):
        first(tmp_path / "a.zip", CODE)


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
BILLION = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]>'


def read(content, filename, **limits):
    return extract(content, filename=filename, identifier="/d/x", name="x", **limits)


def refusal(content, filename, **limits):
    with pytest.raises(SourceRefused) as refused:
        read(content, filename, **limits)
    return refused.value.message


def packed(document: bytes) -> bytes:
    """A Word file whose document is something else."""
    file = BytesIO()
    with zipfile.ZipFile(BytesIO(files.docx(("Normal", "x")))) as good, zipfile.ZipFile(file, "w", 8) as made:
        for part in good.namelist():
            made.writestr(part, document if part == "word/document.xml" else good.read(part))
    return file.getvalue()


def test_a_document_comes_back_whole():
    page = files.column("1. Term. One year.", "2. Law. Texas.")
    document = read(files.pdf(page, "scan"), "a.pdf")
    assert [node.locator for node in document.root.walk()] == ["/d/x", "/d/x/1", "/d/x/2"]
    assert (document.pages, document.scanned_pages) == (2, (2,))
    assert document.root.children[0].pages == ((0, 1),)


def test_a_word_file_that_unpacks_to_hundreds_of_megabytes_is_refused():
    bomb = packed(bytes(201 * 2**20))
    assert len(bomb) < 2**20
    assert "unpacks to more" in refusal(bomb, "a.docx")


def test_entities_that_grow_by_the_billion_are_refused_in_word_and_mean_nothing_in_html():
    body = f"{BILLION}<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>"
    content = f"{body}<w:body><w:p><w:r><w:t>&l11;</w:t></w:r></w:p></w:body></w:document>".encode()
    assert refusal(packed(content), "a.docx")
    page = read(f"{BILLION}<html><body><p>Words &l11; here</p></body></html>".encode(), "a.html")
    assert len(page.root.children[0].text) < 2000


def test_what_is_nested_a_hundred_thousand_deep_breaks_nothing():
    assert refusal(b"<div>" * 100_000 + b"x", "a.html")
    deep = files.pdf(files.column("Words."), extra=b"/X " + b"[" * 100_000 + b"]" * 100_000)
    ring = files.pdf(files.column("Words.")).replace(b"/Kids[5 0 R]", b"/Kids[2 0 R]")
    for content in (deep, ring):
        try:
            assert read(content, "a.pdf").pages == 1
        except SourceRefused as refused:
            assert refused.message


def test_a_file_that_takes_too_long_is_given_up():
    assert "longer to read than 0.01 seconds" in refusal(b"word " * 100_000, "a.txt", seconds=0.01)


def test_a_file_that_needs_too_much_memory_is_refused():
    assert "too large" in refusal(b"<p>a" * 5_000_000, "a.html")
