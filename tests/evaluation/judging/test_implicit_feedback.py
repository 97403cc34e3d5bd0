"""What searches teach: thumbs, verdicts and uncertain questions."""

import pytest
from django.contrib.auth.models import Group, User

from evaluation import tasks
from evaluation.judging import assignment, grading, implicit_feedback, visibility
from evaluation.judging.implicit_feedback import (
    clicks_to_judgments,
    searches_to_topics,
    verdicts_to_judgments,
)
from evaluation.models import Judgment, Topic
from evaluation.topics import library
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Domain, Feedback, LLMVerdict, SearchLog, Section, Trace
from retrieval.models.access import caller_for
from retrieval.request import SearchRequest
from retrieval.search.service import search
from retrieval.text.normalization import normalize
from retrieval.text.personal_data import query_hash
from tests.builders import nothing_judged

pytestmark = pytest.mark.django_db


FIFTH, FOURTH = "/us/const/amendment/V", "/us/const/amendment/IV"


TWICE = "Can I be tried twice for the same crime?"


def staff(name: str, group: str = "Judge") -> User:
    user = User.objects.create_user(name, password="a long password", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    return user


@pytest.fixture(autouse=True)
def empty_library(db):
    """Without the topics that ship."""
    nothing_judged()


@pytest.fixture
def ann():
    return staff("ann")


def topic(query: str = TWICE, **fields) -> Topic:
    domain = Domain.objects.get(slug="us_constitution")
    fields = {"name": f"t{Topic.objects.count()}", "domain": domain} | fields
    return Topic.objects.create(query=query, **fields)


def section(locator: str) -> Section:
    return Section.objects.get(locator=locator, live=True, valid_to=None)


def grade(asked: Topic, locator: str, grade: int, user: User, explanation: str = "") -> Judgment:
    return grading.judge(asked, section(locator), None, grade, user, explanation)


def sizes() -> tuple[int, int]:
    return Topic.objects.count(), Judgment.objects.count()


def asked_by_a_reader(text: str = TWICE) -> SearchLog:
    answer = search(SearchRequest(text), ANONYMOUS, channel="page", fresh=True)
    return SearchLog.objects.get(pk=answer["trace_id"])


def make_unsure(log: SearchLog, locator: str) -> None:
    trace = Trace.objects.get(log=log)
    for candidate in trace.detail["candidates"]:
        candidate["zone"] = "uncertain" if candidate["locator"] == locator else "accepted"
    trace.save()


def test_sure_searches_and_those_of_staff_make_no_topic():
    log = asked_by_a_reader()
    make_unsure(log, "")
    staffs = search(SearchRequest("how do I repot a cactus"), ANONYMOUS, channel="admin", fresh=True)
    assert staffs["abstained"]
    assert searches_to_topics() == 0


def test_what_is_a_topic_is_not_looked_at_again(monkeypatch):
    make_unsure(asked_by_a_reader(), FIFTH)
    assert searches_to_topics() == 1
    monkeypatch.setattr(implicit_feedback, "unsure_of", None)
    assert searches_to_topics() == 0


def test_a_question_of_the_test_split_is_never_learned_from():
    topic(TWICE.upper(), split="test")
    log = asked_by_a_reader()
    make_unsure(log, FIFTH)
    Feedback.objects.create(log=log, locator=FIFTH, verdict="helpful")
    assert tasks.learn_from_readers() == {"clicks": 0, "topics": 0, "verdicts": 0}
    assert sizes() == (1, 0)


def test_thumbs_become_click_judgments_apart_from_human_ones(ann):
    log = asked_by_a_reader()
    Feedback.objects.create(log=log, locator=FIFTH, verdict="helpful")
    Feedback.objects.create(log=log, locator=FOURTH, verdict="unhelpful")
    Feedback.objects.create(log=log, verdict="unhelpful")
    assert clicks_to_judgments() == 2
    assert clicks_to_judgments() == 0
    rows = Judgment.objects.order_by("locator").values_list("locator", "grade", "kind", "judge", "user")
    assert list(rows) == [(FOURTH, 0, "click", "reader", None), (FIFTH, 2, "click", "reader", None)]
    assert visibility.own_judgments(ann).count() == 0
    assert assignment.next_pair(ann, prefer=Topic.objects.get()).why != "twice"


def test_readers_who_disagree_are_counted():
    log = asked_by_a_reader()
    for number, verdict in enumerate(["helpful", "unhelpful", "helpful"]):
        Feedback.objects.create(log=log, locator=FIFTH, verdict=verdict, caller=f"user:{number}")
    clicks_to_judgments()
    assert Judgment.objects.get().grade == 2
    Feedback.objects.create(log=log, locator=FIFTH, verdict="unhelpful", caller="user:9")
    assert clicks_to_judgments() == 1
    assert not Judgment.objects.exists()


def test_the_last_thumbs_alone_are_looked_at_and_counted_with_all_that_said_something_of_the_same(monkeypatch):
    log = asked_by_a_reader()
    for number, locator in enumerate([FOURTH, FIFTH, FIFTH]):
        Feedback.objects.create(log=log, locator=locator, verdict="helpful", caller=f"user:{number}")
    again = asked_by_a_reader()
    Feedback.objects.create(log=again, locator=FIFTH, verdict="unhelpful")
    monkeypatch.setattr(implicit_feedback, "MOST_READ", 1)
    assert clicks_to_judgments() == 1
    assert list(Judgment.objects.values_list("locator", "grade")) == [(FIFTH, 2)]


def test_the_last_verdicts_alone_are_looked_at(monkeypatch):
    topic()
    verdict_on(FIFTH, 9)
    verdict_on(FOURTH, 0)
    monkeypatch.setattr(implicit_feedback, "MOST_READ", 1)
    assert verdicts_to_judgments() == 1
    assert Judgment.objects.get().locator == FOURTH


def test_thumbs_on_questions_that_were_not_kept_say_nothing():
    log = asked_by_a_reader()
    SearchLog.objects.filter(pk=log.pk).update(query_text="")
    Feedback.objects.create(log=log, locator=FIFTH, verdict="helpful")
    assert clicks_to_judgments() == 0
    assert sizes() == (0, 0)


def verdict_on(locator: str, score: int, question: str = TWICE, **fields) -> LLMVerdict:
    fields = {"model": "m", "prompt_version": "0123456789", "reason": "so"} | fields
    return LLMVerdict.objects.create(
        query_hash=query_hash(normalize(question)), section_id=section(locator).pk, score=score, **fields
    )


def test_verdicts_become_judgments_apart_from_human_ones(ann):
    asked = topic()
    grade(asked, FIFTH, 3, ann)
    verdict_on(FIFTH, 0)
    verdict_on(FOURTH, 9, model="n")
    assert verdicts_to_judgments() == verdicts_to_judgments() == 2
    said = Judgment.objects.filter(kind="llm").order_by("locator").values_list("locator", "judge", "grade")
    assert list(said) == [(FOURTH, "n 01234567", 3), (FIFTH, "m 01234567", 0)]
    [measured] = library.topics_of("us_constitution")
    assert (measured.relevant, measured.irrelevant) == ({FIFTH: 3}, frozenset())
    assert not grading.disagreements(caller_for(ann))
    assert [opinion.grade for opinion in visibility.opinions(asked.judgments.get(kind="human"))] == [0]


@pytest.mark.parametrize(("score", "given"), [(0, 0), (3, 0), (4, 1), (5, 1), (6, 2), (7, 2), (8, 3), (9, 3)])
def test_a_verdicts_score_becomes_the_grade_of_its_words(score, given):
    topic()
    verdict_on(FIFTH, score)
    verdicts_to_judgments()
    assert Judgment.objects.get().grade == given


def test_verdicts_on_what_readers_asked_find_their_topic_though_it_is_scrubbed():
    question = "Can the police search my phone? Mail me at ann@example.org"
    log = asked_by_a_reader(question)
    make_unsure(log, log.top_locators[0])
    verdict_on(log.top_locators[0], 7, question)
    assert tasks.learn_from_readers() == {"clicks": 0, "topics": 1, "verdicts": 1}


def test_no_verdict_reaches_a_test_topic_or_one_of_another_domain():
    topic(split="test")
    topic(domain=Domain.objects.get(slug="us_code"))
    verdict_on(FIFTH, 9)
    assert verdicts_to_judgments() == 0
