"""Files written are read elsewhere, and here as they were."""

import pytest
from django.core.management import call_command

from evaluation.models import Judgment, Topic
from evaluation.topics import writing
from evaluation.topics.importing import Options, preview
from evaluation.topics.library import DATA, judgment_rows, load
from evaluation.topics.reading import BadFile, read, read_run
from evaluation.topics.topic import Topic as Asked
from evaluation.topics.topic import read_topics
from retrieval.models import Domain

PREAMBLE, FIRST = "/us/const/preamble", "/us/const/amendment/I"


def graded(text, fmt="auto"):
    return [(entry.topic or entry.query, entry.locator, entry.grade) for entry in read(text, fmt).entries]


ASKED = [
    Asked("q1", "=cmd()", relevant={FIRST: 3}, irrelevant=frozenset({PREAMBLE}), kind="lay", tags=("a", "b")),
    Asked("q2", "nothing judged", answerable=False),
]


def test_topics_and_qrels_written_are_read_as_they_were():
    assert graded(writing.trec_qrels(ASKED)) == [("q1", FIRST, 3), ("q1", PREAMBLE, 0)]
    for text in (writing.topics_csv(ASKED), writing.topics_jsonl(ASKED)):
        first, second, third = read(text).entries
        assert (first.query, first.locator, first.grade) == ("=cmd()", FIRST, 3)
        assert (second.locator, second.grade) == (PREAMBLE, 0)
        assert first.about["tags"] == ["a", "b"] and first.about["topic_kind"] == "lay"
        assert (third.topic, third.about["answerable"]) == ("q2", False)


def test_a_table_of_no_topics_has_the_header_of_any_other():
    assert writing.topics_csv([]) == writing.topics_csv(ASKED).splitlines(keepends=True)[0]


def test_formulas_are_escaped_in_tables():
    assert ",'=cmd()," in writing.topics_csv(ASKED)


def test_a_topic_whose_id_has_spaces_does_not_break_trec_files():
    asked = Asked(id="v 4", query="q", relevant={FIRST: 2})
    assert graded(writing.trec_qrels([asked])) == [("v-4", FIRST, 2)]
    assert read_run(writing.trec_run({"v 4": [FIRST]}, tag="a run")) == {"v-4": [FIRST]}


def test_a_run_written_is_read_in_its_order():
    text = writing.trec_run({"q1": [FIRST, PREAMBLE], "q2": []}, tag="my run")
    assert text == f"q1 Q0 {FIRST} 1 2 my-run\nq1 Q0 {PREAMBLE} 2 1 my-run\n"
    assert read_run(text) == {"q1": [FIRST, PREAMBLE]}
    with pytest.raises(BadFile, match="Line 2"):
        read_run(text.splitlines()[0] + "\nbroken\n")


@pytest.fixture
def topic(db):
    domain = Domain.objects.get(slug="us_constitution")
    row = Topic.objects.create(name="q1", domain=domain, query="Free speech?", split="test")
    Judgment.objects.create(topic=row, locator=FIRST, grade=3, judge="ann")
    return row


def test_what_is_exported_comes_back_the_same(topic, tmp_path, capsys):
    Judgment.objects.create(topic=topic, locator=PREAMBLE, grade=0, judge="m1", kind="llm", explanation="-x")
    for fmt in ("csv", "jsonl"):
        path = tmp_path / f"judgments.{fmt}"
        call_command(
            "export_judgments", "judgments", format=fmt, output=path, split="test", kind=["human", "llm"]
        )
        plan = preview(path.read_text(), "auto", Options())
        assert (plan.new, plan.changed, plan.refused) == ([], [], [])
        assert plan.same == len(judgment_rows(split="test", kinds=["human", "llm"]))


def test_shipped_topics_exported_are_the_shipped_files(db, tmp_path):
    load()
    call_command("export_judgments", "topics", domain="us_constitution", output=tmp_path / "topics.jsonl")

    def by_id(*paths):
        return sorted((topic for path in paths for topic in read_topics(path)), key=lambda topic: topic.id)

    assert by_id(tmp_path / "topics.jsonl") == by_id(*DATA.glob("us_constitution*.jsonl"))
