"""Documents without an owner, and keys."""

from datetime import date

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from retrieval.access import matters
from retrieval.access.row_security import as_system
from retrieval.models import ApiKey, Document, Domain
from retrieval.models.access import caller_for
from tests.builders import grant
from tests.matters import CLIENT, REFERENCE, handed_in
from tests.retrieval.admin.staff import ACCESS, QUEUE, TRY, form_of, statuses

pytestmark = pytest.mark.django_db


def test_curators_reach_no_keys_users_or_unowned_documents(client, curator):
    assert statuses(client, [*ACCESS, *QUEUE]) == {403}
    assert client.get(reverse("admin:retrieval_domain_add")).status_code == 403


UNOWNED = "/admin/retrieval/unowneddocument/"


def test_staff_assign_a_document_that_nobody_owns_without_seeing_its_title(
    client, administrator, private_section
):
    ann, document = User.objects.create_user("ann"), private_section.document
    change = f"{UNOWNED}{document.pk}/change/"
    for url in (UNOWNED, change):
        page = client.get(url).content.decode()
        assert "/client_cases/1" in page and "Secret Client" not in page
    assert client.post(change, {"new_owner": "user:ann"}).status_code == 302
    with as_system():
        assert Document.objects.get(pk=document.pk).owner == f"user:{ann.pk}"
    assert client.get(change).status_code == 302  # it is no longer among them


@pytest.mark.parametrize(
    "url", ["/admin/retrieval/matter/?client__istartswith=X", "/admin/retrieval/matter/?reference__contains=7",
            f"{UNOWNED}?title__icontains=secret", f"{UNOWNED}?metadata__party=x",
            f"{UNOWNED}?domain__sections__text__startswith=Secret", f"{UNOWNED}?domain__documents__title__contains=a",
            f"{UNOWNED}?domain__documents__grants__name__startswith=u",
            f"{UNOWNED}?domain__uploads__filename__contains=a"],
)  # fmt: skip
def test_lists_of_what_is_hidden_are_filtered_by_nothing_that_is(
    client, administrator, firm, private_section, url
):
    assert client.get(url).status_code in (400, 403)
    assert client.get(url.partition("?")[0]).status_code == 200


def test_unowned_documents_are_filtered_by_their_domain(client, administrator, private_section):
    for domain, count in ((private_section.domain_id, 1), (Domain.objects.get(slug="us_code").pk, 0)):
        page = client.get(UNOWNED, {"domain__id__exact": domain})
        assert page.context["cl"].result_count == count


def test_only_a_superuser_assigns_what_belonged_to_a_key_that_is_revoked(
    client, administrator, private_section
):
    key, _ = ApiKey.issue(name="Old app")
    with as_system():
        Document.objects.filter(pk=private_section.document_id).update(owner=f"key:{key.pk}")
    key.revoke()
    change = f"{UNOWNED}{private_section.document_id}/change/"
    assert client.get(change).status_code == 302
    client.force_login(User.objects.create_superuser("root"))
    assert client.get(change).status_code == 200


@pytest.mark.parametrize("name", ["user:zoe", "group:Curator", "ann", ""])
def test_a_document_is_not_assigned_to_nobody(client, administrator, private_section, name):
    change = f"{UNOWNED}{private_section.document_id}/change/"
    assert "new_owner" in client.post(change, {"new_owner": name}).context["adminform"].form.errors


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
    revoke = f"/admin/retrieval/apikey/{key.pk}/do/revoke/"
    assert "nothing brings back" in client.post(revoke).content.decode()  # asked once more
    key.refresh_from_db()
    assert key.revoked_at is None
    client.post(revoke, {"sure": "yes"})
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
    grant(private_section.document, caller_for(superuser))
    assert "Secret § 1" in client.get(TRY, asked | {"domain": "client_cases"}).content.decode()


# -- Matters


def test_staff_see_that_there_are_matters_and_nothing_that_is_said_of_them(client, administrator, firm):
    handed_in(firm.matter, firm.lead)
    matters.add_deadline(firm.matter, "Collect the doubloons", date(2031, 5, 4), firm.lead)
    page = client.get("/admin/retrieval/matter/")
    row = page.context["cl"].result_list[0]
    assert (row.pk, row.members_in_it, row.todo) == (firm.matter.pk, 3, 1)
    everywhere = page.content.decode() + "".join(
        client.get(f"/admin/{path}").content.decode()
        for path in (
            "",
            "retrieval/document/",
            "retrieval/upload/",
            "retrieval/jobrun/",
            "retrieval/section/",
        )
    )
    for word in (REFERENCE, CLIENT, "user:lea", "doubloons", "lease.txt"):
        assert word not in everywhere
    assert client.get(f"/admin/retrieval/matter/{firm.matter.pk}/change/").status_code in (302, 403)
    assert client.get(f"/admin/retrieval/matter/{firm.matter.pk}/history/").status_code in (302, 403)
    assert client.post(f"/admin/retrieval/matter/{firm.matter.pk}/delete/", {"post": "yes"}).status_code in (
        302,
        403,
    )


@pytest.mark.parametrize("gone", [lambda lea: lea.delete(), lambda lea: lea.update(is_active=False)])
def test_a_superuser_names_a_lead_of_a_matter_that_nobody_can_lead(client, administrator, firm, gone):
    change = f"/admin/retrieval/matter/{firm.matter.pk}/change/"
    gone(User.objects.filter(username="lea"))
    assert client.post(change, {"new_lead": "user:rea"}).status_code == 403  # no superuser
    client.force_login(User.objects.get(username="root"))
    page = client.get("/admin/retrieval/matter/").content.decode()
    assert change in page and "Nobody: name one" in page
    form = client.get(change).content.decode()
    assert REFERENCE not in form and CLIENT not in form
    assert "new_lead" in client.post(change, {"new_lead": "user:nobody"}).context["adminform"].form.errors
    assert client.post(change, {"new_lead": "user:stan"}).status_code == 302
    with as_system():
        assert matters.role_of(firm.matter, firm.stranger) == "lead"
    assert "Nobody: name one" not in client.get("/admin/retrieval/matter/").content.decode()
    assert client.post(change, {"new_lead": "user:rea"}).status_code == 403


def test_a_matters_document_is_none_without_an_owner(client, administrator, firm):
    document = handed_in(firm.matter, firm.lead)
    assert document.locator not in client.get(UNOWNED).content.decode()


def test_the_form_of_a_key_begins_its_labels_alike(admin_client):
    page = admin_client.get("/admin/retrieval/apikey/add/", headers={"accept-language": "es"}).content.decode()
    assert "Alcances" in page and "alcances" not in page
