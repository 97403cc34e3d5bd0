"""Documents over the API: handed in with a key's scope, followed, read, withdrawn; errors in one shape."""

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler

from arf_site.web import uploads
from retrieval import jobs
from retrieval.access.row_security import as_system
from retrieval.api import serializers
from retrieval.ingestion import uploading
from retrieval.models import ApiKey, Document, Domain, Upload
from tests.builders import a_domain
from tests.retrieval.api.asking import API, assert_shape
from tests.retrieval.api.refusals import assert_refused

pytestmark = pytest.mark.django_db

CONTENT = b"1. Term. The lease of the lighthouse runs for a year."
HERE = "/api/v1/documents"


def bearer(*scopes):
    return {"HTTP_AUTHORIZATION": f"Bearer {ApiKey.issue(name='a client', scopes=list(scopes))[1]}"}


def handed_in(client, domain, key, content=CONTENT, filename="lease.txt", **fields):
    file = SimpleUploadedFile(filename, content)
    return client.post(HERE, {"domain": domain.slug, "file": file, **fields}, **key)


def finish(upload_id):
    with as_system():
        run = Upload.objects.get(public_id=upload_id).run
    for _step in jobs.run_here(run):
        pass


def error(response):
    return response.status_code, response.json()["error"]["code"]


def test_a_file_is_handed_in_followed_read_and_withdrawn(client):
    domain, key = a_domain(), bearer("search", "documents")
    taken = handed_in(client, domain, key, tag=["lease", "sea"], title="The Lighthouse Lease")
    assert (taken.status_code, taken.json()["status"]) == (202, "waiting")
    finish(taken.json()["id"])
    state = client.get(taken.json()["url"], **key).json()
    assert (state["status"], state["percent"], state["sections"]) == ("stored", 100, 1)
    (listed,) = client.get(HERE, {"domain": domain.slug}).json()["documents"]
    assert (listed["filename"], listed["tags"]) == ("lease.txt", ["lease", "sea"])
    assert listed["title"] == "The Lighthouse Lease"
    assert client.get(f"/api/v1/sections{state['document']}/1").json()["title"] == "Term"
    gone = client.delete(f"/api/v1/documents{state['document']}", **key)
    assert gone.json() == {"locator": state["document"], "sections": 1}
    assert client.get(f"/api/v1/sections{state['document']}/1").status_code == 404
    assert client.get(HERE, {"domain": domain.slug}).json()["total"] == 0


