"""Files of judgments are read tolerantly, told apart line by line, and taken in as a job that can be taken back."""

import json
import time
from contextlib import suppress

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from evaluation import exchange, importing
from evaluation.exchange import BadFile, grade_of, read, read_run
from evaluation.importing import BadImport, Options, preview
from evaluation.library import judgment_rows, load, topics_of
from evaluation.models import Judgment, Topic
from evaluation.topics import Topic as Asked
from evaluation.topics import read_topics
from retrieval import jobs
from retrieval.models import Domain, JobRun, Section
from tests.conftest import ROOT

TOPICS = ROOT / "evaluation/topics/us_constitution.jsonl"
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
    with pytest.raises(ValueError):
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


def test_a_run_and_a_spreadsheet_are_refused_for_what_they_are():
    with pytest.raises(BadFile, match="ranks, and judges nothing"):
        read(f"q1 Q0 {FIRST} 1 2.5 ours\n")
    with pytest.raises(BadFile, match="Save a spreadsheet as CSV"):
        exchange.decoded(b"PK\x03\x04\x00\x00sheet")


@pytest.mark.parametrize("text", ["", "  \n", "what is this", "colour,size\nred,3\n"])
def test_files_of_no_known_format_are_refused_whole(text):
    with pytest.raises(BadFile):
        read(text)


def test_any_encoding_of_a_spreadsheet_is_read():
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        assert exchange.decoded("¿cuál?".encode(encoding)) == "¿cuál?"


@given(st.text(max_size=200), st.sampled_from(exchange.FORMATS))
def test_no_text_breaks_the_reader(text, fmt):
    with suppress(BadFile):
        read(text, fmt)


# -- Writing


ASKED = [
    Asked("q1", "=cmd()", relevant={FIRST: 3}, irrelevant=frozenset({PREAMBLE}), kind="lay", tags=("a", "b")),
    Asked("q2", "nothing judged", answerable=False),
]


def test_topics_and_qrels_written_are_read_as_they_were():
    assert graded(exchange.trec_qrels(ASKED)) == [("q1", FIRST, 3), ("q1", PREAMBLE, 0)]
    for text in (exchange.topics_csv(ASKED), exchange.topics_jsonl(ASKED)):
        first, second, third = read(text).entries
        assert (first.query, first.locator, first.grade) == ("=cmd()", FIRST, 3)
        assert (second.locator, second.grade) == (PREAMBLE, 0)
        assert first.about["tags"] == ["a", "b"] and first.about["topic_kind"] == "lay"
        assert (third.topic, third.about["answerable"]) == ("q2", False)


def test_formulas_are_escaped_in_tables():
    assert ",'=cmd()," in exchange.topics_csv(ASKED)


def test_a_topic_whose_id_has_spaces_does_not_break_trec_files():
    asked = Asked(id="v 4", query="q", relevant={FIRST: 2})
    assert graded(exchange.trec_qrels([asked])) == [("v-4", FIRST, 2)]
    assert read_run(exchange.trec_run({"v 4": [FIRST]}, tag="a run")) == {"v-4": [FIRST]}


def test_a_run_written_is_read_in_its_order():
    text = exchange.trec_run({"q1": [FIRST, PREAMBLE], "q2": []}, tag="my run")
    assert text == f"q1 Q0 {FIRST} 1 2 my-run\nq1 Q0 {PREAMBLE} 2 1 my-run\n"
    assert read_run(text) == {"q1": [FIRST, PREAMBLE]}
    with pytest.raises(BadFile, match="Line 2"):
        read_run(text.splitlines()[0] + "\nbroken\n")


# -- Into the database


@pytest.fixture
def topic(db):
    domain = Domain.objects.get(slug="us_constitution")
    row = Topic.objects.create(name="q1", domain=domain, query="Free speech?", split="test")
    Judgment.objects.create(topic=row, locator=FIRST, grade=3, judge="ann")
    return row


def imported(text, **options):
    run = importing.create(text, "auto", Options(**{"judge": "ann"} | options))
    return list(jobs.run_here(run))[-1]


MIXED = f"""topic,query,locator,grade
q1,,{FIRST},2
q1,,{PREAMBLE},0
q2,who may vote,{FIRST},1
q3,,{FIRST},1
q1,another question,{FIRST},1
q1,,/us/const/amendment/XCIX,1
q1,,/us/usc/t8/s1158,1
"""


