"""Provisions as JSON lines: read document by document, from where the last reading ended."""

import gzip
import json
import lzma
import unicodedata
from collections import Counter
from datetime import date

import pytest

from retrieval.errors import SourceRefused
from retrieval.parsing import packed, rows
from retrieval.parsing.packed import PackedLines
from retrieval.parsing.tree import SourceDocument

CODE = "/us/usc"


def written(tmp_path, *some: dict, name="law.jsonl"):
    path = tmp_path / name
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)
    with opener(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in some)
    return path


def section(number: str, text: str = "Words.", *, title: str = "8", **more) -> dict:
    return {"locator": f"/us/usc/t{title}/s{number}", "text": text, "refs": []} | more


def documents(path, prefix=CODE) -> list[SourceDocument]:
    found, offset = [], 0
    while offset is not None:
        document, offset = rows.read_at(path, prefix, offset)
        found.append(document)
    return found


def read(tmp_path, *some: dict, prefix=CODE) -> SourceDocument:
    (document,) = documents(written(tmp_path, *some), prefix)
    return document


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.xz", "a.jsonl.gz"])
def test_each_title_is_a_document_however_the_file_is_packed(tmp_path, name):
    path = written(tmp_path, section("1"), section("2"), section("1", title="9"), name=name)
    assert [each.identifier for each in documents(path)] == ["/us/usc/t8", "/us/usc/t9"]
    assert rows.is_rows(name)


@pytest.fixture
def unpacked(monkeypatch) -> list[str]:
    """The names of files whenever they are opened to be unpacked."""
    opened = []
    monkeypatch.setattr(packed, "_kept", {})
    monkeypatch.setitem(packed.OPENERS, ".xz", lambda path, mode: opened.append(path.name) or Forward(path, mode))
    return opened


class Forward(lzma.LZMAFile):
    """Refuses to go back, which would unpack it from its start."""

    def seek(self, offset, whence=0):
        assert offset >= self.tell()
        return super().seek(offset, whence)


def test_a_packed_file_of_many_documents_is_unpacked_once(tmp_path, unpacked):
    long = "Words. " * 5_000  # longer than any buffer
    some = [section(str(n), long, title=str(title)) for title in range(1, 6) for n in (1, 2)]
    path = written(tmp_path, *some, name="a.jsonl.xz")
    assert [len(list(each.root.walk())) for each in documents(path)] == [3] * 5
    assert unpacked == ["a.jsonl.xz"] and packed._kept == {}


def test_a_packed_file_that_is_another_now_is_unpacked_anew(tmp_path, unpacked):
    path = written(tmp_path, section("1"), section("1", title="9"), name="a.jsonl.xz")
    rows.read_at(path, CODE, 0)
    path.unlink()
    written(tmp_path, section("1", "Other words."), section("1", title="9"), name="a.jsonl.xz")
    document, _ = rows.read_at(path, CODE, 0)
    assert [node.text for node in document.root.walk()][-1] == "Other words."
    assert unpacked == ["a.jsonl.xz"] * 2


def test_a_packed_file_is_read_from_wherever_it_is_asked_for(tmp_path):
    path = written(tmp_path, *(section("1", title=str(title)) for title in (7, 8, 9)), name="a.jsonl.xz")
    first, second = rows.read_at(path, CODE, 0)
    for _ in range(2):
        document, third = rows.read_at(path, CODE, second)
        assert document.identifier == "/us/usc/t8"
    assert rows.read_at(path, CODE, third)[0].identifier == "/us/usc/t9"
    assert rows.read_at(path, CODE, 0)[0].identifier == first.identifier == "/us/usc/t7"


def test_a_title_holds_chapters_in_the_order_of_their_sections(tmp_path):
    chapter = "usc08/us/usc/t8/ch{}"
    title = read(
        tmp_path,
        section("1101", path=chapter.format("12/schI")),
        section("1157a", path=chapter.format("12/schII/ptI")),
        section("1157", path=chapter.format("12/schII/ptI")),
        section("2", path=chapter.format("1")),
    ).root
    assert title.heading == "Aliens and Nationality"
    assert [(each.level, each.number, each.locator) for each in title.walk()] == [
        ("title", "8", "/us/usc/t8"),
        ("chapter", "1", "/us/usc/t8/ch1"),
        ("section", "2", "/us/usc/t8/s2"),
        ("chapter", "12", "/us/usc/t8/ch12"),
        ("subchapter", "I", "/us/usc/t8/ch12/schI"),
        ("section", "1101", "/us/usc/t8/s1101"),
        ("subchapter", "II", "/us/usc/t8/ch12/schII"),
        ("part", "I", "/us/usc/t8/ch12/schII/ptI"),
        ("section", "1157", "/us/usc/t8/s1157"),
        ("section", "1157a", "/us/usc/t8/s1157a"),
    ]


