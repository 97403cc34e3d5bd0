"""Judgments of a file in the database: the dry run, the job and what takes it back."""

import json
import time

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command

from evaluation.models import Judgment, Topic
from evaluation.topics import importing
from evaluation.topics.importing import Options, preview
from evaluation.topics.library import topics_of
from evaluation.topics.reading import BadFile, read
from retrieval import jobs
from retrieval.models import Domain, JobRun, Section

PREAMBLE, FIRST = "/us/const/preamble", "/us/const/amendment/I"


def refusals(text, fmt="auto"):
    return [(refused.line, refused.reason) for refused in read(text, fmt).refused]


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


def test_a_line_of_several_grades_is_refused_once_for_one_reason(topic):
    graded = {PREAMBLE: 1, FIRST: 2, "/us/const/amendment/II": 1}
    text = json.dumps({"id": "q1", "query": "something else", "relevant": graded})
    [refused] = preview(text, "auto", Options()).refused
    run = imported(text)
    assert run.message.endswith(f"1 lines refused (line 1: {refused.reason})")
    assert run.state["refusals"] == 1
    bad = json.dumps({"id": "q1", "relevant": dict.fromkeys(graded, 7) | {"/us/const/amendment/XCIX": 1}})
    run = imported(bad)
    assert run.state["refusals"] == preview(bad, "auto", Options()).counts["refusals"] == 1
    assert len(run.state["refused"]) == 2


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
    with pytest.raises(BadFile):
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


def test_ten_thousand_judgments_are_imported_within_thirty_seconds(db):
    locators = Section.objects.filter(domain__slug="us_constitution").values_list("locator", flat=True)[:100]
    rows = [f"bulk-{n},question number {n},{locator},{n % 4}" for n in range(100) for locator in locators]
    started = time.process_time()
    run = imported("topic,query,locator,grade\n" + "\n".join(rows))
    took = time.process_time() - started
    print(f"10,000 judgments imported in {took:.1f} s")
    assert run.state["new"] == 10_000 and run.state["refusals"] == 0
    assert took < 30
