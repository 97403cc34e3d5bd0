"""Grades are kept, changed by their judge and taken back."""

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse

from evaluation.judging import assignment, grading
from evaluation.judging.agreement import agreement
from evaluation.models import Judgment, Topic
from evaluation.topics.library import grades_by_judge, qrels_of, topics_of
from retrieval.models import Domain, Section
from retrieval.models.access import caller_for
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


@pytest.fixture
def ben():
    return staff("ben")


def topic(query: str = TWICE, **fields) -> Topic:
    domain = Domain.objects.get(slug="us_constitution")
    fields = {"name": f"t{Topic.objects.count()}", "domain": domain} | fields
    return Topic.objects.create(query=query, **fields)


def section(locator: str) -> Section:
    return Section.objects.get(locator=locator, live=True, valid_to=None)


def grade(asked: Topic, locator: str, grade: int, user: User, explanation: str = "") -> Judgment:
    return grading.judge(asked, section(locator), None, grade, user, explanation)


def test_judging_again_changes_the_same_row(ann):
    asked = topic()
    first = grade(asked, FIFTH, 1, ann)
    second = grade(asked, FIFTH, 3, ann, " plain words ")
    assert (second.pk, second.grade, second.explanation) == (first.pk, 3, "plain words")
    assert second.created_at > first.created_at
    assert (second.kind, second.user, second.section) == ("human", ann, section(FIFTH))


def test_what_cannot_be_judged_is_refused(ann):
    with pytest.raises(grading.CannotJudge):
        grade(topic(), FIFTH, 4, ann)
    elsewhere = topic(domain=Domain.objects.get(slug="us_code"))
    with pytest.raises(grading.CannotJudge):
        grade(elsewhere, FIFTH, 3, ann)


def test_undo_takes_back_a_grade_or_restores_the_former(ann, ben):
    asked = topic()
    made = grade(asked, FIFTH, 1, ann, "first")
    grade(asked, FIFTH, 3, ann)
    assert grading.undo(ben, made.pk, None) is None
    grading.undo(ann, made.pk, (1, "first"))
    made.refresh_from_db()
    assert (made.grade, made.explanation) == (1, "first")
    grading.undo(ann, made.pk, None)
    assert not Judgment.objects.filter(pk=made.pk).exists()


@pytest.fixture
def chief(client):
    user = staff("chief", "Curator")
    client.force_login(user)
    return user


def test_disagreements_are_settled_by_a_third(client, ann, ben, chief):
    asked = topic()
    grade(asked, FIFTH, 3, ann, "it says so")
    grade(asked, FIFTH, 0, ben, "it does not")
    page = client.get(reverse("admin_disagreements")).content.decode()
    assert "it says so" in page and "it does not" in page
    assert "ann and ben" in page
    said = {"topic": asked.pk, "locator": FIFTH, "grade": 3, "explanation": "plainly"}
    client.post(reverse("admin_disagreements"), said)
    assert Judgment.objects.filter(judge="chief", grade=3).exists()
    assert "plainly" in client.get(reverse("admin_disagreements") + "?settled=1").content.decode()


def decided(asked: Topic, ann: User, ben: User, chief: User) -> Judgment:
    """Two disagree, and a third person settles it with a grade that is no median."""
    grade(asked, FIFTH, 3, ann)
    grade(asked, FIFTH, 1, ben)
    [row] = grading.disagreements(caller_for(chief))
    return grading.adjudicate(row, 0, chief, "neither")


def test_an_adjudication_is_the_agreed_grade_and_leaves_the_queue(ann, ben, chief):
    asked = topic()
    decided(asked, ann, ben, chief)
    assert qrels_of(Topic.objects.all()) == {asked.pk: {FIFTH: 0}}
    assert grading.disagreements(caller_for(chief)) == []
    [row] = grading.disagreements(caller_for(chief), settled=True)
    assert row.decision.judge == "chief"
    assert [why for why in offered_to(staff("dora"), asked) if why == "disagreement"] == []


