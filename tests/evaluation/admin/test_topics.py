"""Topics and runs in the admin."""

import csv
import io
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db.models import ProtectedError
from django.urls import reverse
from django.utils import timezone

from evaluation.judging import grading
from evaluation.models import Judgment, Measurement, Run, Topic
from evaluation.topics import reading
from retrieval.models import Domain, Section
from tests.builders import a_case_file, nothing_judged

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


def test_a_test_topic_is_read_only_and_topics_with_judgments_stay(client, ann):
    client.force_login(User.objects.create_superuser("root", password="a long password"))
    held, judged = topic(split="test"), topic(source="admin")
    grade(judged, FIFTH, 3, ann)
    change = [reverse("admin:evaluation_topic_change", args=[row.pk]) for row in (held, judged)]
    assert [client.get(url).status_code for url in change] == [200, 200]
    assert client.post(change[0], {"query": "other"}).status_code == 403
    delete = [reverse("admin:evaluation_topic_delete", args=[row.pk]) for row in (held, judged)]
    answers = [client.post(url, {"post": "yes"}).status_code for url in delete]
    assert answers[0] == 403 and Topic.objects.count() == 2
    with pytest.raises(ProtectedError):
        judged.delete()


def test_a_topic_near_a_test_topic_is_refused_while_it_can_be_worded_otherwise(client, chief):
    topic(split="test", query="May speech be free?")
    own = topic(name="own", query="Who may vote?", source="admin")
    change = reverse("admin:evaluation_topic_change", args=[own.pk])
    said = {"query": "is speech free", "language": "en", "answerable": "on", "tags": "", "group": ""}
    assert "asks nearly the same" in client.post(change, said).content.decode()
    assert client.post(change, said | {"query": "May women vote?"}).status_code == 302


def test_who_may_only_look_is_led_to_no_judging(client, ann):
    topic()
    viewer = User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_topic"))
    pages = []
    for user in (ann, viewer):
        client.force_login(user)
        pages.append(client.get(reverse("admin:evaluation_topic_changelist")).content.decode())
    assert ["?topic=" in page for page in pages] == [True, False]


def test_a_topic_is_made_and_found_by_its_filters(client, chief):
    add = reverse("admin:evaluation_topic_add")
    new = {
        "name": "admin-1", "domain": Domain.objects.get(slug="us_constitution").pk, "query": "May they?",
        "language": "en", "split": "tune", "answerable": "on", "kind": "lay", "group": "g", "tags": "",
    }  # fmt: skip
    assert client.post(add, new | {"split": "test"}).status_code == 200
    assert client.post(add, new).status_code == 302
    listed = reverse("admin:evaluation_topic_changelist")
    for query in ("split__exact=tune", "kind=lay", "language=en", "source=admin"):
        assert "May they?" in client.get(f"{listed}?{query}").content.decode(), query


FIFTH, FOURTH = "/us/const/amendment/V", "/us/const/amendment/IV"


@pytest.fixture
def curator(client) -> User:
    return signed_in(client, "chief", "Curator")


