"""Handing in files in the admin."""

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from retrieval.admin import access
from retrieval.admin.uploading import UploadForm, numbers
from retrieval.ingestion import uploading
from retrieval.models import Document, Domain, Section, Upload
from tests import files
from tests.builders import a_domain
from tests.leases import LEASE, finish
from tests.retrieval.pages.looking import Page

pytestmark = pytest.mark.django_db


def post(client, domain, *contents, **fields):
    named = [SimpleUploadedFile(name, content) for name, content in contents]
    return client.post(reverse("admin_upload"), {"domain": domain.pk, "files": named, **fields}, follow=True)


def test_a_curator_hands_in_several_files_and_sees_what_became_of_each(client, curator):
    handed_in = ("none.txt", b""), ("lease.pdf", LEASE), ("locked.pdf", files.encrypted_pdf()), ("x.exe", b"MZ")
    page = post(client, a_domain(), *handed_in)
    assert "x.exe: The file is in no known format" in page.content.decode()
    assert "none.txt: The file is empty" in page.content.decode()
    finish()
    told = client.get(reverse("admin_upload"), headers={"HX-Request": "true"}).content.decode()
    assert told.lstrip().startswith("<section")
    assert "The file is encrypted" in told and "Scans without text: pages 3." in told
    assert "every 2s" not in told
    assert {u.filename: u.status for u in Upload.objects.all()} == {
        "lease.pdf": "stored",
        "locked.pdf": "refused",
    }


def test_help_and_errors_are_told_of_their_boxes(client, curator):
    page = Page(post(client, a_domain()))
    (box,) = page.all("input", name="files")
    assert box["aria-describedby"].split() == ["id_files_helptext", "id_files_error"]
    assert {"id_files_helptext", "id_files_error"} <= {a.get("id") for _, a in page.elements}


def test_a_file_whose_job_failed_is_shown_as_failed_with_its_job(client, curator, monkeypatch):
    monkeypatch.setattr(uploading, "chunk_some", lambda run: 1 / 0)
    post(client, a_domain(), ("lease.pdf", LEASE))
    with pytest.raises(ZeroDivisionError):
        finish()
    told = client.get(reverse("admin_upload"), headers={"HX-Request": "true"}).content.decode()
    job = Upload.objects.get().run
    assert (
        f'href="/admin/retrieval/jobrun/{job.pk}/change/">Failed</a>' in told and "ZeroDivisionError" in told
    )
    assert "every 2s" not in told


def test_files_beyond_what_may_wait_are_refused_by_name(client, curator, monkeypatch):
    monkeypatch.setattr(uploading, "MOST_WAITING", 1)
    page = post(client, a_domain(), ("a.txt", b"Words."), ("b.txt", b"Words."))
    assert "b.txt: 1 files of yours wait to be read" in page.content.decode()
    assert Upload.objects.get().filename == "a.txt"


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
    client.post(change, {"title": "Lease", "tags": "boat", "metadata": '{"party": "Acme"}'})
    document.refresh_from_db()
    assert (document.tags, document.metadata) == (["boat"], {"party": "Acme"})
    client.post(reverse("admin:retrieval_document_do", args=[document.pk, "withdraw"]))
    assert not Section.objects.filter(document=document, valid_to=None).exists()


def test_nobody_chooses_themselves_as_another_reader(client, curator):
    User.objects.create_user("ann")
    assert [one for kind in access.readers(owner="user:ann") for one in kind[1] if one[0] == "user:ann"] == []
    page = client.get(reverse("admin_upload")).content.decode()
    assert 'value="user:ann"' in page and f'value="user:{curator.username}"' not in page


def test_tags_are_words_between_commas():
    form = UploadForm(User(username="ann"), {"tags": " lease, sea,, ", "reader": ""})
    form.is_valid()
    assert form.cleaned_data["tags"] == ["lease", "sea"] and form.cleaned_data["reader"] == []


def test_pages_are_listed_between_commas():
    assert numbers([1, 2, 5]) == "1, 2, 5"