def test_a_law_in_an_appendix_is_one_level(tmp_path):
    row = {
        "locator": "/us/usc/t5a/pl/95/521/s401",
        "path": "usc05A/us/usc/t5a/pl/95/521/tIV",
        "text": "There is.",
    }
    title = read(tmp_path, row)
    assert title.title == "Government Organization and Employees, Appendix"
    assert [each.locator for each in title.root.walk()][1:] == [
        "/us/usc/t5a/pl-95-521", "/us/usc/t5a/pl-95-521/tIV", "/us/usc/t5a/pl/95/521/s401",
    ]  # fmt: skip


@pytest.mark.parametrize("status", ["repealed", "omitted", "transferred", "renumbered", "reserved"])
def test_what_is_no_longer_law_says_so_and_its_past_is_a_note(tmp_path, status):
    heading = f"{status.title()}. Pub. L. 105–33, title X, Aug. 5, 1997]"
    (_, gone) = read(
        tmp_path, section("7", "Section, act of 1993, was about dogs.", heading=heading)
    ).root.walk()
    assert (gone.status, gone.text, gone.notes) == (status, "", ("Section, act of 1993, was about dogs.",))


@pytest.mark.parametrize("heading", ["Transferred assets", "Reserved funds", "Transferred or reemployed employees"])
def test_a_heading_of_law_in_force_is_no_status(tmp_path, heading):
    (_, node) = read(tmp_path, section("7", "They are held in trust.", heading=heading)).root.walk()
    assert (node.status, node.text) == ("", "They are held in trust.")


def test_text_is_written_as_that_of_other_sources(tmp_path):
    raw = (
        "(a) Terms .— \nAs used \\[here\\]  <sup>\\[1\\]</sup> <sup><sup> 1 So in original. </sup></sup> , a dog—\n"
        "(1)\n(A)\nbarks; and\n(b) Tables \n<table>\n<tr>\n<td> Jan. 1 </td>\n<td>\n Fiscal year </td>\n</tr>\n"
        '<tr>\n<td colspan="2"> Both. </td>\n</tr>\n</table>'
    )
    (_, node) = read(tmp_path, section("1", raw)).root.walk()
    assert (
        node.text
        == "(a) Terms.— As used [here], a dog—\n(1)(A) barks; and\n(b) Tables.—\nJan. 1 | Fiscal year\nBoth."
    )
    assert node.notes == ("1 So in original.",)
    assert [each.locator.removeprefix("/us/usc/t8/s1/") for each in node.anchors] == [
        "a",
        "a/1",
        "a/1/A",
        "b",
    ]


def test_references_dates_and_footnotes_are_kept(tmp_path):
    row = section(
        "1",
        refs=["/us/usc/t8/s2"],
        valid_from="2016-09-01",
        notes=["Added 1952."],
        source_url="https://x.org",
    )
    (_, node) = read(tmp_path, row).root.walk()
    assert [(ref.text, ref.locator) for ref in node.refs] == [("8 U.S.C. § 2", "/us/usc/t8/s2")]
    assert (node.valid_from, node.notes, node.source_url) == (
        date(2016, 9, 1),
        ("Added 1952.",),
        "https://x.org",
    )


def test_a_citation_in_the_text_goes_before_that_of_the_row(tmp_path):
    some = ["/us/usc/t8/s2", "/us/usc/t8/s3"]
    (_, node) = read(tmp_path, section("1", "As section 2(a) of this title says.", refs=some)).root.walk()
    assert [ref.locator for ref in node.refs] == ["/us/usc/t8/s2/a", "/us/usc/t8/s3"]


def test_two_sections_of_one_number_are_told_apart(tmp_path):
    title = read(tmp_path, section("1932.1", "One."), section("1932", "Other."))
    assert sorted(each.locator for each in title.root.walk())[1:] == [
        "/us/usc/t8/s1932",
        "/us/usc/t8/s1932~2",
    ]


def test_law_of_any_domain_keeps_the_order_of_its_file(tmp_path):
    some = (
        {"locator": f"/manual/a/{name}", "text": "Words.", "heading": name} for name in ("zebras", "ants")
    )
    manual = read(
        tmp_path, {"locator": "/manual/a", "heading": "A manual", "text": "Preface."}, *some, prefix="/manual"
    )
    assert (manual.title, manual.root.text) == ("A manual", "Preface.")
    assert [each.locator for each in manual.root.children] == ["/manual/a/zebras", "/manual/a/ants"]


