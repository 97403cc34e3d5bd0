"""The USCIS Policy Manual read from its pages, which we wrote after the published form."""

from datetime import date
from pathlib import Path

import pytest

from retrieval.citations.citation import cite
from retrieval.errors import SourceRefused
from retrieval.models import Domain
from retrieval.parsing.policy_manual import grouped, place_of, read
from retrieval.parsing.sources import Place, read_next
from retrieval.parsing.tree import Node
from tests.publishers import PAGES

FILES = {path.name: path.read_bytes() for path in sorted(PAGES.glob("*.html"))}
MANUAL = Domain(slug="uscis_policy", citation_style="uscis", locator_prefix="/us/uscis-pm")


@pytest.fixture(scope="module")
def volume():
    ((*names,),) = grouped(FILES.items())
    return read([FILES[name] for name in names])


@pytest.fixture(scope="module")
def nodes(volume) -> dict[str, Node]:
    return {node.locator.removeprefix("/us/uscis-pm/v7"): node for node in volume.root.walk()}


def test_a_volume_has_its_parts_chapters_and_headed_sections_in_their_order(nodes):
    assert list(nodes) == [
        "", "/pA", "/pA/ch1", "/pA/ch1/A", "/pA/ch1/B", "/pA/ch1/B/1", "/pA/ch1/B/1/a", "/pA/ch1/B/2", "/pA/ch1/C",
        "/pA/ch2", "/pA/ch2/A", "/pA/ch2/B", "/pB", "/pB/ch1", "/pB/ch1/A", "/pB/ch1/B", "/pB/ch2", "/pB/ch2/A",
        "/pB/ch2/A/1", "/pB/ch2/A/2", "/pB/ch2/B", "/pB/ch2/officers-abroad",
    ]  # fmt: skip
    named = ("", "/pA", "/pA/ch1", "/pA/ch1/B/1", "/pB/ch2/officers-abroad")
    assert [(nodes[each].level, nodes[each].number, nodes[each].heading) for each in named] == [
        ("volume", "7", "Adjustment of Status"),
        ("part", "A", "Adjustment of Status Policies and Procedures"),
        ("chapter", "1", "Purpose and Background"),
        ("section", "1", "Changes by Statute"),
        ("section", "", "Officers Abroad"),
    ]


def test_places_are_cited_as_the_manual_asks(nodes):
    assert cite(nodes["/pA/ch1/B/1/a"].locator) == "7 USCIS-PM A.1(B)(1)(a)"
    assert cite(nodes["/pA"].locator) == "7 USCIS-PM A"


def test_footnotes_stand_beside_the_section_that_refers_to_them(nodes):
    section = nodes["/pA/ch1/A"]
    assert section.text.startswith("Congress created") and "[1]" not in section.text
    assert section.notes == (
        "1 See INA 245(a). See 8 CFR 245.1.",
        "2 See Part B, 245(a) Adjustment [7 USCIS-PM B].\nThis note has a second paragraph.",
    )
    assert {ref.locator for ref in section.refs} == {
        "/us/usc/t8/s1255/a",
        "/us/cfr/t8/s245.1",
        "/us/uscis-pm/v7/pB",
    }
    assert nodes["/pA/ch2/B"].heading == "Applicants Who May Ask for a Waiver"
    assert nodes["/pA/ch2/B"].notes == ("2 See INA 212.",)


def test_rows_of_tables_and_items_of_lists_are_lines(nodes):
    assert nodes["/pA/ch1/B/1"].text.split("\n")[1:] == [
        "Statute | What it changed",
        "Act of August 25, 1958 | Allowed adjustment of those who had been admitted in good faith",
        "Immigration Act of 1990 | Changed the numbers of visas",
    ]
    assert nodes["/pA/ch2/A"].text.startswith("1. The applicant was inspected")


def test_lists_of_links_and_what_stands_beside_are_left_out(nodes):
    assert nodes[""].text == nodes["/pB"].text == ""
    assert nodes["/pA"].text == "This part tells how officers decide applications to adjust status."
    assert not any("I-485" in node.text for node in nodes.values())


def test_what_is_reserved_says_so(nodes):
    assert {place for place, node in nodes.items() if node.status == "reserved"} == {
        "/pA/ch1/B/2",
        "/pB/ch2/B",
    }


def test_the_edition_is_the_latest_day_and_a_chapter_may_begin_on_its_own(volume, nodes):
    assert (volume.edition, volume.publication) == (date(2025, 1, 20), "Current as of January 20, 2025")
    dated = {place for place, node in nodes.items() if node.valid_from}
    assert dated == {"/pA/ch2", "/pA/ch2/A", "/pA/ch2/B"}
    assert nodes["/pA/ch2"].valid_from == date(2025, 2, 1)
    assert nodes["/pA/ch2"].text.startswith("An applicant must")


def test_every_word_of_a_page_is_kept():
    source = read([FILES["volume-7-part-a-chapter-1.html"]])
    kept = " ".join(f"{node.heading} {node.text} {' '.join(node.notes)}" for node in source.root.walk())
    for words in (
        "consulate",
        "Pre-Registration",
        "245 – Adjustment",
        "good faith",
        "72 Stat. 699",
        "set by statute",
    ):
        assert words in kept


def test_a_page_alone_leaves_the_rest_of_its_volume():
    assert grouped((name, FILES[name]) for name in ("volume-7.html", "volume-7-part-a-chapter-2.html")) == [
        ("volume-7.html",), ("volume-7-part-a-chapter-2.html",),
    ]  # fmt: skip
    source = read([FILES["volume-7-part-a-chapter-2.html"]])
    assert source.scope == ("/us/uscis-pm/v7/pA/ch2",)
    assert [(node.locator, node.given, node.heading) for node in source.root.walk()][:2] == [
        ("/us/uscis-pm/v7", False, "Adjustment of Status"),
        ("/us/uscis-pm/v7/pA", False, "Adjustment of Status Policies and Procedures"),
    ]


def test_a_folder_of_saved_pages_is_a_source(tmp_path):
    for name, content in FILES.items():
        Path(tmp_path / f"saved {name}").write_bytes(content)
    found = read_next(tmp_path, MANUAL, Place())
    assert found.following is None and len(found.pages) == 7
    assert found.document.identifier == "/us/uscis-pm/v7"


def test_what_is_no_page_of_the_manual_is_refused(tmp_path):
    assert place_of(b'<link rel="canonical" href="https://www.uscis.gov/green-card">') == ()
    with pytest.raises(SourceRefused, match="no page of the USCIS Policy Manual"):
        read([b"<html><h1>Green card</h1></html>"])
    (tmp_path / "page.html").write_text("<html><h1>Green card</h1></html>")
    with pytest.raises(SourceRefused, match="holds no file that"):
        read_next(tmp_path, MANUAL, Place())


def test_a_day_that_is_none_is_refused():
    page = FILES["volume-7-part-a-chapter-2.html"].replace(b"February 1, 2025", b"February 31, 2025")
    with pytest.raises(SourceRefused, match="“February 31, 2025” is not a date"):
        read([page])
