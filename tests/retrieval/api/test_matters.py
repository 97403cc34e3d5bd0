"""Matters over the API: a case from its opening to its erasure, and what each role, a stranger and nobody may do."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from retrieval.access import matters
from retrieval.api import matters as shapes
from retrieval.models import Matter, SearchLog
from tests.leases import finish
from tests.matters import CLIENT, PAPER, REFERENCE, let_in
from tests.retrieval.api.asking import API, assert_shape
from tests.retrieval.api.keys import key_with

pytestmark = pytest.mark.django_db
SCOPES = ("search", "documents")


class Key:
    """A client application that sends its key."""

    def __init__(self, client, *scopes):
        key, self.headers = key_with(*(scopes or SCOPES))
        self.client, self.name, self.caller = client, f"key:{key.public_id}", key.caller

    def ask(self, method, path, body=None):
        send = getattr(self.client, method)
        said = {"data": "" if body is None else body, "content_type": "application/json"}
        return send(f"{API}/{path}", **said, **self.headers)

    def hand_in(self, text=PAPER, filename="lease.txt", **fields):
        file = SimpleUploadedFile(filename, text.encode())
        fields = {"domain": "client_cases", "file": file, **fields}
        return self.client.post(f"{API}/documents", fields, **self.headers)


@pytest.fixture
def keys(client):
    """A lead, a contributor, a reader and a stranger, and the id of their matter."""
    lead, contributor, reader, stranger = (Key(client) for _ in range(4))
    matter = matters.open_matter(REFERENCE, CLIENT, lead.caller)
    let_in(matter, contributor.caller, "contributor")
    let_in(matter, reader.caller, "reader")
    return lead, contributor, reader, stranger, f"matters/{matter.public_id}"


def opened_over_the_api(client):
    lead, *others = (Key(client) for _ in range(4))
    opened = lead.ask("post", "matters", {"reference": REFERENCE, "client": CLIENT})
    assert opened.status_code == 201
    assert_shape(opened.json(), shapes.MatterAccount)
    matter = opened.json()["id"]
    for key, role in zip(others, ("contributor", "reader"), strict=False):
        said = {"name": key.name, "role": role}
        assert lead.ask("post", f"matters/{matter}/members", said).status_code == 200
    return lead, *others, f"matters/{matter}"


def test_a_case_from_its_opening_to_its_erasure(client):
    lead, contributor, reader, stranger, matter = opened_over_the_api(client)
    number = matter.partition("/")[2]
    upload = contributor.hand_in(matter=number)
    assert upload.status_code == 202
    waiting = reader.ask("get", matter).json()
    assert [each["filename"] for each in waiting["uploads"]] == ["lease.txt"]
    finish()
    assert reader.ask("get", f"uploads/{upload.json()['id']}").json()["status"] == "stored"
    assert stranger.ask("get", f"uploads/{upload.json()['id']}").status_code == 404

    found = reader.ask("get", "search?q=ninety+doubloons&domain=client_cases").json()
    assert (found["results"] or found["near_misses"])[0]["domain"] == "client_cases"
    due = {"what": "File the brief", "due_on": "2020-02-03"}
    account = contributor.ask("post", f"{matter}/deadlines", due).json()
    assert_shape(account, shapes.MatterAccount)
    assert account["deadlines"][0]["overdue"] and account["next_due"] == "2020-02-03"
    deadline = f"{matter}/deadlines/{account['deadlines'][0]['id']}"
    done = contributor.ask("patch", deadline, {"done": True}).json()["deadlines"][0]
    assert (done["overdue"], done["done_on"]) == (False, timezone.localdate().isoformat())
    assert lead.ask("patch", matter, {"client": "Somebody"}).json()["reference"] == REFERENCE
    assert lead.ask("delete", deadline).json()["deadlines"] == []

    assert lead.ask("post", f"{matter}/close").json()["closed_on"]
    assert reader.ask("get", "search?q=ninety+doubloons&domain=client_cases").status_code == 404
    inside = reader.ask("get", f"search?q=ninety+doubloons&matter={number}&explain=true").json()
    assert (inside["results"] or inside["near_misses"])[0]["domain"] == "client_cases"
    assert inside["explanation"]["candidates"]
    found = (inside["results"] or inside["near_misses"])[0]
    assert found["url"] == f"/law{found['locator']}?matter={number}"
    document = reader.ask("get", matter).json()["documents"][0]["locator"]
    for place, text in ((f"sections{found['locator']}", "Ninety doubloons"), (f"documents{document}", document)):
        assert text in reader.ask("get", f"{place}?matter={number}").content.decode()
        assert reader.ask("get", place).status_code == 404
        assert stranger.ask("get", f"{place}?matter={number}").status_code == 404
    beside = reader.ask("get", f"search?q=ninety+doubloons&matter={number}&domain=us_constitution").json()
    assert "client_cases" in {place["domain"] for place in beside["results"] + beside["near_misses"]}
    log = SearchLog.objects.get(pk=beside["trace_id"])
    assert (log.private, log.query_text) == (True, "")
    opinion = {"trace_id": beside["trace_id"], "verdict": "helpful"}
    for key, traced, told in ((reader, 200, 201), (stranger, 404, 404)):
        assert key.ask("get", f"traces/{beside['trace_id']}").status_code == traced
        assert key.ask("post", "feedback", opinion).status_code == told
    assert stranger.ask("get", f"search?q=ninety+doubloons&matter={number}").status_code == 404
    assert lead.hand_in(matter=number).status_code == 422
    account = reader.ask("get", matter).json()
    assert account["role"] == "reader" and len(account["documents"]) == 1
    assert lead.ask("post", f"{matter}/reopen").json()["closed_on"] is None
    place = f"documents{account['documents'][0]['locator']}"
    assert [key.ask("delete", place).status_code for key in (contributor, reader, stranger)] == [
        403,
        403,
        404,
    ]
    assert lead.ask("delete", place).json()["sections"] == 1
    assert lead.ask("get", matter).json()["documents"] == []

    refused = lead.ask("post", f"{matter}/erase", {"reference": "another"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "unprocessable")
    assert lead.ask("post", f"{matter}/erase", {"reference": REFERENCE}).json() == {"id": number}
    assert lead.ask("get", matter).status_code == 404


def test_the_list_tells_no_client(keys):
    lead, _, reader, stranger, _ = keys
    soon = lead.ask("post", "matters", {"reference": "Soon"}).json()["id"]
    lead.ask("post", f"matters/{soon}/deadlines", {"what": "File", "due_on": "2031-01-01"})
    listed = lead.ask("get", "matters?k=1")
    assert_shape(listed.json(), shapes.MatterPage)
    assert [each["reference"] for each in listed.json()["matters"]] == ["Soon"] and listed.json()["next"] == 2
    assert CLIENT not in lead.ask("get", "matters").content.decode()
    assert [each["role"] for each in reader.ask("get", "matters").json()["matters"]] == ["reader"]
    assert stranger.ask("get", "matters").json()["matters"] == []


ACTS = [
    ("get", "", None),
    ("patch", "", {"reference": "mine"}),
    ("post", "/members", {"name": "user:zoe", "role": "lead"}),
    ("delete", "/members?name=user:zoe", None),
    ("post", "/deadlines", {"what": "x", "due_on": "2030-01-01"}),
    ("patch", "/deadlines/1", {"done": True}),
    ("delete", "/deadlines/1", None),
    ("post", "/close", None),
    ("post", "/reopen", None),
    ("post", "/erase", {"reference": REFERENCE}),
]


@pytest.mark.parametrize(("method", "path", "body"), ACTS)
def test_who_may_not_is_refused_and_a_stranger_sees_nothing(client, keys, method, path, body):
    _, contributor, reader, stranger, matter = keys
    assert stranger.ask(method, matter + path, body).status_code == 404
    assert Key(client, "search", "staff").ask(method, matter + path, body).status_code in (403, 404)
    nobody = Key(client)
    nobody.headers = {}
    assert nobody.ask(method, matter + path, body).status_code in (403, 404)
    if method != "get":
        assert reader.ask(method, matter + path, body).status_code == 403
    if method != "get" and "deadlines" not in path:
        assert contributor.ask(method, matter + path, body).status_code == 403
    assert Matter.objects.count() == 0  # to a connection that nobody is told of
    assert reader.ask("get", matter).json()["reference"] == REFERENCE


def test_bad_input_is_told_and_changes_nothing(keys):
    lead, contributor, _, _, matter = keys
    number = matter.partition("/")[2]
    for method, path, body, status in (
        ("post", "matters", {"reference": " "}, 422),
        ("post", "matters", {"reference": "x" * 201}, 400),
        ("post", "matters", {"client": "x"}, 400),
        ("patch", matter, {"reference": ""}, 422),
        ("post", f"{matter}/members", {"name": "zoe"}, 422),
        ("post", f"{matter}/members", {"name": "user:zoe", "role": "owner"}, 400),
        ("delete", f"{matter}/members?name=user:nobody", None, 404),
        ("delete", f"{matter}/members", None, 422),  # the last lead
        ("post", f"{matter}/deadlines", {"what": "x", "due_on": "2030-02-30"}, 400),
        ("post", f"{matter}/deadlines", {"what": " ", "due_on": "2030-02-20"}, 422),
        ("patch", f"{matter}/deadlines/999", {"done": True}, 404),
        ("get", "search?q=x&matter=7", None, 400),
        ("get", f"search?q=x&matter={number}", None, 404),  # it holds no documents yet
    ):
        answer = lead.ask(method, path, body)
        assert answer.status_code == status, (path, answer.content)
        assert answer.json()["error"]["message"]
    assert contributor.hand_in(matter=number, grant="user:zoe").status_code == 400
    assert lead.hand_in(matter=number, domain="us_constitution").status_code == 404
    account = lead.ask("get", matter).json()
    assert (account["reference"], len(account["members"]), account["deadlines"]) == (REFERENCE, 3, [])


def test_a_reader_leaves_and_a_removed_member_reads_no_more(keys):
    lead, contributor, reader, _, matter = keys
    assert reader.ask("delete", f"{matter}/members").status_code == 200
    assert lead.ask("delete", f"{matter}/members?name={contributor.name}").status_code == 200
    assert {each.ask("get", matter).status_code for each in (reader, contributor)} == {404}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_member_leaves_by_a_key_that_only_searches_or_only_changes(client, keys, scope):
    lead, *_, matter = keys
    member = Key(client, scope)
    lead.ask("post", f"{matter}/members", {"name": member.name, "role": "reader"})
    assert member.ask("delete", f"{matter}/members?name={lead.name}").status_code == 403
    assert member.ask("delete", f"{matter}/members").status_code == 200
    assert member.name not in {each["name"] for each in lead.ask("get", matter).json()["members"]}


def test_staff_keys_see_no_matter_that_they_are_no_member_of(client, keys):
    staff = Key(client, *SCOPES, "staff", "pipelines")
    assert staff.ask("get", "matters").json()["matters"] == []


def test_a_paper_read_in_a_closed_matter_says_that_it_is_closed(keys):
    lead, _contributor, reader, stranger, matter = keys
    lead.hand_in(matter=matter.removeprefix("matters/"))
    finish()
    (paper,) = lead.ask("get", matter).json()["documents"]
    place = f"sections{paper['locator']}?{matter.replace('matters/', 'matter=')}"
    assert reader.ask("get", place).json()["matter_closed_on"] is None
    assert lead.ask("post", f"{matter}/close").status_code == 200
    assert reader.ask("get", place).json()["matter_closed_on"] == timezone.localdate().isoformat()
    assert stranger.ask("get", place).status_code == 404


def test_the_graph_is_read_in_a_matter_by_its_members_alone(keys):
    lead, contributor, reader, stranger, matter = keys
    number = matter.removeprefix("matters/")
    cites = f"{PAPER}\n\n2. Law. The tenant has the rights of U.S. Const. amend. IV."
    lead.hand_in(cites, matter=number)
    finish()
    (paper,) = lead.ask("get", matter).json()["documents"]
    asked, law = f"graph{paper['locator']}/2?matter={number}", f"graph/us/const/amendment/IV?matter={number}"
    edge = {"source": f"{paper['locator']}/2", "target": "/us/const/amendment/IV"}
    assert lead.ask("post", f"{matter}/close").status_code == 200
    for key in (lead, contributor, reader):
        assert key.ask("get", asked).json()["edges"] == [edge]
        assert edge in key.ask("get", law).json()["edges"]
        outside = key.ask("get", asked.partition("?")[0]), key.ask("get", law.partition("?")[0])
        assert outside[0].status_code == 404 and paper["locator"] not in str(outside[1].content)
    assert stranger.ask("get", asked).status_code == stranger.ask("get", law).status_code == 404
    assert reader.client.get(f"{API}/{asked}").status_code == 404
