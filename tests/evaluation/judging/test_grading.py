"""Grades are kept, changed by their judge and taken back."""

import pytest
from django.contrib.auth.models import Group, User

from evaluation.judging import grading
from evaluation.models import Judgment, Topic
from retrieval.models import Domain, Section
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
