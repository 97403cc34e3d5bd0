"""A document is walked from its top to its last provision, and no answer grows with the document."""

import json
from datetime import date
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler

from arf_site.web import uploads
from retrieval import jobs
from retrieval.access.caller import Caller
from retrieval.access.row_security import as_system
from retrieval.api import documents, serializers
from retrieval.ingestion import uploading
from retrieval.models import ApiKey, Document, Domain, Section, Upload
from tests.builders import a_case_file, a_document, a_domain, a_section
from tests.retrieval.api.asking import API, assert_shape, section
from tests.retrieval.api.keys import key_with
from tests.retrieval.api.refusals import assert_refused

pytestmark = pytest.mark.django_db


def opened(client, path="us/const", headers=None, **query):
    response = client.get(f"{API}/documents/{path}", query, **(headers or {}))
    assert response.status_code == 200, response.content
    assert_shape(response.json(), serializers.DocumentTree)
    return response.json()


def locators(nodes):
    return [node["locator"] for node in nodes]


@as_system()
def a_wide_document(children, **fields):
    """A document of so many sections, the first of which holds as many again."""
    document = a_document(a_domain(), **fields)
    tops = [a_section(document) for _ in range(children)]
    for _ in range(children):
        a_section(document, parent_locator=tops[0].locator, depth=1)
    return document, tops


def test_a_document_opens_with_its_first_level(client):
    constitution = opened(client)
    assert constitution["title"].startswith("Constitution") and constitution["domain"] == "us_constitution"
    assert len(constitution["children"]) == constitution["total"] == 1 + 7 + 27
    article = next(node for node in constitution["children"] if node["locator"].endswith("article/I"))
    assert (article["level"], article["number"], article["children_total"]) == ("article", "I", 10)
    assert article["children"] == [] and article["sections"] > 10
    results = Section.objects.live().results().filter(domain__slug="us_constitution", valid_to=None)
    assert constitution["results"] == results.count() < constitution["sections"]


def test_deeper_levels_are_opened_in_the_order_of_the_law(client):
    article = next(n for n in opened(client, depth=3)["children"] if n["locator"].endswith("article/I"))
    assert [child["number"] for child in article["children"]] == [str(n) for n in range(1, 11)]
    eighth = article["children"][7]
    assert len(eighth["children"]) == eighth["children_total"] == eighth["sections"] == 18
    assert article["sections"] == sum(1 + child["sections"] for child in article["children"])


def test_a_document_can_be_walked_to_every_provision(client):
    """By what the answers say alone: children, and `under` where there are more."""
    found, to_open = [], [None]
    while to_open:
        under = to_open.pop()
        for child in opened(client, **({"under": under} if under else {}))["children"]:
            found.append(child["locator"])
            to_open += [child["locator"]] * bool(child["children_total"])
    here = Section.objects.live().filter(domain__slug="us_constitution", valid_to=None)
    assert sorted(found) == sorted(here.values_list("locator", flat=True))


def test_below_one_section_its_children_are_paged(client):
    at = {"under": "/us/const/article/I/section/8", "k": 10}
    first, second = opened(client, **at), opened(client, **at, page=2)
    assert first["under"]["citation"] == "U.S. Const. art. I, § 8"
    assert (first["total"], first["next"], second["next"], second["previous"]) == (18, 2, None, 1)
    assert len(first["children"]) == 10 and len(second["children"]) == 8
    assert not set(locators(first["children"])) & set(locators(second["children"]))


def test_an_answer_is_bounded_however_wide_the_document(client, monkeypatch, django_assert_max_num_queries):
    monkeypatch.setattr(documents, "MAX_NODES", 30)
    document, tops = a_wide_document(20)
    with django_assert_max_num_queries(8):
        whole = opened(client, document.locator.strip("/"), depth=5)
    first = whole["children"][0]
    assert len(whole["children"]) == 20 and len(first["children"]) == 10
    assert (first["children_total"], first["sections"], whole["sections"]) == (20, 20, 40)
    rest = opened(client, document.locator.strip("/"), under=first["locator"], page=2, k=10)
    assert len(rest["children"]) == 10 and rest["next"] is None


def test_a_document_that_is_a_provision_itself_opens_below_it(client):
    document = a_document(a_domain())
    title = a_section(document, locator=document.locator)
    chapter = a_section(document, parent_locator=title.locator, depth=1)
    account = opened(client, document.locator.strip("/"))
    assert account["under"]["locator"] == title.locator
    assert locators(account["children"]) == [chapter.locator]


def test_the_tree_is_that_of_a_day(client):
    Section.objects.filter(locator="/us/const/amendment/XXVII").update(valid_to=date(2001, 1, 1))
    assert opened(client)["total"] == 34
    assert "/us/const/amendment/XXVII" in locators(opened(client, as_of="2000-01-01")["children"])
    assert "/us/const/amendment/XXVII" not in locators(opened(client, as_of="1900-01-01")["children"])


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("depth=0", "bad_parameter"),
        ("depth=6", "bad_parameter"),
        ("k=101", "bad_parameter"),
        ("page=0", "bad_parameter"),
        ("under=%00", "bad_parameter"),
        ("level=2", "unknown_parameter"),
    ],
)
def test_bad_parameters_are_refused(client, query, code):
    assert_refused(client.get(f"{API}/documents/us/const?{query}"), 400, code)


@pytest.mark.parametrize(
    "path", ["us/const?under=/us/usc/t8", "us/const/article/I", "us", "nothing", "%0a", "%ff"]
)
def test_what_is_no_document_or_not_in_it_is_not_found(client, path):
    assert_refused(client.get(f"{API}/documents/{path}"), 404, "not_found")


