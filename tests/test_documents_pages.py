"""Handing in files in the admin, and reading documents with their pages."""

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from retrieval import jobs, uploading
from retrieval.models import Document, Domain, Section, Upload
from retrieval.row_access import as_system
from tests import files
from tests.builders import a_domain

pytestmark = pytest.mark.django_db

LEASE = files.pdf(
    files.column("1. Term. The lease of the lighthouse runs for a year", top=700),
    files.column("from today. No renewal.", "2. Law. The laws of Ruritania apply."),
    "scan",
)


@pytest.fixture
def curator(client):
    user = User.objects.create_user("curator", password="a long password", is_staff=True)
    user.groups.add(Group.objects.get(name="Curator"))
    client.force_login(user)
    return user


def finish():
    with as_system():
        runs = [upload.run for upload in Upload.objects.filter(status="waiting").order_by("pk")]
    for run in runs:
        for _step in jobs.run_here(run):
            pass


def post(client, domain, *contents, **fields):
    named = [SimpleUploadedFile(name, content) for name, content in contents]
    return client.post(reverse("admin_upload"), {"domain": domain.pk, "files": named, **fields}, follow=True)


def test_a_curator_hands_in_several_files_and_sees_what_became_of_each(client, curator):
    page = post(
        client, a_domain(), ("lease.pdf", LEASE), ("locked.pdf", files.encrypted_pdf()), ("x.exe", b"MZ")
    )
    assert "x.exe: The file is in no known format" in page.content.decode()
    finish()
    told = client.get(reverse("admin_upload"), headers={"HX-Request": "true"}).content.decode()
    assert told.lstrip().startswith("<section")
    assert "The file is encrypted" in told and "Scans without text: pages 3." in told
    assert "every 2s" not in told
    assert {u.filename: u.status for u in Upload.objects.all()} == {
        "lease.pdf": "stored",
        "locked.pdf": "refused",
    }


def test_the_page_is_for_those_who_may_upload(client):
    client.force_login(User.objects.create_user("staff", password="a long password", is_staff=True))
    assert client.get(reverse("admin_upload")).status_code == 403


def test_private_files_are_listed_for_their_owner_alone(client, curator):
    post(client, Domain.objects.get(slug="client_cases"), ("secret.pdf", LEASE))
    finish()
    lists = reverse("admin:retrieval_upload_changelist"), reverse("admin:retrieval_document_changelist")
    assert all("secret.pdf" in client.get(address).content.decode() for address in lists)
    jobs_list = client.get(reverse("admin:retrieval_jobrun_changelist")).content.decode()
    assert "secret" not in jobs_list
    other = User.objects.create_superuser("root", password="a long password")
    client.force_login(other)
    assert not any("secret.pdf" in client.get(address).content.decode() for address in lists)


def test_staff_tag_and_withdraw_a_document(client, curator):
    post(client, a_domain(), ("lease.pdf", LEASE), tags="lease, sea")
    finish()
    document = Document.objects.get(filename="lease.pdf")
    assert document.tags == ["lease", "sea"]
    change = reverse("admin:retrieval_document_change", args=[document.pk])
    client.post(change, {"tags": "boat", "metadata": '{"party": "Acme"}'})
    document.refresh_from_db()
    assert (document.tags, document.metadata) == (["boat"], {"party": "Acme"})
    client.post(reverse("admin:retrieval_document_do", args=[document.pk, "withdraw"]))
    assert not Section.objects.filter(document=document, valid_to=None).exists()


def test_a_domain_needs_a_slug_and_a_name_and_no_locators_that_are_taken(client):
    client.force_login(User.objects.create_superuser("root", password="a long password"))
    address = reverse("admin:retrieval_domain_add")
    form = client.get(address).context["adminform"].form
    offered = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    fields = {name: value for name, value in offered.items() if value is not None}
    fields |= {"slug": "leases", "name": "Leases"}
    taken = client.post(address, fields | {"locator_prefix": "/us/const/mine"})
    assert "begin so" in taken.content.decode()
    client.post(address, fields)
    made = Domain.objects.get(slug="leases")
    assert (made.locator_prefix, made.languages) == ("/leases", ["en"])


def test_a_reader_sees_pages_and_scans(client):
    domain = a_domain()
    uploading.accept(domain, "lease.pdf", LEASE, principal="user:1")
    finish()
    whole = client.get(f"/law/{domain.slug}/lease").content.decode()
    assert "lease.pdf · 3 pages" in whole and "nothing on them can be found: 3." in whole
    page = client.get(f"/law/{domain.slug}/lease/1").content.decode()
    marks = [page.index(f'id="page-{number}" role="doc-pagebreak"') for number in (1, 2)]
    assert marks[0] < page.index("The lease of the lighthouse") < marks[1] < page.index("from today")
    assert 'id="page-2"' in client.get(f"/law/{domain.slug}/lease/2").content.decode()


def test_a_result_says_on_which_page_it_stands(client, reindex):
    domain = a_domain()
    uploading.accept(domain, "lease.pdf", LEASE, principal="user:1")
    finish()
    reindex()
    page = client.get("/search", {"q": "laws of Ruritania", "domain": domain.slug}).content.decode()
    assert "page 2" in page