def offered_to(user: User, asked: Topic) -> list[str]:
    """Why each of the next pairs would be offered."""
    seen: list[assignment.Pair] = []
    while len(seen) < 3 and (
        pair := assignment.next_pair(user, prefer=asked, skipped=[(p.topic.pk, p.locator) for p in seen])
    ):
        seen.append(pair)
    return [pair.why for pair in seen]


def test_agreement_is_the_same_before_and_after_an_adjudication(ann, ben, chief):
    asked = topic()
    grade(asked, FOURTH, 2, ann)
    grade(asked, FOURTH, 2, ben)
    grade(asked, FIFTH, 3, ann)
    grade(asked, FIFTH, 1, ben)
    before = agreement(grades_by_judge())
    [row] = grading.disagreements(caller_for(chief))
    grading.adjudicate(row, 0, chief, "")
    assert agreement(grades_by_judge()) == before
    assert before.kappas[0].quadratic is not None


def test_of_two_who_settle_a_pair_at_once_the_first_decides(ann, ben, chief):
    asked = topic()
    grade(asked, FIFTH, 3, ann)
    grade(asked, FIFTH, 0, ben)
    [seen_by_both] = grading.disagreements(caller_for(chief))
    grading.adjudicate(seen_by_both, 0, chief, "")
    with pytest.raises(grading.CannotJudge, match="settled already"):
        grading.adjudicate(seen_by_both, 3, staff("other", "Curator"), "")
    assert qrels_of(Topic.objects.all())[asked.pk] == {FIFTH: 0}


def test_what_is_decided_stays_decided(ann, ben, chief):
    asked = topic()
    decided(asked, ann, ben, chief)
    [row] = grading.disagreements(caller_for(chief), settled=True)
    with pytest.raises(grading.CannotJudge, match="settled already"):
        grading.adjudicate(row, 3, staff("other", "Curator"), "")
    grade(asked, FIFTH, 3, staff("dora"))
    assert qrels_of(Topic.objects.all())[asked.pk] == {FIFTH: 0}
    grade(asked, FIFTH, 2, chief)
    assert qrels_of(Topic.objects.all())[asked.pk] == {FIFTH: 2}


def test_nothing_answers_grades_what_was_shown_and_marks_the_topic(ann):
    asked = topic()
    kept = grade(asked, FOURTH, 1, ann, "related")
    made = grading.nothing_answers(asked, {section(FOURTH): None, section(FIFTH): None}, ann)
    assert [(row.locator, row.grade) for row in made] == [(FIFTH, 0)]
    kept.refresh_from_db()
    assert kept.grade == 1
    assert not topics_of()[0].answerable


def test_who_found_an_answer_cannot_say_that_there_is_none(ann):
    asked = topic()
    grade(asked, FIFTH, 2, ann)
    with pytest.raises(grading.CannotJudge, match="change that grade first"):
        grading.nothing_answers(asked, {section(FOURTH): None}, ann)
    assert topics_of()[0].answerable


def test_taking_it_back_leaves_grades_changed_since(ann):
    asked = topic()
    made = grading.nothing_answers(asked, {section(FOURTH): None, section(FIFTH): None}, ann)
    grade(asked, FIFTH, 1, ann)
    grading.take_back(ann, asked, [row.pk for row in made])
    assert list(Judgment.objects.values_list("locator", "grade")) == [(FIFTH, 1)]
    assert topics_of()[0].answerable


def test_another_judges_answer_is_settled_as_every_disagreement_is(ann, ben, chief):
    asked = topic()
    grading.nothing_answers(asked, {section(FIFTH): None}, ann)
    grade(asked, FIFTH, 3, ben)
    assert not topics_of()[0].answerable  # of two the lower counts, until a third decides
    [row] = grading.disagreements(caller_for(chief))
    grading.adjudicate(row, 3, chief, "plainly")
    assert topics_of()[0].answerable


def test_a_judge_who_finds_an_answer_says_no_more_that_there_is_none(ann):
    asked = topic()
    grading.nothing_answers(asked, {section(FOURTH): None}, ann)
    grade(asked, FIFTH, 2, ann)
    assert topics_of()[0].answerable
