"""The page of one's own private documents."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from retrieval.models import Domain
from tests.builders import a_document

pytestmark = pytest.mark.django_db

PAGE = "/private"


@pytest.fixture
def ann(db):
    return User.objects.create_user("ann")


@pytest.fixture
def ben(db):
    return User.objects.create_user("ben")


@pytest.fixture
def bens(ben):
    domain = Domain.objects.get(slug="client_cases")
    return a_document(domain, title="Matter of Quetzal", owner=f"user:{ben.pk}")


def act(client, document, **said):
    return client.post(reverse("retrieval:change_private", args=[document.locator[1:]]), said)


def page_of(client, user):
    client.force_login(user)
    return client.get(PAGE).content.decode()


def test_strangers_are_asked_to_sign_in(client, bens):
    assert client.get(PAGE)["Location"].startswith("/login?")
    assert act(client, bens, action="leave")["Location"].startswith("/login?")


@pytest.mark.parametrize(
    ("address", "page"),
    [("/private/matters", PAGE), ("/private/client_cases/a/b", PAGE), ("/private/password", PAGE),
     ("/private/matters/00000000-0000-4000-8000-000000000000/change",
      "/private/matters/00000000-0000-4000-8000-000000000000"), ("/ask/history", "/ask#history")],
)  # fmt: skip
def test_who_opens_where_a_form_is_sent_is_led_to_its_page(client, address, page):
    assert client.get(address)["Location"] == page
    assert client.put(address).status_code == 405


def test_an_owner_shares_and_the_reader_sees_and_leaves(client, ann, ben, bens):
    client.force_login(ben)
    assert act(client, bens, action="share", name="user:ann", role="reader")["Location"] == PAGE
    assert "<code>user:ann</code>" in page_of(client, ben)
    anns = page_of(client, ann)
    assert "Matter of Quetzal" in anns and "You read it." in anns and "Take back" not in anns
    assert act(client, bens, action="leave").status_code == 302
    assert "Matter of Quetzal" not in page_of(client, ann)


def test_a_refusal_is_said_in_words(client, ann, ben, bens):
    client.force_login(ben)
    refused = act(client, bens, action="share", name="ann", role="reader")
    assert refused.status_code == 422 and "is no name" in refused.content.decode()
    assert 'value="ann"' in refused.content.decode()
    act(client, bens, action="share", name="user:ann", role="reader")
    client.force_login(ann)
    refused = act(client, bens, action="withdraw")
    assert refused.status_code == 403 and "Only the owner" in refused.content.decode()


def test_anothers_document_is_not_there(client, ann, bens):
    client.force_login(ann)
    assert act(client, bens, action="leave").status_code == 404
    assert "Matter of Quetzal" not in client.get(PAGE).content.decode()


def test_an_address_that_cannot_be_stored_is_not_there(client, ann):
    client.force_login(ann)
    assert client.post("/private/a%00b", {"action": "leave"}).status_code == 404


def test_ownership_is_accepted_on_the_page(client, ann, ben, bens):
    client.force_login(ben)
    act(client, bens, action="share", name="user:ann", role="owner")
    assert "Become its owner" in page_of(client, ann)
    act(client, bens, action="accept")
    assert "You own it." in page_of(client, ann)
    assert "Matter of Quetzal" in page_of(client, ben)
