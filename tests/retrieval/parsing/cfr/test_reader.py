"""Regulations from title to section and appendix; every word of them is stored."""

import re
import tarfile
import unicodedata
from collections import Counter
from dataclasses import replace
from datetime import date
from html import unescape
from itertools import pairwise

import pytest
from lxml import etree

from retrieval.errors import SourceRefused
from retrieval.parsing.cfr.content import LEFT_OUT
from retrieval.parsing.cfr.reader import is_regulation, read
from retrieval.parsing.tree import Node
from tests.retrieval.parsing.cfr.samples import ECFR, annual, volume

TITLE = read(ECFR.encode())
NODES = {node.locator: node for node in TITLE.root.walk()}
RULE = NODES["/us/cfr/t6/s3.3"]


def test_a_title_holds_levels_down_to_sections_and_appendices():
    assert (TITLE.identifier, TITLE.title, TITLE.edition) == (
        "/us/cfr/t6",
        "Domestic Security",
        date(2023, 7, 12),
    )
    assert [(node.level, node.number, node.heading, node.locator) for node in TITLE.root.walk()] == [
        ("title", "6", "Domestic Security", "/us/cfr/t6"),
        ("chapter", "I", "DEPARTMENT OF HOMELAND SECURITY", "/us/cfr/t6/chI"),
        ("part", "1-2", "Reserved", "/us/cfr/t6/pt1-2"),
        ("part", "3", "PETITIONS FOR RULEMAKING", "/us/cfr/t6/pt3"),
        ("subpart", "A", "General", "/us/cfr/t6/pt3/sptA"),
        ("subject group", "", "Form of Petitions", "/us/cfr/t6/pt3/sptA/sg-form-of-petitions"),
        ("section", "3.3", "Applicability", "/us/cfr/t6/s3.3"),
        ("section", "3.5-3.8", "Reserved", "/us/cfr/t6/s3.5-3.8"),
        ("appendix", "A", "Appendix A to Part 3—Forms", "/us/cfr/t6/pt3/appA"),
    ]


def test_reserved_parts_and_sections_say_so():
    assert [NODES[f"/us/cfr/t6/{place}"].status for place in ("pt1-2", "s3.5-3.8", "s3.3")] == [
        "reserved",
        "reserved",
        "",
    ]


def test_designators_are_nested_also_behind_headings_but_not_in_forms():
    assert [each.locator.removeprefix("/us/cfr/t6/s3.3/") for each in RULE.anchors] == [
        "a", "b", "b/1", "b/2", "b/2/i", "b/2/i/A", "b/2/i/A/1", "c",
    ]  # fmt: skip
    assert {each.level for each in RULE.anchors} == {"paragraph"}


def test_notes_stand_apart_and_what_they_cite_is_known():
    part = NODES["/us/cfr/t6/pt3"]
    assert part.notes[0] == "Authority: 5 U.S.C. 301, 553(e); 6 U.S.C. 112."
    assert {"/us/usc/t5/s301", "/us/usc/t6/s112", "/us/fr/81/47286"} <= {ref.locator for ref in part.refs}
    assert RULE.notes == (
        "[81 FR 47286, July 21, 2016]", "² Calendar days.", "Editorial Note: At 88 FR 1, the word was misspelt.",
    )  # fmt: skip


def test_tables_powers_and_images_are_text():
    assert RULE.text.splitlines()[-3:] == ["Grade | Pay in $", "One | 100", "[Image: er31au05.000]"]
    assert "10² days" in RULE.text


def test_an_annual_part_names_what_is_above_it_and_is_whole_below():
    document = read(annual().encode())
    assert (document.identifier, document.edition, document.scope) == (
        "/us/cfr/t8", date(2016, 7, 1), ("/us/cfr/t8/pt274a",),
    )  # fmt: skip
    assert [(node.locator, node.given) for node in document.root.walk()] == [
        ("/us/cfr/t8", False),
        ("/us/cfr/t8/chI", False),
        ("/us/cfr/t8/chI/schB", False),
        ("/us/cfr/t8/pt274a", True),
        ("/us/cfr/t8/pt274a/sptB", True),
        ("/us/cfr/t8/s274a.12", True),
        ("/us/cfr/t8/s274a.90-274a.99", True),
        ("/us/cfr/t8/pt274a/appB", True),
    ]
    section = next(node for node in document.root.walk() if node.number == "274a.12")
    assert (section.heading, section.text) == ("Classes of aliens", "(a) Aliens. May work.")
    appendix = next(node for node in document.root.walk() if node.level == "appendix")
    assert appendix.text == "[Image: ER01JN98.006]\nGrade\nOne | $100"


