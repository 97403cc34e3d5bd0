"""Grants on private documents, and keys."""

import pytest
from django.urls import reverse

from retrieval.models import ApiKey, DocumentGrant
from tests.retrieval.admin.staff import ACCESS, QUEUE, TRY, form_of, statuses

pytestmark = pytest.mark.django_db


def test_curators_reach_no_keys_users_or_grants(client, curator):
    assert statuses(client, [*ACCESS, *QUEUE]) == {403}
    assert client.get(reverse("admin:retrieval_domain_add")).status_code == 403


def test_a_grant_opens_a_private_document_and_is_recorded(client, superuser, private_section):
    grant = {"document": private_section.document_id, "principal": f"user:{superuser.pk}"}
    client.post("/admin/retrieval/documentgrant/add/", grant)
    assert DocumentGrant.objects.get().granted_by == superuser
    assert (
        "Secret words"
        in client.get(f"/admin/retrieval/section/{private_section.pk}/change/").content.decode()
    )


def test_whoever_grants_is_shown_the_locator_and_not_the_title(client, superuser, private_section):
    DocumentGrant.objects.create(document=private_section.document, principal=f"user:{superuser.pk + 1}")
    for url in ("/admin/retrieval/documentgrant/", "/admin/retrieval/documentgrant/add/"):
        page = client.get(url).content.decode()
        assert "/client_cases/1" in page
        assert "Secret Client" not in page


@pytest.mark.parametrize("principal", ["user:999999", "user:x", "team:1", "user", "key:0", "user:01", ""])
def test_a_grant_to_nobody_is_refused(client, superuser, private_section, principal):
    asked = {"document": private_section.document_id, "principal": principal}
    form = client.post("/admin/retrieval/documentgrant/add/", asked).context["adminform"].form
    assert "principal" in form.errors
    assert not DocumentGrant.objects.exists()


def test_a_new_keys_secret_is_shown_once(client, administrator):
    asked = {"name": "Reader app", "scopes": ["search"], "rate_per_minute": 60}
    page = client.post("/admin/retrieval/apikey/add/", asked, follow=True).content.decode()
    key = ApiKey.objects.get()
    secret = page.partition("id='secret'>")[2].partition("<")[0]
    assert ApiKey.digest_of(secret) == key.digest
    assert (key.scopes, key.rate_per_minute) == (["search"], 60)
    again = client.get(f"/admin/retrieval/apikey/{key.pk}/change/").content.decode()
    assert secret not in again


def test_a_key_is_revoked_and_never_deleted(client, administrator):
    key, _ = ApiKey.issue(name="Old app")
    assert client.post(f"/admin/retrieval/apikey/{key.pk}/delete/", {"post": "yes"}).status_code == 403
    client.post(f"/admin/retrieval/apikey/{key.pk}/do/revoke/")
    key.refresh_from_db()
    assert not key.is_usable


def test_only_name_scopes_rate_and_expiry_of_a_key_are_edited(client, administrator):
    key, _ = ApiKey.issue(name="App")
    fields = form_of(client, f"/admin/retrieval/apikey/{key.pk}/change/").fields
    assert set(fields) == {"name", "scopes", "rate_per_minute", "expires_at"}


def test_try_this_query_finds_private_documents_only_with_a_grant(client, superuser, private_section):
    asked = {"q": "secret words of a client", "locator": private_section.locator}
    page = client.get(TRY, asked).content.decode()
    assert "is no provision that you may read" in page
    assert "Secret § 1" not in page
    assert client.get(TRY, asked | {"domain": "client_cases"}).context["form"].errors
    DocumentGrant.objects.create(document=private_section.document, principal=f"user:{superuser.pk}")
    assert "Secret § 1" in client.get(TRY, asked | {"domain": "client_cases"}).content.decode()
