"""The list of judgments, their history and their export."""

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse

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


@pytest.fixture
def chief(client):
    user = staff("chief", "Curator")
    client.force_login(user)
    return user


def topic(query: str = TWICE, **fields) -> Topic:
    domain = Domain.objects.get(slug="us_constitution")
    fields = {"name": f"t{Topic.objects.count()}", "domain": domain} | fields
    return Topic.objects.create(query=query, **fields)


def section(locator: str) -> Section:
    return Section.objects.get(locator=locator, live=True, valid_to=None)


def grade(asked: Topic, locator: str, grade: int, user: User, explanation: str = "") -> Judgment:
    return grading.judge(asked, section(locator), None, grade, user, explanation)


def post(client, **fields):
    return client.post(reverse("admin_judge"), fields, follow=True)


def history_page(client, judgment: Judgment) -> tuple[int, str]:
    answer = client.get(reverse("admin:evaluation_judgment_history", args=[judgment.pk]))
    return answer.status_code, answer.content.decode()


def test_history_says_who_changed_a_grade_from_what_to_what(client, ann, chief):
    asked = topic()
    client.force_login(ann)
    at = reverse("admin_judge")
    for given, why in ((0, "at first"), (3, "at second sight")):
        client.post(at, {"topic": asked.pk, "locator": FIFTH, "grade": given, "explanation": why})
    client.post(at, {"action": "undo"})
    last = Judgment.history.first()
    assert (last.grade, last.history_change_reason, last.history_user) == (0, "taken back", ann)
    client.force_login(chief)
    status, page = history_page(client, Judgment.objects.get())
    assert status == 200 and "0: not relevant → <strong>3: directly controls" in page
    assert "at first" in page and "at second sight" in page and ">ann<" in page


def test_history_is_read_only_and_as_private_as_the_judgment(client, ann, ben, chief):
    judgment = grade(topic(), FIFTH, 3, ann)
    line = reverse("admin:evaluation_judgment_simple_history", args=[judgment.pk, judgment.history.get().pk])
    assert client.get(line).status_code == 200
    assert client.post(line, {"grade": 0}).status_code == 403
    client.force_login(ben)
    assert history_page(client, judgment)[0] == client.get(line).status_code == 404
    hidden = topic(domain=Domain.objects.get(slug="client_cases"))
    private = Judgment.objects.create(topic=hidden, locator="/client-cases/a", grade=1, judge="x")
    client.force_login(chief)
    assert history_page(client, private)[0] == 404


@pytest.mark.parametrize("page", ["abc/history/", "_00/history/", "1%2F2/history/", "%00/history/", "abc/history/1/"])
def test_there_is_no_history_of_what_no_number_names(client, ann, chief, page):
    given = grade(topic(), FIFTH, 3, ann).history.get()
    assert client.get(f"/admin/evaluation/judgment/{page.replace('1/', f'{given.pk}/')}").status_code == 404


def test_who_may_only_judge_sees_their_own_judgments(client, ann, ben):
    asked = topic()
    mine, theirs = grade(asked, FIFTH, 3, ann), grade(asked, FOURTH, 0, ben)
    client.force_login(ann)
    page = client.get(reverse("admin:evaluation_judgment_changelist")).content.decode()
    assert mine.locator in page and f"judgment/{theirs.pk}/" not in page


def test_nobody_edits_anothers_grade_or_deletes_one(client, ann, chief):
    theirs, own = grade(topic(), FIFTH, 3, ann), grade(topic(), FIFTH, 3, chief)
    url = "admin:evaluation_judgment_{}"
    changed = {"grade": 0, "explanation": "", "judge": "ann"}
    answers = [client.post(reverse(url.format("change"), args=[row.pk]), changed) for row in (theirs, own)]
    assert [answer.status_code for answer in answers] == [403, 302]
    own.refresh_from_db()
    assert (own.grade, own.judge) == (0, "chief")
    assert client.post(reverse(url.format("delete"), args=[own.pk]), {"post": "yes"}).status_code == 403


def test_judgments_filter_and_are_exported(client, ann, chief):
    asked = topic()
    grade(asked, FIFTH, 3, ann, "=1+1")
    changelist = reverse("admin:evaluation_judgment_changelist")
    for query in (
        "kind__exact=human",
        "judge=ann",
        "grade__exact=3",
        f"topic__domain__id__exact={asked.domain_id}",
    ):
        assert FIFTH in client.get(f"{changelist}?{query}").content.decode(), query
    assert FIFTH not in client.get(f"{changelist}?kind__exact=llm").content.decode()
    page = reverse("admin:evaluation_judgment_export")
    resource = client.get(page).context["form"]
    chosen = {name: "on" for name in resource.fields if name.startswith("judgmentresource_")}
    answer = client.post(page, {"format": "0", "resource": "", **chosen})
    assert "'=1+1" in answer.content.decode() and TWICE in answer.content.decode()
