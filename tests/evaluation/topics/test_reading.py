"""Files of judgments are read tolerantly, told apart line by line, and taken in as a job that can be taken back."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.models import Judgment, Topic
from evaluation.topics import reading
from evaluation.topics.reading import BadFile, LineRefused, grade_of, read
from retrieval.models import Domain

PREAMBLE, FIRST = "/us/const/preamble", "/us/const/amendment/I"


def graded(text, fmt="auto"):
    return [(entry.topic or entry.query, entry.locator, entry.grade) for entry in read(text, fmt).entries]


def refusals(text, fmt="auto"):
    return [(refused.line, refused.reason) for refused in read(text, fmt).refused]


# -- Reading


@pytest.mark.parametrize(
    "text",
    [
        f"topic,locator,grade\nq1,{PREAMBLE},2\n",
        f"\ufefftopic,locator,grade\r\n\r\nq1,{PREAMBLE},2\r\n",
        "Query ID;Doc_ID;Rating\nq1;us/const/preamble/;good\n",
        f"query-id\tcorpus-id\tscore\nq1\t{PREAMBLE}\t2\n",
        f"qid|docno|rel\nq1|{PREAMBLE}|2.0\n",
        f"q1 0 {PREAMBLE} 2\n",
        f"\n  q1\tQ0\t{PREAMBLE}  2\n\n",
        json.dumps({"id": "q1", "query": "q", "relevant": {PREAMBLE: 2}}),
        json.dumps({"query": "q1", "locator": PREAMBLE, "grade": 2, "relevant": True}),
        json.dumps([{"topic": "q1", "locator": PREAMBLE, "grade": "Relevant"}]),
        json.dumps({"query_id": "q1", "doc_id": PREAMBLE, "relevance": 2}) + "\n\n",
    ],
)
def test_one_judgment_is_read_however_it_is_written(text):
    assert graded(text) == [("q1", PREAMBLE, 2)]
    assert refusals(text) == []


@pytest.mark.parametrize(
    "given, grade",
    [
        ("3", 3),
        (0, 0),
        ("2.0", 2),
        ("Highly relevant", 3),
        ("NOT-relevant", 0),
        ("partially_relevant", 1),
        ("relevante", 2),
    ],
)
def test_grades_are_numbers_or_words(given, grade):
    assert grade_of(given) == grade


@pytest.mark.parametrize("given", ["", None, "?", "-1", "4", "1.5", "nan", "very"])
def test_what_is_no_grade_is_never_taken_for_zero(given):
    with pytest.raises(LineRefused):
        grade_of(given)


def test_bad_lines_are_told_with_number_and_reason_and_the_rest_is_taken():
    rows = [
        f"q1,{PREAMBLE},2",
        f"q2,{PREAMBLE},",
        f",{PREAMBLE},1",
        "q3,,1",
        f"q4,{PREAMBLE},1,2,3",
        f"q5,{FIRST},0",
    ]
    text = "\n".join(["topic,locator,grade", *rows])
    assert graded(text) == [("q1", PREAMBLE, 2), ("q5", FIRST, 0)]
    assert refusals(text) == [
        (3, "no grade: what is unjudged stays so"),
        (4, "neither a topic nor a query"),
        (5, "a grade without a locator"),
        (6, "5 cells under 3 columns"),
    ]


def test_lines_are_counted_through_cells_of_several_lines():
    text = f'topic,locator,grade,note\nq1,{PREAMBLE},2,"two\nlines"\nq2,{PREAMBLE},nine,x\n'
    assert refusals(text) == [(4, "“nine” is no grade")]


@pytest.mark.parametrize(
    "text, line",
    [
        ('{"id": "q1", "query": "q"}\n{broken\n', 2),
        ('{"id": "q1", "query": "q"}\n\n[1]\n', 3),
        (f"q1 0 {FIRST} 1\nq2 0 {FIRST}\n", 2),
    ],
)
def test_broken_lines_of_other_formats_are_told_too(text, line):
    assert [refused for refused, _ in refusals(text)] == [line]


def test_the_same_line_twice_is_one_judgment_and_a_contradiction_is_refused():
    text = f"q1 0 {FIRST} 1\nq1 0 {FIRST} 1\nq1 0 {FIRST} 3\n"
    assert graded(text) == [("q1", FIRST, 1)]
    assert read(text).repeated == 1
    assert refusals(text) == [(3, "line 1 gives this pair grade 1")]


def test_a_quepid_book_has_a_column_for_each_judge():
    text = f"query,docid,Ann,Bob\nfree speech,{FIRST},3,2\nfree speech,{PREAMBLE},,0\nunrated,{FIRST},,\n"
    given = [(e.query, e.locator, e.judge, e.grade) for e in read(text, "quepid").entries]
    assert given == [
        ("free speech", FIRST, "Ann", 3), ("free speech", FIRST, "Bob", 2), ("free speech", PREAMBLE, "Bob", 0),
        ("unrated", "", "", None),
    ]  # fmt: skip


def test_a_quepid_case_names_queries_and_a_query_without_ratings_stays_without():
    assert graded(f"query,docid,rating\nfree speech,{FIRST},3\nunrated\n") == [
        ("free speech", FIRST, 3), ("unrated", "", None),
    ]  # fmt: skip


TREC_TOPICS = """<top>
<num> Number: 301
<title> double
jeopardy
<desc> Description:
May one be tried twice?
<narr> Narrative: It must say whether.
</top>

<topic number="302"><query>free speech</query></topic>
<top><num>303</num></top>
"""


def test_trec_topics_are_read_in_their_old_and_newer_markup():
    told = read(TREC_TOPICS)
    assert [(each.topic, each.query) for each in told.entries] == [
        ("301", "double jeopardy"),
        ("302", "free speech"),
    ]
    assert told.entries[0].about["narrative"] == "May one be tried twice? It must say whether."
    assert [(each.line, each.reason) for each in told.refused] == [(11, "a topic without a title")]


@pytest.mark.parametrize("text", ["t1\tfree speech\n", "topic,query,colour\nt1,free speech,red\n"])
def test_topics_alone_are_a_table_or_a_line_each(text):
    assert graded(text) == [("t1", "", None)] or graded(text) == [("free speech", "", None)]
    assert [(each.topic, each.query) for each in read(text).entries] == [("t1", "free speech")]


def test_a_run_is_refused_for_what_it_is():
    with pytest.raises(BadFile, match="ranks, and judges nothing"):
        read(f"q1 Q0 {FIRST} 1 2.5 ours\n")


def test_a_quote_that_is_not_closed_is_refused_and_swallows_no_lines():
    with pytest.raises(BadFile, match="From line 3 on this is no table .*: is a quote not closed?"):
        read(f'topic,query,locator,grade\nq1,a,{FIRST},1\nq2,"b,{FIRST},2\nq3,c,{FIRST},3\n')
    assert graded('q1\t"may" they\n') == [("q1", "", None)]


@pytest.mark.parametrize("text", ["", "  \n", "what is this", "colour,size\nred,3\n"])
def test_files_of_no_known_format_are_refused_whole(text):
    with pytest.raises(BadFile):
        read(text)


@given(st.text(max_size=200), st.sampled_from(reading.FORMATS))
def test_no_text_breaks_the_reader(text, fmt):
    with suppress(BadFile):
        read(text, fmt)


# -- Writing


# -- Into the database


@pytest.fixture
def topic(db):
    domain = Domain.objects.get(slug="us_constitution")
    row = Topic.objects.create(name="q1", domain=domain, query="Free speech?", split="test")
    Judgment.objects.create(topic=row, locator=FIRST, grade=3, judge="ann")
    return row
