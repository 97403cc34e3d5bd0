"""Sharing over the API: seen by both sides, changed by the owner, and telling nobody who exists."""

import pytest
from django.contrib.auth.models import User

from retrieval.access.row_security import as_system
from retrieval.models import ApiKey, Document, Domain
from tests.builders import a_document

pytestmark = pytest.mark.django_db

GRANTS = "/api/v1/grants"


@pytest.fixture
def owner(db):
    return client_of("owner")


@pytest.fixture
def friend(db):
    return client_of("friend")


def client_of(name):
    """A key and the header that it sends."""
    key, secret = ApiKey.issue(name=name, scopes=["search", "documents"])
    return key, {"HTTP_AUTHORIZATION": f"Bearer {secret}"}


@pytest.fixture
def place(owner):
    """The locator of a document of the owner's."""
    domain = Domain.objects.get(slug="client_cases")
    return a_document(domain, title="Matter of Quetzal", owner=f"key:{owner[0].pk}").locator


def share(client, place, header, **said):
    return client.post(f"{GRANTS}{place}", said, "application/json", **header)


def held(client, header):
    return {item["locator"]: item["role"] for item in client.get(GRANTS, **header).json()["documents"]}


def test_an_owner_shares_lists_and_takes_back(client, place, owner, friend):
    name = f"key:{friend[0].public_id}"
    assert share(client, place, owner[1], name=name).status_code == 200
    listed = client.get(f"{GRANTS}{place}", **owner[1]).json()
    assert [(item["name"], item["role"]) for item in listed["grants"]] == [(name, "reader")]
    assert held(client, friend[1]) == {place: "reader"}
    assert client.get(f"{GRANTS}{place}", **friend[1]).status_code == 403  # the list is its owner's
    assert client.delete(f"{GRANTS}{place}?name={name}", **owner[1]).status_code == 200
    assert held(client, friend[1]) == {}
    assert client.get(f"{GRANTS}{place}", **friend[1]).status_code == 404


def test_known_and_unknown_names_are_answered_alike(client, place, owner):
    User.objects.create_user("ann")
    answers = [share(client, place, owner[1], name=name) for name in ("user:ann", "user:nobody")]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert [set(answer.json()) for answer in answers] == [{"locator", "name", "role"}] * 2
    assert share(client, place, owner[1], name="ann").status_code == 422


def test_a_reader_leaves(client, place, owner, friend):
    share(client, place, owner[1], name=f"key:{friend[0].public_id}")
    assert client.delete(f"{GRANTS}{place}", **friend[1]).status_code == 200
    assert held(client, friend[1]) == {}


def test_ownership_is_offered_and_accepted(client, place, owner, friend):
    name = f"key:{friend[0].public_id}"
    assert (
        share(client, place, friend[1], name=name, role="owner").status_code == 404
    )  # sees nothing of it yet
    share(client, place, owner[1], name=name, role="owner")
    assert held(client, owner[1]) == {place: "owner"}
    assert share(client, place, friend[1], name=name, role="owner").status_code == 200
    assert (held(client, owner[1]), held(client, friend[1])) == ({place: "contributor"}, {place: "owner"})


def test_a_contributor_edits_tags_and_a_reader_does_not(client, place, owner, friend):
    name, path = f"key:{friend[0].public_id}", f"/api/v1/documents{place}"

    def edit(tags):
        return client.patch(path, {"tags": tags}, "application/json", **friend[1])

    share(client, place, owner[1], name=name)
    assert edit(["lease"]).status_code == 403
    share(client, place, owner[1], name=name, role="contributor")
    assert edit(["lease"]).json()["tags"] == ["lease"]
    with as_system():
        assert Document.objects.get(locator=place).tags == ["lease"]


def test_anonymous_callers_hold_nothing(client, place):
    assert client.get(GRANTS).status_code == 404
    assert client.get(f"{GRANTS}{place}").status_code == 403


def test_what_one_holds_is_listed_a_page_at_a_time(client, place, owner):
    domain = Domain.objects.get(slug="client_cases")
    for title in ("Matter of Serval", "Matter of Tapir"):
        a_document(domain, title=title, owner=f"key:{owner[0].pk}")
    pages = [client.get(GRANTS, {"k": 2, "page": page}, **owner[1]).json() for page in (1, 2)]
    titles = [[item["title"] for item in page["documents"]] for page in pages]
    assert titles == [["Matter of Quetzal", "Matter of Serval"], ["Matter of Tapir"]]
    assert [(page["total"], page["next"], page["previous"]) for page in pages] == [(3, 2, None), (3, None, 1)]
    assert client.get(GRANTS, {"k": 0}, **owner[1]).status_code == 400