def test_a_case_is_a_document_of_its_own(tmp_path):
    cases = [{"locator": f"/us/scotus/1/{page}", "name": f"A v. {page}", "facts": "Dogs."} for page in (1, 9)]
    found = documents(written(tmp_path, *cases), "/us/scotus")
    assert [(each.identifier, each.title) for each in found] == [
        ("/us/scotus/1/1", "A v. 1"),
        ("/us/scotus/1/9", "A v. 9"),
    ]


def test_summary_and_opinions_of_a_case_are_read_one_after_the_other(tmp_path):
    summary = {"locator": "/us/scotus/1/9", "name": "A v. B", "facts": "Dogs."}
    opinion = {
        "name": "A v. B",
        "citations": [{"cite": "1 U.S. 9"}],
        "casebody": {"opinions": [{"text": "They bark."}]},
    }
    found = documents(written(tmp_path, summary, opinion), "/us/scotus")
    assert [(each.identifier, each.scope) for each in found] == [
        ("/us/scotus/1/9", ()), ("/us/scotus/1/9", ("/us/scotus/1/9/opinion",)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "at byte 41 is not JSON"),
        ("[]", "at byte 41 has no locator"),
        ('{"locator": "t8"}', "has no locator"),
        ('{"locator": "/us/usc/t8/s2", "text": 1}', "“text” is not text"),
        ('{"locator": "/us/usc/t8/s2", "refs": "x"}', "“refs” is not a list"),
        ('{"locator": "/us/usc/t8/s2", "valid_from": "then"}', "is not a date"),
        ('{"locator": "/us/usc/t8/s2", "notes": [1]}', "has a note that is not text"),
        ('{"locator": "/us/usc/t8/s2", "text": "a\\u0000b"}', "holds a character that no text has"),
        ('{"locator": "/us/usc/t8/s2", "text": "a\\ud800b"}', "holds a character that no text has"),
        ("[" * 100_000, "at byte 41 is not JSON"),
    ],
)
def test_a_row_that_is_none_is_refused_with_its_place(tmp_path, line, said):
    path = tmp_path / "law.jsonl"
    path.write_text('{"locator": "/us/usc/t8/s1", "text": ""}\n' + line + "\n")
    with pytest.raises(SourceRefused, match=said):
        documents(path)


@pytest.mark.parametrize(
    ("name", "content"), [("a.jsonl", b""), ("a.jsonl.xz", b"words"), ("a.jsonl.gz", b"words")]
)
def test_an_empty_or_broken_file_is_refused(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceRefused, match="no rows|cannot be unpacked"):
        documents(tmp_path / name)


def test_only_so_much_is_held_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(rows, "MAX_LINE", 50)
    with pytest.raises(SourceRefused, match="longer than 50 bytes"):
        read(tmp_path, section("1", "Words " * 20))
    monkeypatch.setattr(rows, "MAX_LINE", 500)
    monkeypatch.setattr(rows, "MAX_DOCUMENT", 300)
    with pytest.raises(SourceRefused, match="one document have more than 300"):
        read(tmp_path, *(section(str(n)) for n in range(10)))


def words(text: str) -> Counter:
    plain = unicodedata.normalize(
        "NFKC", rows.TAGS.sub(" ", rows.FOOTNOTE.sub(r" \2 ", rows.ESCAPED.sub(r"\1", text)))
    )
    return Counter("".join(each if each.isalnum() else " " for each in plain).split())


@pytest.mark.measuring_data
@pytest.mark.slow
@pytest.mark.parametrize("titles", [3, pytest.param(None, marks=pytest.mark.full, id="all")])
def test_every_word_of_the_code_of_2016_is_kept(measuring_data, titles):
    """Of its first three titles; of all of them in the test marked `full`, which takes minutes."""
    path = measuring_data / "uscode/sections-2016.jsonl.xz"
    offset, read = 0, 0
    while offset is not None and read != titles:
        document, after = rows.read_at(path, CODE, offset)
        read += 1
        kept = Counter()
        for node in document.root.walk():
            for text in (node.text, *node.notes):
                kept.update(words(text))
        given = Counter()
        for row, start, _ in rows.rows_from(PackedLines(path), offset):
            if start == after:
                break
            given.update(words(row["text"]))
        assert not given - kept, f"{document.identifier} lacks {given - kept}"
        offset = after