PARTS = annual(s12="May work."), annual(part="280", s1="Fines.")


def bare(node: Node) -> Node:
    return replace(node, children=())


def test_a_volume_reads_as_the_files_of_its_parts():
    document = read(volume(*PARTS).encode())
    nodes = {node.locator: bare(node) for node in document.root.walk()}
    apart = [read(part.encode()) for part in PARTS]
    assert nodes == {node.locator: bare(node) for each in apart for node in each.root.walk()}
    assert document.scope == tuple(place for each in apart for place in each.scope)
    for said in ("title", "identifier", "edition", "publication", "language"):
        assert {getattr(document, said)} == {getattr(each, said) for each in apart}


def test_a_volume_without_law_is_refused():
    with pytest.raises(SourceRefused, match="no title"):
        read(re.sub(r"<(/?)TITLE>", r"<\1INDEX>", volume(*PARTS)).encode())


def test_of_a_part_that_volumes_divide_one_is_whole_in_its_sections_alone():
    for holds in ("Part 274a (§§ 274a.1 to 274a.50)", "Part 274a (Appendices)"):
        document = read(volume(PARTS[0], holds=holds).encode())
        assert document.scope == (
            "/us/cfr/t8/s274a.12", "/us/cfr/t8/s274a.90-274a.99", "/us/cfr/t8/pt274a/appB",
        )  # fmt: skip
        assert document.shares == (f"/us/cfr/t8/pt274a/{holds}",)


def test_a_part_that_the_note_of_an_appendix_quotes_is_none():
    quoted = "<PART><HD>PART 274a—NEW</HD><SECTION><SECTNO>§ 274a.12</SECTNO><P>New.</P></SECTION></PART>"
    note = f"<EFFDNOTP><HD>Effective Date Note:</HD><REVTXT>{quoted}</REVTXT></EFFDNOTP></APPENDIX>"
    document = read(volume(PARTS[0].replace("</APPENDIX>", note)).encode())
    assert [node.locator for node in document.root.walk()] == [
        node.locator for node in read(PARTS[0].encode()).root.walk()
    ]
    (appendix,) = (node for node in document.root.walk() if node.level == "appendix")
    assert appendix.notes == ("Effective Date Note: PART 274a—NEW\n§ 274a.12\nNew.",)


@pytest.mark.measuring_data
@pytest.mark.slow
def test_real_parts_read_alike_in_a_volume(measuring_data):
    with tarfile.open(measuring_data / "cfr/annual/title12-2012.tar.xz") as archive:
        names = [name for name in archive.getnames() if name.endswith(".xml")]
        parts = [archive.extractfile(name).read().decode() for name in names]
    nodes = {node.locator: bare(node) for node in read(volume(*parts).encode()).root.walk()}
    for part in parts:
        for node in read(part.encode()).root.walk():
            if node.level in ("part", "subpart", "section", "appendix"):
                there = node.locator.replace("/t12/", "/t8/")
                assert nodes[there].text == node.text and nodes[there].notes == node.notes


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<ECFR>", "not well-formed"),
        ("<ECFR/>", "no title"),
        ("<CFRGRANULE/>", "no part"),
        (
            "<CFRGRANULE><FDSYS><CFRTITLE>8</CFRTITLE></FDSYS><PART><HD>PART 1—X</HD></PART></CFRGRANULE>",
            "no sections",
        ),
        ("<CFRDOC><TITLE><PART><HD>PART 1—X</HD></PART></TITLE></CFRDOC>", "which title"),
        ('<ECFR><DIV1 N="6" TYPE="TITLE"><HEAD>Title 6—X</HEAD></DIV1></ECFR>', "no sections"),
        ('<!DOCTYPE ECFR [<!ENTITY x "y">]><ECFR>&x;</ECFR>', "entities"),
    ],
)
def test_what_is_no_regulation_is_refused(content, said):
    with pytest.raises(SourceRefused, match=said):
        read(content.encode())


def test_a_section_that_a_note_quotes_is_none():
    new = "<REVTXT><SECTION><P>(a) New words.</P></SECTION></REVTXT>"
    quoted = f"<EFFDNOTP><HD>Effective Date Note:</HD>{new}</EFFDNOTP>"
    document = read(annual(s12="Old words.").replace("</SECTION>", f"{quoted}</SECTION>", 1).encode())
    (section,) = (node for node in document.root.walk() if node.number == "274a.12")
    assert (section.text, section.notes[-1]) == (
        "(a) Aliens. Old words.",
        "Effective Date Note: (a) New words.",
    )


