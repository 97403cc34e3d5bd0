"""Files are looked through before they are imported."""

import time

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from evaluation.admin import exchange as pages
from evaluation.models import Judgment, Topic, Upload
from evaluation.topics import importing
from evaluation.topics.importing import Options
from retrieval import jobs
from retrieval.models import Domain, JobRun
from tests.builders import nothing_judged
from tests.hostile import OBJECTS, TABLES, TOPICS

pytestmark = pytest.mark.django_db


FIFTH, FOURTH = "/us/const/amendment/V", "/us/const/amendment/IV"


FILE = f"""topic,query,locator,grade,explanation
t1,,{FIFTH},3,=cmd()
t1,,{FOURTH},1,
t2,May I be tried twice?,{FIFTH},2,
t3,,{FIFTH},2,
"""


@pytest.fixture
def curator(client) -> User:
    return signed_in(client, "chief", "Curator")


def signed_in(client, name: str, group: str) -> User:
    user = User.objects.create_user(name, is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    client.force_login(user)
    return user


@pytest.fixture(autouse=True)
def t1(db) -> Topic:
    nothing_judged()
    row = Topic.objects.create(
        name="t1", query="Who may search?", domain=Domain.objects.get(slug="us_constitution")
    )
    Judgment.objects.create(topic=row, locator=FIFTH, grade=1, judge="import")
    return row


def upload(client, content: str | bytes = FILE, **fields):
    file = SimpleUploadedFile("grades.csv", content if isinstance(content, bytes) else content.encode())
    said = {
        "format": "auto",
        "domain": "us_constitution",
        "split": "train",
        "judge": "import",
        "kind": "human",
    }
    return client.post(reverse("admin_import"), said | fields | {"file": file}, follow=True)


def test_a_file_is_looked_through_then_imported_as_a_job(client, curator, t1):
    shown = upload(client)
    text = shown.content.decode()
    assert "there is no topic t3" in text and "1 → 3" in text and "May I be tried twice?" in text
    assert t1.judgments.get().grade == 1 and not Topic.objects.filter(name="t2").exists()
    at = shown.redirect_chain[-1][0]
    answer = client.post(at, {"import": ""})
    run = JobRun.objects.get(kind="import_judgments")
    assert answer.url.endswith(f"/jobrun/{run.pk}/change/") and run.requested_by == curator
    *_, run = jobs.run_here(run)
    assert dict(t1.judgments.values_list("locator", "grade")) == {FIFTH: 3, FOURTH: 1}
    assert not Upload.objects.exists() and client.get(at).status_code == 404
    assert "there is no topic t3" in client.get(reverse("admin_import")).content.decode()


def test_a_file_thrown_away_changes_nothing(client, curator, t1):
    at = upload(client).redirect_chain[-1][0]
    client.post(at, {"discard": ""})
    assert not Upload.objects.exists() and not JobRun.objects.filter(kind="import_judgments").exists()
    assert t1.judgments.get().grade == 1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("what is this", "neither JSON lines"),
        (b"PK\x03\x04\x00sheet", "Save a spreadsheet as CSV"),
        ("colour,size\nred,3\n", "neither JSON lines"),
        ("", "empty"),
    ],
)
def test_a_file_of_which_nothing_can_be_read_is_refused_beside_its_field(client, curator, content, why):
    answer = upload(client, content)
    assert answer.status_code == 422 and why in answer.content.decode()
    assert not Upload.objects.exists()


def test_what_came_of_an_import_is_told_in_the_readers_language(client, curator):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "es"
    shown = upload(client, f"topic,locator,grade\nt1,{FOURTH},high\nt9,{FIFTH},2\n")
    client.post(shown.redirect_chain[-1][0], {"discard": ""})
    run = importing.create(f"topic,locator,grade\nt1,{FOURTH},high\nt9,{FIFTH},2\n", "auto", Options())
    *_, run = jobs.run_here(run)
    assert "line 2: “high” is no grade" in run.message
    last = client.get(reverse("admin_import")).content.decode()
    for page in (shown.content.decode(), last):
        assert "«high» no es una calificación" in page
        assert "no existe el tema t9 ni hay una consulta" in page
    assert "0 valoraciones nuevas" in last and "judgments" not in last
    run.state["refused"] = [[2, "as an earlier release told it"]]
    run.save()
    assert "as an earlier release told it" in client.get(reverse("admin_import")).content.decode()


@pytest.mark.parametrize("name", [*TABLES, *OBJECTS, *TOPICS])
def test_a_hostile_file_is_refused_or_its_lines_are_and_soon(client, curator, name):
    content, started = (TABLES | OBJECTS | TOPICS)[name], time.process_time()
    answer = upload(client, content)
    assert answer.status_code in (200, 422)
    if answer.status_code == 200:
        client.post(answer.redirect_chain[-1][0], {"import": ""})
        *_, run = jobs.run_here(JobRun.objects.get(kind="import_judgments"))
        assert run.status == JobRun.Status.DONE, run.error
        assert len(str(run.state)) < 1_000_000
        assert not Judgment.objects.filter(topic__name="t9").exists()
    else:
        [why] = answer.context["form"].errors["file"]
        assert len(why) < 250 and "\n" not in why
    assert time.process_time() - started < 10, "of the processor, on a slow machine; each took hours or memory before"


def test_a_file_of_50_mb_is_refused_before_it_is_read(client, curator):
    assert upload(client, b"topic,query\n" + b"x" * 50_000_000).status_code == 413


def test_a_file_too_large_is_refused_and_one_person_keeps_one_for_a_day(client, curator, monkeypatch):
    monkeypatch.setattr(pages, "MOST_BYTES", 10)
    assert "at most 4 MB" in upload(client).content.decode()
    monkeypatch.undo()
    upload(client)
    old = importing.stage(FILE.encode(), "auto", importing.Options(), by=User.objects.create(), name="old")
    Upload.objects.filter(pk=old.pk).update(created_at=timezone.now() - importing.FORGOTTEN_AFTER)
    upload(client)
    assert list(Upload.objects.values_list("user__username", flat=True)) == ["chief"]


def test_two_imports_do_not_run_together_and_the_second_file_is_kept(client, curator):
    importing.create(FILE, "auto", importing.Options())
    at = upload(client).redirect_chain[-1][0]
    assert "already at work" in client.post(at, {"import": ""}, follow=True).content.decode()
    assert Upload.objects.exists()


def test_an_upload_is_for_who_made_it_and_imports_are_for_curators(client, curator):
    at = upload(client).redirect_chain[-1][0]
    signed_in(client, "other", "Curator")
    assert client.get(at).status_code == client.post(at, {"import": ""}).status_code == 404
    signed_in(client, "judge", "Judge")
    for address in (at, reverse("admin_import")):
        assert client.get(address).status_code == client.post(address).status_code == 403
    client.logout()
    assert client.post(at).status_code == client.get(reverse("admin_import")).status_code == 302