def test_one_file_too_many_is_answered_by_429_and_a_failed_one_says_so(client, monkeypatch):
    domain, key = a_domain(), bearer("documents")
    monkeypatch.setattr(uploading, "MOST_WAITING", 1)
    taken = handed_in(client, domain, key).json()
    assert error(handed_in(client, domain, key, filename="b.txt")) == (429, "too_many_waiting")
    monkeypatch.setattr(uploading, "chunk_some", lambda run: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        finish(taken["id"])
    state = client.get(taken["url"], **key).json()
    assert state["status"] == "failed" and state["reason"].startswith("ZeroDivisionError in <lambda>")
    assert handed_in(client, domain, key, filename="b.txt").status_code == 202


def test_only_a_key_with_the_scope_hands_in_or_withdraws(client):
    domain, key = a_domain(), bearer("search", "documents")
    assert error(handed_in(client, domain, {})) == (403, "forbidden")
    assert error(handed_in(client, domain, bearer("search"))) == (403, "forbidden")
    upload = handed_in(client, domain, key).json()
    assert error(client.get(upload["url"], **bearer("documents"))) == (404, "not_found")
    finish(upload["id"])
    assert error(client.delete(f"/api/v1/documents/{domain.slug}/lease", **bearer("search"))) == (
        403,
        "forbidden",
    )


def test_what_is_missing_unknown_or_of_no_use_is_refused_in_one_shape(client):
    domain, key = a_domain(), bearer("documents")
    law = Domain.objects.get(slug="us_constitution")
    assert error(client.post(HERE, {"domain": domain.slug}, **key)) == (400, "bad_parameter")
    assert error(client.post(HERE, {"domain": domain.slug, "file": "words"}, **key)) == (400, "bad_parameter")
    assert error(handed_in(client, domain, key, colour="red")) == (400, "unknown_parameter")
    assert error(handed_in(client, law, key)) == (404, "not_found")
    assert error(handed_in(client, domain, key, b"MZ", "virus.exe")) == (422, "source_refused")
    assert error(client.post(HERE, "{}", "application/json", **key)) == (415, "unsupported_media_type")
    broken = client.post(HERE, b"--x\r\nno form", "multipart/form-data; boundary=y y", **key)
    assert broken.status_code == 400


def test_a_form_larger_than_is_taken_is_refused(client, monkeypatch):
    monkeypatch.setitem(uploads.DOCUMENTS, HERE, 1_000)
    assert error(handed_in(client, a_domain(), bearer("documents"), b"x" * 2_000)) == (413, "too_large")


def test_a_large_file_waits_on_disk_for_its_owner_alone_and_not_past_the_request(client, monkeypatch):
    made = []
    ready = TemporaryFileUploadHandler.file_complete

    def watched(self, size):
        file = ready(self, size)
        made.append((file.temporary_file_path(), Path(file.temporary_file_path()).stat().st_mode & 0o777))
        return file

    monkeypatch.setattr(TemporaryFileUploadHandler, "file_complete", watched)
    big = CONTENT + b" word" * 600_000
    assert handed_in(client, a_domain(), bearer("documents"), big).status_code == 202
    ((path, mode),) = made
    assert mode == 0o600
    assert not Path(path).exists()


def test_a_private_document_is_for_the_key_that_handed_it_in_and_those_it_named(client):
    cases, ours = Domain.objects.get(slug="client_cases"), bearer("search", "documents")
    friend, friends_secret = ApiKey.issue(name="friend", scopes=["search"])
    upload = handed_in(client, cases, ours, grant=f"key:{friend.public_id}").json()
    finish(upload["id"])
    place = client.get(upload["url"], **ours).json()["document"]
    for key, status in ((ours, 200), ({"HTTP_AUTHORIZATION": f"Bearer {friends_secret}"}, 200), ({}, 404)):
        assert client.get(f"/api/v1/sections{place}/1", **key).status_code == status
    assert error(client.delete(f"/api/v1/documents{place}", **bearer("search", "documents"))) == (
        404,
        "not_found",
    )


def test_documents_are_listed_in_pages(client):
    answer = client.get(f"{API}/documents").json()
    assert_shape(answer, serializers.DocumentPage)
    assert [document["locator"] for document in answer["documents"]] == ["/us/const"]
    beyond = client.get(f"{API}/documents?page=2&k=1").json()
    assert (beyond["documents"], beyond["total"], beyond["previous"]) == ([], 1, 1)


def test_documents_are_filtered_by_domain(client):
    assert client.get(f"{API}/documents?domain=us_code").json()["total"] == 0
    assert client.get(f"{API}/documents?domain=us_code&domain=us_constitution").json()["total"] == 1
    assert_refused(client.get(f"{API}/documents?domain=mars"), 404, "not_found")


def edited(client, locator, key, **body):
    return client.patch(
        f"/api/v1/documents{locator}", json.dumps(body), content_type="application/json", **key
    )


def test_an_owner_changes_tags_and_metadata_and_nobody_else_does(client):
    domain, key = Domain.objects.get(slug="client_cases"), bearer("search", "documents")
    upload = handed_in(client, domain, key).json()
    finish(upload["id"])
    locator = client.get(upload["url"], **key).json()["document"]
    answer = edited(client, locator, key, tags=["lease"], metadata={"party": "Acme", "rent": 900})
    assert (answer.status_code, answer.json()["tags"]) == (200, ["lease"])
    with as_system():
        assert Document.objects.get(locator=locator).metadata == {"party": "Acme", "rent": 900}
    assert error(edited(client, locator, bearer("search", "documents"), tags=[])) == (404, "not_found")
    assert error(edited(client, locator, {}, tags=[])) == (403, "forbidden")


@pytest.mark.parametrize(
    "metadata",
    [
        "Acme",
        ["Acme"],
        {"party": ["Acme"]},
        {"party": "a\0"},
        {"\0": "a"},
        {"party": None},
        {"": "a" * 501},
    ],
)
def test_metadata_are_words_and_numbers_by_name(client, metadata):
    refused = edited(client, "/client_cases/any", bearer("documents"), metadata=metadata)
    assert error(refused) == (400, "bad_parameter")


def test_a_number_too_large_to_be_kept_is_refused(client):
    address, key = "/api/v1/documents/client_cases/any", bearer("documents")
    sent = client.patch(address, '{"metadata": {"rent": 1e999}}', content_type="application/json", **key)
    assert error(sent) == (400, "bad_parameter")