def test_regulations_are_known_by_their_root():
    roots = ("ECFR", "CFRGRANULE", "CFRDOC", "uscDoc")
    assert [is_regulation(root) for root in roots] == [True, True, True, False]


GLUED = {"E", "I", "B", "FR", "SU", "sup", "PRTPAGE"}  # these divide no word


def words_of(element: etree._Element):
    if element.tag in LEFT_OUT | {"FDSYS", "FMTR", "BMTR", "AMDDATE", "HEAD", "SECTNO"}:
        return
    yield (
        element.get("src", "").rpartition("/")[2].removesuffix(".gif")
        if element.tag == "img"
        else element.text or ""
    )
    for child in element:
        gap = "" if child.tag in GLUED else " "
        yield gap
        yield from words_of(child)
        yield gap + (child.tail or "")


def counted(text: str) -> Counter:
    return Counter(re.findall(r"\w+", unicodedata.normalize("NFKC", text)))


def lacking(content: bytes) -> Counter:
    """The words of a file that are not in what was read of it."""
    parser = etree.XMLParser(remove_comments=True, remove_pis=True)
    given = counted("".join(words_of(etree.fromstring(content, parser))))
    kept = Counter()
    for node in read(content).root.walk():
        for text in (node.number, node.heading, node.text, *node.notes):
            kept.update(counted(text))
    # These stand for a level or a status.
    for word in ("SUBCHAPTER", "PART", "Subpart", "RESERVED", "Reserved"):
        del given[word], kept[word]
    return given - kept


@pytest.mark.parametrize("content", [ECFR, annual(), volume(*PARTS)])
def test_every_word_is_stored(content):
    assert not lacking(content.encode())


TITLES = [1, 3, 4, *(pytest.param(title, marks=pytest.mark.full) for title in (2, 6, 11))]


@pytest.mark.measuring_data
@pytest.mark.slow
@pytest.mark.parametrize("title", TITLES)
def test_every_word_of_a_real_title_is_stored(measuring_data, title):
    assert not lacking((measuring_data / f"cfr/ecfr/title-{title}.xml").read_bytes())


def sections_apart(source: str) -> dict[str, list[str]]:
    """The words of each section, taken out of an annual edition without a parser."""
    for name in ("CONTENTS", "EFFDNOTP"):
        source = re.sub(rf"<{name}>.*?</{name}>", "", source, flags=re.S)
    found = {}
    for section in re.findall(r"<SECTION>(.*?)</SECTION>", source, re.S):
        number = re.search(r"<SECTNO>§+\s*(.*?)</SECTNO>", section, re.S)[1]
        for name in ("CITA", "SECAUTH", "EDNOTE", "APPRO", "SECTNO", "SUBJECT", "RESERVED"):
            section = re.sub(rf"<{name}\b.*?</{name}>", "", section, flags=re.S)
        plain = re.sub(r"<[^>]+>", " ", re.sub(r"</?(?:E|SU|FR|PRTPAGE)\b[^>]*>", "", section))
        found[re.sub(r"[^\w.]+", "-", number.strip())] = unescape(plain).split()
    return found


def changed(before: dict, after: dict) -> set[str]:
    return {number for number in before | after if before.get(number) != after.get(number)}


@pytest.mark.measuring_data
@pytest.mark.slow
@pytest.mark.parametrize(("every", "changes"), [(3, 250), pytest.param(1, 350, marks=pytest.mark.full)])
def test_every_change_of_twelve_editions_is_found_and_no_other(measuring_data, every, changes):
    """Of every third of them where the others are left to the tests marked `full`."""
    with tarfile.open(measuring_data / "cfr/annual/title37-part1-2003-2016.tar.xz") as archive:
        editions = [archive.extractfile(name).read() for name in sorted(archive.getnames())]
    assert len(editions) == 12
    editions = editions[::every]
    read_as = [
        {
            node.number: node.text.replace(" | ", " ").split()
            for node in read(edition).root.walk()
            if node.level == "section"
        }
        for edition in editions
    ]
    apart = [sections_apart(edition.decode()) for edition in editions]
    for (before, after), (then, now) in zip(pairwise(read_as), pairwise(apart), strict=True):
        assert changed(before, after) == changed(then, now)
    assert sum(len(changed(*pair)) for pair in pairwise(apart)) > changes
