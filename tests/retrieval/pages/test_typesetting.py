"""Text laid out for reading loses no letter and marks what it should."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.pages.typesetting import DEEPEST, Link, Place, linked, marked, paragraphs

TEXT = "(a) First.\n(1) Second cites (a).\n(2) Third."
PLACES = [Place(0, 43, "a"), Place(11, 32, "a-1"), Place(33, 43, "a-2")]
spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted), max_size=5)


def words(lines):
    return ["".join(run.text for run in line.runs) for line in lines]


def test_each_line_is_a_paragraph_as_deep_as_its_number():
    lines = paragraphs(TEXT, places=PLACES)

    assert words(lines) == TEXT.split("\n")
    assert [line.depth for line in lines] == [0, 1, 1]
    assert [line.runs[0].names for line in lines] == [("a",), ("a-1",), ("a-2",)]


def test_a_place_that_begins_with_a_line_break_is_named_at_its_words():
    assert paragraphs("one\n\ntwo", places=[Place(3, 8, "b")])[1].runs[0].names == ("b",)


def test_a_citation_becomes_a_link_and_the_passage_is_marked_through_it():
    runs = paragraphs(TEXT, links=[Link(28, 31, "/law/a")], passage=(15, 32), hits=[(15, 21)])[1].runs

    assert [(run.text, run.url, run.in_passage, run.is_hit) for run in runs] == [
        ("(1) ", "", False, False),
        ("Second", "", True, True),
        (" cites ", "", True, False),
        ("(a)", "/law/a", True, False),
        (".", "", True, False),
    ]
    assert [run.opens_passage for run in runs] == [False, True, False, False, False]


def test_indentation_ends_where_a_phone_has_no_more_room():
    assert paragraphs("x", places=[Place(0, 1, str(n)) for n in range(20)])[0].depth == DEEPEST


def test_a_note_links_the_citations_it_names():
    runs = linked("Changed by the Twelfth Amendment.", {"the Twelfth Amendment": "/law/XII", "absent": "/x"})

    assert [(run.text, run.url) for run in runs] == [
        ("Changed by ", ""),
        ("the Twelfth Amendment", "/law/XII"),
        (".", ""),
    ]


@given(st.text(max_size=60), spans, spans, spans)
def test_no_letter_is_lost_whatever_is_marked(text, links, places, marks):
    lines = paragraphs(
        text,
        links=[Link(start, end, "/x") for start, end in links],
        places=[Place(start, end, "p") for start, end in places],
        passage=tuple(marks[0]) if marks else None,
        hits=[tuple(mark) for mark in marks],
    )

    assert words(lines) == [line for line in text.split("\n") if line.strip()]


@given(st.text(max_size=60), spans)
def test_a_snippet_keeps_every_letter_whatever_its_marks(text, marks):
    assert "".join(piece for piece, _ in marked(text, marks)) == text
