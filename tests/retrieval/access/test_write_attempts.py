"""Random attempts to change another's document through every door: API, pages and admin; by keys and by people."""

import random

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from retrieval import jobs
from retrieval.access.row_security import as_system
from retrieval.models import ApiKey, Document, Domain, JobRun, Section, Upload

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("read_here")]

NAMES = ("settlement.txt", "lease.txt", "will.txt")
SCOPES = ["search", "documents"]


def key_client(name):
    """A client that sends this key, and the name that it is shared with under."""
    key, secret = ApiKey.issue(name=name, scopes=SCOPES)
    return Client(headers={"Authorization": f"Bearer {secret}"}), f"key:{key.public_id}"


def person(name, *groups):
    user = User.objects.create_user(name, is_staff=bool(groups))
    user.groups.set(Group.objects.filter(name__in=groups))
    client = Client()
    client.force_login(user)
    return client, f"user:{name}"


def hand_in(client, filename, text, **fields):
    file = SimpleUploadedFile(filename, text.encode())
    return client.post("/api/v1/documents", {"domain": "client_cases", "file": file, **fields})


def work_off():
    """Every job that waits, to its end."""
    for run in JobRun.objects.unfinished().order_by("pk"):
        for _step in jobs.run_here(run):
            pass


@pytest.fixture
def documents():
    """Three documents of one owner's, shared with nobody, with all as readers and with all as contributors; and those
    who try to change them.
    """
    owner, _ = key_client("owner")
    others = [key_client("friend"), person("ann", "Curator"), person("boss", "Administrator"), person("gus")]
    for filename, role in zip(NAMES, (None, "reader", "contributor"), strict=True):
        upload = hand_in(owner, filename, f"1. Pay. The owner's {filename} says ninety doubloons.").json()
        work_off()
        place = owner.get(upload["url"]).json()["document"]
        for _client, name in others if role else ():
            shared = owner.post(f"/api/v1/grants{place}", {"name": name, "role": role}, "application/json")
            assert shared.status_code == 200
    with as_system():
        places = list(Document.objects.filter(domain__slug="client_cases").order_by("pk"))
    return places, others


def state():
    """Of the documents as they stood: text, readers, owner, title, uploads."""
    with as_system():
        return {
            document.pk: (
                document.owner,
                document.offered_to,
                document.title if not document.grants.filter(role="contributor").exists() else "",  # theirs to edit
                sorted(document.grants.values_list("principal", "role")),
                sorted(
                    Section.objects.filter(document=document).values_list("text", "live", "valid_to", "locator")
                ),
                sorted(Upload.objects.filter(document=document).values_list("filename", "principal")),
            )
            for document in Document.objects.filter(domain__slug="client_cases")
        }


def attempt(draw, client, document, names):
    """One request that would change the document if the caller might."""
    place, name = document.locator, draw.choice([*names, "user:zoe"])
    role = draw.choice(["reader", "contributor", "owner"])
    page, change = f"/private{place}", f"/admin/retrieval/document/{document.pk}"
    return draw.choice(
        [
            lambda: hand_in(client, draw.choice(NAMES), "1. Pay. Nothing.", grant=name),
            lambda: client.delete(f"/api/v1/documents{place}"),
            lambda: client.post(f"/api/v1/grants{place}", {"name": name, "role": role}, "application/json"),
            lambda: client.delete(f"/api/v1/grants{place}?name={name}"),
            lambda: client.post(page, {"action": "share", "name": name, "role": role}),
            lambda: client.post(page, {"action": "take_back", "name": name}),
            lambda: client.post(page, {"action": "accept"}),
            lambda: client.post(page, {"action": "withdraw"}),
            lambda: client.post(f"{change}/do/withdraw/", {"sure": "yes"}),
            lambda: client.post(f"{change}/do/erase/", {"sure": "yes"}),
            lambda: client.post(f"{change}/change/", {"title": "mine", "locator": "/client_cases/mine"}),
            lambda: client.post(f"{change}/delete/", {"post": "yes"}),
            lambda: client.post(
                f"/admin/retrieval/unowneddocument/{document.pk}/change/", {"new_owner": name}
            ),
            lambda: client.post(
                "/admin/upload/",
                {
                    "domain": Domain.objects.get(slug="client_cases").pk,
                    "files": SimpleUploadedFile(draw.choice(NAMES), b"1. Pay. Nothing."),
                    "reader": name,
                },
            ),
        ]
    )


@pytest.mark.parametrize("count", [120, pytest.param(1_000, marks=pytest.mark.full)])
def test_no_request_changes_anothers_document(documents, count):
    owned, others = documents
    before, draw, answers = state(), random.Random(7), []
    names = [name for _client, name in others]
    for number in range(count):
        client, _name = draw.choice(others)
        answers.append(attempt(draw, client, draw.choice(owned), names)().status_code)
        if number % 20 == 19:
            work_off()
    work_off()
    after = state()
    assert {pk: after[pk] for pk in before} == before
    assert len(after) > len(before)  # what others handed in became documents of their own
    assert all(status < 500 for status in answers)
    assert sum(status in (403, 404, 302, 422) for status in answers) > count / 2
