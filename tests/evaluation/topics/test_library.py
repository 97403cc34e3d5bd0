"""Shipped topics become rows once and stay as staff left them; grades are agreed, and unjudged is never zero."""

import json
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command

from evaluation.models import Judgment, Topic
from evaluation.topics import library
from evaluation.topics.library import (
    DATA,
    SplitChanged,
    agreed,
    grades_by_judge,
    load,
    load_arrived,
    rows_of,
    topics_of,
)
from evaluation.topics.topic import read_topics
from retrieval.models import Domain
from tests.builders import a_document, a_section

FILES = sorted(DATA.glob("us_constitution*.jsonl"))
TOPICS = DATA / "us_constitution.jsonl"
FALSE_ALARM = "/us/usc/t14/s88"  # controls one shipped topic, alone
pytestmark = pytest.mark.django_db


@pytest.fixture
def topic():
    domain = Domain.objects.get(slug="us_constitution")
    return Topic.objects.create(name="t", domain=domain, query="who commands the army", split="train")


def judge(topic, grade, by, *, locator="/us/const/preamble", kind="human"):
    return Judgment.objects.create(topic=topic, locator=locator, grade=grade, judge=by, kind=kind)


def of(name, **asked):
    return next(topic for topic in topics_of("us_constitution", **asked) if topic.id == name)


def test_what_ships_is_read_back_as_it_was_written():
    load()
    for split in ("train", "tune", "test"):
        read = [topic for path in FILES for topic in read_topics(path, split=split)]
        shipped = [replace(topic, source="shipped") for topic in read]
        assert topics_of("us_constitution", split) == sorted(shipped, key=lambda topic: topic.id)


def test_loading_again_adds_nothing():
    load()
    assert load() == {"topics": 0, "judgments": 0}


def test_load_defaults_loads_topics(capsys):
    call_command("load_defaults")
    assert "topics" in capsys.readouterr().out
    lines = sum(len(path.read_text().splitlines()) for path in FILES)
    assert Topic.objects.filter(source="shipped").count() == lines > 2400


def test_what_staff_changed_stays_and_what_is_missing_comes_back():
    load()
    Topic.objects.filter(name="const-en-0001").update(query="what we the people ordained")
    Judgment.objects.filter(topic__name="const-en-0001").update(grade=1)
    Judgment.objects.filter(topic__name="const-en-0002").delete()
    assert load() == {"topics": 0, "judgments": 1}
    changed = of("const-en-0001")
    assert (changed.query, changed.relevant) == ("what we the people ordained", {"/us/const/preamble": 1})


def test_a_changed_test_topic_is_refused(tmp_path):
    lines = TOPICS.read_text().splitlines()
    number = next(n for n, line in enumerate(lines) if json.loads(line)["split"] == "test")
    row = json.loads(lines[number])
    lines[number] = json.dumps(row | {"query": row["query"] + "?"})
    (tmp_path / "us_constitution.jsonl").write_text("\n".join(lines))
    (tmp_path / "us_constitution.test.sha256").write_text(TOPICS.with_suffix(".test.sha256").read_text())
    with pytest.raises(SplitChanged):
        rows_of(tmp_path / "us_constitution.jsonl")


def test_topics_of_other_law_wait_for_all_that_controls_them():
    load()
    assert load_arrived() == {"topics": 0, "judgments": 0}
    a_section(a_document(Domain.objects.get(slug="us_code")), locator=FALSE_ALARM)
    assert load_arrived() == {"topics": 1, "judgments": 1}
    assert [topic.query for topic in topics_of("us_code")] == [
        "My son called the Coast Guard for help as a joke. Is it a crime?"
    ]
    assert load_arrived() == {"topics": 0, "judgments": 0}


def test_what_another_body_answers_is_asked_until_that_is_loaded():
    load()
    before = {topic.id for topic in topics_of("us_constitution")}
    a_section(a_document(Domain.objects.get(slug="us_code")), locator=FALSE_ALARM)
    answered = Topic.objects.filter(answered_by__contains=["us_code"]).values_list("name", flat=True)
    assert before - {topic.id for topic in topics_of("us_constitution")} == set(answered) != set()


@pytest.mark.parametrize(
    "grades, grade", [([2], 2), ([3, 3, 0], 3), ([3, 2], 2), ([0, 3], 0), ([0, 1, 3], 1), ([3, 3, 2, 2], 2)]
)
def test_judges_agree_on_the_median_and_ties_go_lower(grades, grade):
    assert agreed(grades) == grade


def test_models_and_clicks_count_only_where_asked(topic):
    judge(topic, 1, "ann")
    judge(topic, 3, "model", kind="llm")
    judge(topic, 3, "reader", kind="click")
    assert of("t").relevant == {"/us/const/preamble": 1}
    assert of("t", kinds=["llm"]).relevant == {"/us/const/preamble": 3}
    assert of("t", kinds=["human", "llm", "click"]).relevant == {"/us/const/preamble": 3}


def test_judged_zero_is_kept_apart_from_relevant_and_from_unjudged(topic):
    judge(topic, 0, "ann")
    judge(topic, 2, "ann", locator="/us/const/amendment/I")
    assert of("t").irrelevant == {"/us/const/preamble"}
    assert of("t").judged == {"/us/const/preamble": 0, "/us/const/amendment/I": 2}


def test_who_gave_what_is_told_by_judge_and_kind(topic):
    judge(topic, 3, "ann")
    judge(topic, 1, "bob")
    judge(topic, 2, "ann", kind="llm")
    given = grades_by_judge("us_constitution", "train", kinds=["human", "llm"])
    assert given["t", "/us/const/preamble"] == {"ann": 3, "bob": 1, "ann (llm)": 2}


def test_grades_are_read_in_three_queries(topic, django_assert_num_queries):
    judge(topic, 3, "ann")
    with django_assert_num_queries(3):  # topics, grades, and who said that nothing answers
        library.topics_of("us_constitution", "train")


def test_the_agreement_of_judges_is_told(topic, capsys):
    for locator, mine, theirs in (("/us/const/preamble", 3, 3), ("/us/const/amendment/I", 0, 2)):
        judge(topic, mine, "ann", locator=locator)
        judge(topic, theirs, "bob", locator=locator)
    call_command("agreement", "us_constitution", split="train")
    told = capsys.readouterr().out
    assert "2 by at least two judges" in told and "ann and bob: 2 pairs" in told
    assert "t /us/const/amendment/I: ann 0, bob 2" in told
    call_command("agreement", "us_constitution", json=True)
    assert json.loads(capsys.readouterr().out)["double"] == 2


def test_the_agreement_of_one_judge_is_undefined(capsys):
    call_command("agreement", "us_constitution")
    assert "undefined" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", [["agreement", "us_law"], ["export_judgments", "topics", "--domain", "us_law"]]
)
def test_a_misspelt_domain_is_named(command):
    with pytest.raises(CommandError, match="no domain us_law"):
        call_command(*command)