def test_a_dry_run_tells_what_would_change_and_changes_nothing(topic):
    plan = preview(MIXED, "auto", Options(judge="ann"))
    assert [(change.before, change.after) for change in plan.changed] == [(3, 2)]
    assert [row.locator for row in plan.new] == [PREAMBLE, FIRST]
    assert [row.name for row in plan.topics] == ["q2"]
    assert [(refused.line, refused.reason.split(",")[0]) for refused in plan.refused] == [
        (5, "there is no topic q3"),
        (6, "line 2 gives this pair grade 2"),
        (7, "there is no provision /us/const/amendment/XCIX"),
        (8, "/us/usc/t8/s1158 is not in us_constitution"),
    ]
    assert (Topic.objects.filter(name="q2").count(), topic.judgments.get().grade) == (0, 3)


def test_an_import_does_what_its_dry_run_told(topic):
    plan = preview(MIXED, "auto", Options(judge="ann"))
    run = imported(MIXED)
    assert run.message.startswith(str(plan)[: str(plan).index(" lines")])
    assert dict(topic.judgments.values_list("locator", "grade")) == {FIRST: 2, PREAMBLE: 0}
    assert Topic.objects.get(name="q2").split == "train"
    assert "text" not in run.state and len(run.state["refused"]) == 4


def test_importing_again_changes_nothing(topic):
    imported(MIXED)
    assert imported(MIXED).message.startswith("0 new judgments, 0 changed, 3 the same; 0 new topics")


def test_another_judges_grade_stands_beside_the_first(topic):
    imported(f"q1 0 {FIRST} 1\n", judge="bob")
    assert sorted(topic.judgments.values_list("judge", "grade")) == [("ann", 3), ("bob", 1)]
    assert next(t for t in topics_of(split="test") if t.id == "q1").relevant == {FIRST: 1}


def test_a_topic_keeps_its_query_and_split(topic):
    text = json.dumps({"id": "q1", "query": "something else", "split": "train", "relevant": {FIRST: 3}})
    assert "asks something else" in preview(text, "auto", Options()).refused[0].reason
    imported(json.dumps({"id": "q1", "query": "free  speech?", "split": "train", "relevant": {PREAMBLE: 1}}))
    topic.refresh_from_db()
    assert (topic.query, topic.split) == ("Free speech?", "test")


def test_queries_without_ids_find_their_topic_or_make_it_once(topic):
    run = imported(
        f"query,docid,rating\nFREE speech?,{PREAMBLE},1\nnew one,{FIRST},2\nNew  one,{PREAMBLE},1\n"
    )
    assert run.message.startswith("3 new judgments, 0 changed, 0 the same; 1 new topics")
    assert Topic.objects.get(query="new one").judgments.count() == 2


CROSSING = f"""topic,query,split,group,locator,grade
n1,May speech be free?,train,,{FIRST},3
n2,Who may vote in elections?,test,,{FIRST},3
n3,"who, then, may vote in elections",train,,{FIRST},3
n4,Is a caucus private?,train,g9,{FIRST},1
n5,Are treaties law?,test,,{FIRST},1
n6,Are treaties the law?,tune,,{FIRST},1
"""


def test_no_topic_is_imported_on_both_sides_of_the_test_split(topic):
    """A retrain would refuse them for ever."""
    others = {"domain": topic.domain, "source": "import"}
    Topic.objects.create(name="q2", query="who may vote in elections", split="train", **others)
    Topic.objects.create(name="q3", query="Must all meetings be open?", split="test", group="g9", **others)
    plan = preview(CROSSING, "auto", Options())
    assert [(refused.line, refused.reason.split("”")[0]) for refused in plan.refused] == [
        (2, "the test topic “Free speech?"),
        (3, "“who may vote in elections"),
        (5, "the test topic “Must all meetings be open?"),
        (7, "the test topic “Are treaties law?"),
    ]
    assert [row.name for row in plan.topics] == ["n3", "n5"] and len(plan.new) == 2


def test_topics_of_private_domains_are_never_learned_and_conflict_with_none(topic):
    private = Domain.objects.get(slug="client_cases")
    Topic.objects.create(name="p1", query="Who stole the horse?", domain=private, split="test")
    lines = "topic,query,domain\nn1,Free speech?,client_cases\nn2,who stole the horse,\n"
    assert [row.name for row in preview(lines, "auto", Options()).topics] == ["n1", "n2"]