def test_a_private_document_is_there_for_who_may_read_it_alone(client):
    key, granted = key_with("search")
    _, other = key_with("search")
    case = a_case_file("Matter of A", "secret words", granted_to=Caller((f"key:{key.pk}",)))
    hidden = a_case_file("Matter of B", "other words")
    account = opened(client, case.locator.strip("/"), granted)
    assert account["sections"] == account["total"] == 1
    assert section(client, case.locator.strip("/"), headers=granted)["text"] == "secret words"
    refusals = set()
    for place, headers in ((case, {}), (case, other), (hidden, granted)):
        for kind in ("documents", "sections"):
            refusals.add((kind, client.get(f"{API}/{kind}{place.locator}", **headers).content))
    for kind in ("documents", "sections"):
        refusals.add((kind, client.get(f"{API}/{kind}/client_cases/nothing").content))
    assert len(refusals) == 2


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


def test_a_file_that_waits_when_its_document_is_withdrawn_is_not_read(client):
    domain, key = a_domain(), bearer("search", "documents")
    stored = handed_in(client, domain, key).json()
    finish(stored["id"])
    place = client.get(stored["url"], **key).json()["document"]
    waiting = handed_in(client, domain, key, b"1. Term. Two years.").json()
    other = handed_in(client, domain, key, filename="other.txt").json()
    assert client.delete(f"/api/v1/documents{place}", **key).json()["sections"] == 1
    for upload, became in ((waiting, "cancelled"), (other, "stored")):
        finish(upload["id"])
        assert client.get(upload["url"], **key).json()["status"] == became
    assert client.get(f"/api/v1/sections{place}/1").status_code == 404


def test_a_document_that_is_withdrawn_while_it_is_read_never_comes(client):
    domain, key = a_domain(), bearer("search", "documents")
    upload = handed_in(client, domain, key).json()
    turn = jobs.next_of(jobs.CORPUS)
    jobs.take_step(turn.pk, turn.ticket)
    place = client.get(upload["url"], **key).json()["document"]
    assert client.delete(f"/api/v1/documents{place}", **key).json()["sections"] == 0
    finish(upload["id"])
    assert client.get(upload["url"], **key).json()["status"] == "cancelled"
    assert not Document.objects.filter(locator=place).exists()


def test_one_file_too_many_is_answered_by_429_and_a_failed_one_says_so(client, monkeypatch):
    domain, key = a_domain(), bearer("documents")
    monkeypatch.setattr(uploading, "MOST_WAITING", 1)
    taken = handed_in(client, domain, key).json()
    refused = handed_in(client, domain, key, filename="b.txt")
    assert error(refused) == (429, "too_many_waiting") and refused["Retry-After"] == "30"
    monkeypatch.setattr(uploading, "chunk_some", lambda run: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        finish(taken["id"])
    state = client.get(taken["url"], **key).json()
    assert state["status"] == "failed" and state["reason"].startswith("ZeroDivisionError in <lambda>")
    assert handed_in(client, domain, key, filename="b.txt").status_code == 202


def test_the_reply_names_other_documents_of_the_same_title(client):
    domain, text = a_domain(), b"# Staff Handbook\n\nAll staff take a day of leave."
    keys = [bearer("search", "documents") for _ in range(2)]
    for key in keys:
        upload = handed_in(client, domain, key, text, "handbook.md").json()
        assert upload["same_title"] == []
        finish(upload["id"])
    first, second = f"/{domain.slug}/handbook", f"/{domain.slug}/handbook-2"
    state = client.get(upload["url"], **keys[1]).json()
    assert (state["document"], state["same_title"]) == (second, [first])
    client.delete(f"/api/v1/documents{first}", **keys[0])
    assert client.get(upload["url"], **keys[1]).json()["same_title"] == []


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


def test_a_key_with_the_scope_begins_in_a_private_domain_that_others_do_not_see(client):
    firm, key = a_domain(visibility="private"), bearer("search", "documents")
    assert client.get(HERE, {"domain": firm.slug}, **key).status_code == 404
    taken = handed_in(client, firm, key)
    assert taken.status_code == 202
    finish(taken.json()["id"])
    assert client.get(HERE, {"domain": firm.slug}, **key).json()["total"] == 1
    assert client.get(HERE, {"domain": firm.slug}, **bearer("search", "documents")).status_code == 404


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


def test_an_owner_changes_title_tags_and_metadata_and_nobody_else_does(client, friend):
    domain, key = Domain.objects.get(slug="client_cases"), bearer("search", "documents")
    upload = handed_in(client, domain, key).json()
    finish(upload["id"])
    locator = client.get(upload["url"], **key).json()["document"]
    answer = edited(client, locator, key, tags=["lease"], metadata={"party": "Acme", "rent": 900})
    assert (answer.status_code, answer.json()["tags"]) == (200, ["lease"])
    shown = client.get(f"/api/v1/documents{locator}", **key).json()
    assert answer.json()["metadata"] == shown["metadata"] == {"party": "Acme", "rent": 900}
    share(client, locator, key, name=f"key:{friend[0].public_id}")
    as_reader = client.get(f"/api/v1/documents{locator}", **friend[1]).json()
    assert as_reader["tags"] == ["lease"] and "metadata" not in as_reader
    renamed = edited(client, locator, key, title="Lease of the mill")
    assert (renamed.json()["title"], renamed.json()["tags"]) == ("Lease of the mill", ["lease"])
    with as_system():
        section = Section.objects.filter(document__locator=locator).first()
    assert section.citation.startswith("Lease of the mill") and section.breadcrumb.startswith("Lease of the mill")
    assert error(edited(client, locator, key, title=" ")) == (400, "bad_parameter")
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
    assert edit(["lease"]).json()["tags"] == ["lease"] and edit(["lease"]).json()["metadata"] == {}
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
