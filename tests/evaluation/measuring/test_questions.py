"""What people ask, as the search log tells it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.measuring import questions
from retrieval.models import Click, Feedback, SearchLog
from retrieval.text.normalization import normalize
from retrieval.text.personal_data import query_hash

pytestmark = pytest.mark.django_db
NOW = timezone.now()
VOTE, VOTING_AGE = "Who may vote?", "From what age may one vote?"


def asked(text: str, *, seconds: float = 0, **fields) -> SearchLog:
    """A search of a page that showed results, so many seconds ago."""
    usual = {"channel": "page", "language": "en", "pipeline": "default", "took_ms": 9, "result_count": 3}
    return SearchLog.objects.create(
        query_text=text,
        query_hash=query_hash(normalize(text)),
        created_at=NOW - timedelta(seconds=seconds),
        **usual | fields,
    )


def told(kind: str, days: int = 7) -> dict[str, int]:
    return {one.text: one.times for one in questions.report(days, now=NOW).lists[kind]}


def test_questions_asked_most_come_first_however_they_were_written():
    asked("when does a bill become law", seconds=9)
    asked("who may vote", seconds=8)
    asked(VOTE, seconds=5, channel="api", cached=True)
    first, second = questions.report(7, now=NOW).lists["top"]
    assert (first.text, first.times, first.last) == (VOTE, 2, NOW - timedelta(seconds=5))
    assert second.times == 1


def test_declined_questions_are_those_without_a_result():
    asked("how do I repot a cactus", abstained=True, result_count=0)
    asked(VOTE)
    assert told("declined") == {"how do I repot a cactus": 1}


def test_only_the_period_and_only_readers_and_clients_count():
    asked(VOTE, seconds=3 * 86_400)
    asked("tried by staff", channel="admin")
    assert told("top") == {VOTE: 1}
    assert told("top", days=1) == {}


def test_private_searches_are_neither_shown_nor_counted():
    asked(VOTE, private=True)
    asked("", private=True)
    report = questions.report(7, now=NOW)
    assert report.read == 0 and report.lists == {"top": [], "declined": [], "abandoned": []}


def test_what_nothing_was_opened_of_is_abandoned():
    asked(VOTE)
    Click.objects.create(log=asked("what is treason"), locator="/us/const/article/III/section/3")
    Feedback.objects.create(log=asked("who declares war"), verdict="helpful")
    asked("clients open nothing", channel="api")
    asked("how do I repot a cactus", abstained=True, result_count=0)
    assert told("abandoned") == {VOTE: 1}


def test_a_rewording_within_two_minutes_is_told():
    asked(VOTE, seconds=200)
    asked("who may vote in Ohio?", seconds=100)
    asked("may who vote in Ohio today?", seconds=0, caller="user:5")
    [first, second] = sorted(questions.report(7, now=NOW).lists["abandoned"], key=lambda one: one.last)[:2]
    assert (first.text, first.reworded) == (VOTE, ("who may vote in Ohio?",))
    assert second.reworded == ()  # by somebody else


def test_after_two_minutes_it_is_no_rewording():
    asked(VOTE, seconds=121)
    asked("who may vote in Ohio?", seconds=0)
    assert all(one.reworded == () for one in questions.report(7, now=NOW).lists["abandoned"])


def test_who_is_known_and_asks_another_question_did_not_give_up():
    asked(VOTE, seconds=60, caller="user:5")
    asked("what is treason", seconds=0, caller="user:5")
    asked("when does a bill become law", seconds=60)
    assert told("abandoned") == {"what is treason": 1, "when does a bill become law": 1}


def test_no_more_than_the_newest_are_read_in_one_statement_by_their_time(monkeypatch):
    monkeypatch.setattr(questions, "MOST_READ", 2)
    for number in range(4):
        asked(f"question number {number}", seconds=number)
    with CaptureQueriesContext(connection) as statements:
        report = questions.report(7, now=NOW)
    assert (report.read, report.cut) == (2, True)
    assert {one.text for one in report.lists["top"]} == {"question number 0", "question number 1"}
    [statement] = [one["sql"] for one in statements]
    assert "LIMIT 3" in statement
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {statement}")
        assert "created_at" in str([line for (line,) in cursor.fetchall() if "Index Scan" in line])


def test_a_formula_is_no_formula_in_the_file():
    asked("=HYPERLINK(1)")
    [head, row] = questions.as_csv(questions.report(7, now=NOW), "top").splitlines()
    assert head == "question,language,times,last,reworded"
    assert not row.startswith("=")


def test_searches_in_another_language_are_read_too():
    asked("wer darf wählen", language="de", seconds=5)
    asked("wer darf heute wählen", language="de")
    assert len(told("abandoned")) == 2