def test_a_cancelled_import_takes_back_what_it_did(topic, monkeypatch):
    monkeypatch.setattr(importing, "STEP", 2)
    run = importing.create(MIXED, "auto", Options(judge="ann"))
    run = jobs.take_step(run.pk, run.ticket)
    assert topic.judgments.get(locator=FIRST).grade == 2
    JobRun.objects.filter(pk=run.pk).update(cancel_requested=True)
    run = jobs.take_step(run.pk, run.ticket)
    assert run.status == JobRun.Status.CANCELLED
    assert list(topic.judgments.values_list("locator", "grade")) == [(FIRST, 3)]
    assert not Topic.objects.filter(name="q2").exists()
    assert list(Judgment.history.filter(topic=topic).values_list("grade", flat=True)) == [3]


def test_an_import_leaves_in_history_who_changed_what(topic):
    chief = get_user_model().objects.create_user("chief")
    run = importing.create(MIXED, "auto", Options(judge="ann"), by=chief, name="mixed.csv")
    list(jobs.run_here(run))
    lines = topic.judgments.get(locator=FIRST).history.order_by("history_id")
    assert list(lines.values_list("grade", "history_user__username")) == [(3, None), (2, "chief")]
    assert lines.last().history_change_reason == f"import {run.pk}: mixed.csv"


def test_an_import_does_not_change_what_an_adjudication_settled(topic):
    topic.judgments.update(adjudicates=True)
    plan = preview(f"q1 0 {FIRST} 1\n", "auto", Options(judge="ann"))
    assert plan.changed == [] and "settled this pair" in plan.refused[0].reason


def test_a_private_domain_is_answered_like_none_to_who_may_not_see_it(db):
    domain = Domain.objects.get(slug="client_cases")
    text = json.dumps(
        {
            "topic": "p",
            "query": "x",
            "domain": "client_cases",
            "locator": f"{domain.locator_prefix}/a",
            "grade": 1,
        }
    )
    reader = get_user_model().objects.create_user("reader", is_staff=True)
    assert preview(text, "auto", Options(), by=reader).refused[0].reason == "there is no domain client_cases"


def test_the_same_question_may_be_imported_for_two_domains(db):
    """It would tell, too, that a domain has it which the importer may not see."""
    private = Domain.objects.get(slug="client_cases")
    imported(json.dumps({"query": "Did Doe confess?"}), domain=private.slug)
    run = imported(json.dumps({"query": "Did Doe confess?"}))
    assert (run.status, run.state["topics"]) == (JobRun.Status.DONE, 1)
    assert Topic.objects.filter(query="Did Doe confess?").count() == 2


def test_unreadable_files_are_refused_before_a_job_is_made(db, tmp_path):
    with pytest.raises(BadImport):
        importing.create("what is this", "auto", Options())
    (tmp_path / "bad.txt").write_text("what is this")
    with pytest.raises(CommandError, match="neither"):
        call_command("import_judgments", str(tmp_path / "bad.txt"))
    assert not JobRun.objects.filter(kind="import_judgments").exists()


def test_the_command_tells_the_dry_run_and_then_the_end(topic, tmp_path, capsys):
    path = tmp_path / "mixed.csv"
    path.write_bytes(b"\xef\xbb\xbf" + MIXED.encode())
    call_command("import_judgments", str(path), judge="ann", dry_run=True)
    told = capsys.readouterr().out
    assert f"q1 {FIRST} by ann: 3 -> 2" in told and "line 5 refused" in told
    call_command("import_judgments", str(path), judge="ann")
    assert "2 new judgments, 1 changed" in capsys.readouterr().out


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


def test_shipped_topics_exported_are_the_shipped_file(db, tmp_path):
    load()
    call_command("export_judgments", "topics", domain="us_constitution", output=tmp_path / "topics.jsonl")

    def by_id(path):
        return sorted(read_topics(path), key=lambda topic: topic.id)

    assert by_id(tmp_path / "topics.jsonl") == by_id(TOPICS)


def test_ten_thousand_judgments_are_imported_within_thirty_seconds(db):
    locators = Section.objects.filter(domain__slug="us_constitution").values_list("locator", flat=True)[:100]
    rows = [f"bulk-{n},question number {n},{locator},{n % 4}" for n in range(100) for locator in locators]
    started = time.perf_counter()
    run = imported("topic,query,locator,grade\n" + "\n".join(rows))
    took = time.perf_counter() - started
    print(f"10,000 judgments imported in {took:.1f} s")
    assert run.state["new"] == 10_000 and run.state["refusals"] == 0
    assert took < 30
