"""What a node says of itself: its status, its own locator."""

from datetime import date

from retrieval.parsing.uslm.reader import read
from tests.retrieval.parsing.uslm.samples import SECTION, wrapped


def test_repealed_and_transferred_sections_stay_with_their_status(sections):
    repealed, moved = sections["/us/usc/t42/s2000f"], sections["/us/usc/t42/s2000g"]
    assert (repealed.status, moved.status, moved.number, moved.text) == (
        "repealed",
        "transferred",
        "2000g",
        "",
    )


def test_a_repeated_identifier_is_told_apart():
    twice = """<section identifier="/us/usc/t1/s9"><num>§ 9.</num>
        <subsection identifier="/us/usc/t1/s9/a"><num>(a)</num><content>Words.</content></subsection>
        </section>"""
    document = read(wrapped(twice * 2), leaf=SECTION)
    assert [node.locator for node in document.root.children] == ["/us/usc/t1/s9", "/us/usc/t1/s9~2"]
    assert document.root.children[1].anchors[0].locator == "/us/usc/t1/s9~2/a"
    assert {node.number for node in document.root.children} == {"9"}


def test_prohibition_ends_and_says_by_what(constitution):
    found = next(n for n in constitution.root.walk() if n.locator == "/us/const/amendment/XVIII/section/1")
    assert (found.valid_from, found.valid_to) == (date(1919, 1, 16), date(1933, 12, 5))
    assert found.status == "repealed"
    assert [(ref.locator, ref.start) for ref in found.refs] == [("/us/const/amendment/XXI/section/1", -1)]