def signed_in(client, name: str, group: str) -> User:
    user = User.objects.create_user(name, is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    client.force_login(user)
    return user


@pytest.fixture
def t1() -> Topic:
    row = Topic.objects.create(
        name="t1", query="Who may search?", domain=Domain.objects.get(slug="us_constitution")
    )
    Judgment.objects.create(topic=row, locator=FIFTH, grade=1, judge="import")
    return row


def downloaded(client, fmt: str, query: str = "") -> str:
    answer = client.get(reverse("admin:evaluation_topic_download", args=[fmt]) + query)
    assert "attachment" in answer["Content-Disposition"]
    return answer.content.decode()


def test_topics_are_downloaded_as_the_list_shows_them_and_read_again(client, curator, t1):
    other = Topic.objects.create(name="t9", query="=cmd()", domain=t1.domain, split="tune")
    assert downloaded(client, "trec") == f"t1 0 {FIFTH} 1\n"
    [entry] = reading.read(downloaded(client, "jsonl", "?split__exact=train")).entries
    assert (entry.topic, entry.locator, entry.grade) == ("t1", FIFTH, 1)
    rows = list(csv.DictReader(io.StringIO(downloaded(client, "csv"))))
    assert [row["query"] for row in rows] == ["Who may search?", "'=cmd()"]
    assert reading.read(downloaded(client, "csv")).entries[1].query == other.query
    assert client.get(reverse("admin:evaluation_topic_download", args=["exe"])).status_code == 404


def test_nothing_private_is_downloaded_without_a_grant(client, curator, t1):
    domain = Domain.objects.get(slug="client_cases")
    a_case_file("granted", "words", granted_to=None)
    hidden = Topic.objects.create(name="secret", query="our client", domain=domain)
    Judgment.objects.create(topic=hidden, locator="/client_cases/x", grade=3, judge="x")
    for fmt in ("jsonl", "csv", "trec"):
        text = downloaded(client, fmt)
        assert "secret" not in text and "client" not in text


def test_judges_download_no_grades(client, t1):
    signed_in(client, "judge", "Judge")
    assert client.get(reverse("admin:evaluation_topic_download", args=["trec"])).status_code == 403
    assert (
        "Download this list" not in client.get(reverse("admin:evaluation_topic_changelist")).content.decode()
    )


def test_a_run_is_downloaded_as_a_trec_run_and_as_tables(client, curator):
    run = Run.objects.create(pipeline="default", stages="", topics="t")
    Measurement.objects.create(run=run, topic="t1", locators=[FIFTH, FOURTH], measures={"nDCG@10": 0.5})
    Measurement.objects.create(run=run, topic="t2", abstained=True, locators=[FIFTH])

    def file(fmt: str) -> str:
        return client.get(reverse("admin:evaluation_run_download", args=[run.pk, fmt])).content.decode()

    assert reading.read_run(file("trec")) == {"t1": [FIFTH, FOURTH]}
    assert [row["nDCG@10"] for row in csv.DictReader(io.StringIO(file("csv")))] == ["0.5", ""]
    assert len(file("jsonl").splitlines()) == 2
    page = client.get(reverse("admin:evaluation_run_change", args=[run.pk])).content.decode()
    assert "TREC run" in page
    signed_in(client, "judge", "Judge")
    assert client.get(reverse("admin:evaluation_run_download", args=[run.pk, "csv"])).status_code == 403


@pytest.fixture
def administrator(client):
    user = User.objects.create_user("admin", is_staff=True)
    user.groups.add(Group.objects.get(name="Administrator"))
    client.force_login(user)
    return user


def a_run(value: float, *, days: int = 0, **fields) -> Run:
    estimate = {"mean": value, "low": value - 0.02, "high": value + 0.02}
    summary = {"measures": {"nDCG@10": estimate}, "by_kind": {"lay": {"topics": 9, "nDCG@10": value}}}
    summary["judged_at_10"] = {"mean": 0.4}
    defaults = {"pipeline": "default", "stages": "Pipeline()", "topics": "us_constitution, test"}
    moment = timezone.now() - timedelta(days=days)
    return Run.objects.create(created_at=moment, summary=summary, **defaults | fields)


def test_a_run_shows_what_it_is_without_the_unjudged_and_what_it_took(client, administrator):
    run = a_run(0.8)
    run.summary |= {
        "condensed": {"nDCG@10": {"mean": 0.9, "low": 0.85, "high": 0.95}},
        "judged_at_10": {"mean": 0.4, "low": 0.3, "high": 0.5},
        "topics": 9, "declined_answerable": 1, "unanswerable": 3, "declined_unanswerable": 2,
        "ms": {"p50": 12.34}, "llm": {"share": 0.004}, "cost": {"per_1000": 0.25},
    }  # fmt: skip
    run.save()
    text = client.get(f"/admin/evaluation/run/{run.pk}/change/").content.decode()
    for shown in ("0.900 [0.850, 0.950]", "0.400 [0.300, 0.500]", "9, 1", "3, 2", "12.3 ms", "0.4%", "$0.250"):
        assert shown in text, shown
    assert "did not answer" not in text and "right body first" not in text
    told = {"error": 0.0614, "by_chance": 0.0321}
    ratio = {"nDCG@10": {"english": 0.8, "spanish": 0.76, "ratio": {"mean": 0.95, "low": 0.9, "high": 1.01}}}
    run.summary["groups"] = {
        "us_code": {
            "topics": 9, "measures": {"nDCG@10": 0.8, "MRR@10": 0.7}, "right_body": 0.889, "right_document": 0.778,
            "declined": 1, "calibration": {"first": told, "page": told}, "parallel": ratio, "pairs": 20,
        }
    }  # fmt: skip
    run.save()
    text = client.get(f"/admin/evaluation/run/{run.pk}/change/").content.decode()
    for shown in ("right body first", "0.889", "0.061 (0.032)", "0.950 [0.900, 1.010], 20"):
        assert shown in text, shown
    run.summary |= {"degraded": {"Translate": 14}, "ms": {}, "llm": {}, "cost": {}}  # another system's run has no times
    run.save()
    text = client.get(f"/admin/evaluation/run/{run.pk}/change/").content.decode()
    assert "Topics in which this did not answer: Translate" in text and "9, 1" in text and "12.3 ms" not in text
