"""A private document is found by whom it was granted to, and does not exist for others."""

from datetime import date

import pytest

from retrieval.access.row_security import as_system
from retrieval.ingestion.embedding import embedding_in_use, save_chunks
from retrieval.models import Document, DocumentGrant, Domain, Section
from tests.retrieval.api.keys import API, key_with, search
from tests.retrieval.api.refusals import assert_refused, post

pytestmark = pytest.mark.django_db

SECRET_WORDS = "Marguerite Okonkwo overstayed her visitor visa by eleven days after a ferry strike."
LOCATOR = "/client_cases/okonkwo/facts"


@pytest.fixture
@as_system()
def case(client):
    """A private document that cites the Fifth Amendment, and the key it was granted to."""
    domain = Domain.objects.get(slug="client_cases")
    document = Document.objects.create(
        domain=domain, locator="/client_cases/okonkwo", title="Okonkwo", content_hash="x", private=True
    )
    section = Section.objects.create(
        domain=domain,
        document=document,
        level="section",
        heading="Facts",
        locator=LOCATOR,
        citation="Okonkwo, Facts",
        text=SECRET_WORDS,
        is_result=True,
        live=True,
        private=True,
        valid_from=date(2020, 1, 1),
        content_hash="x",
    )
    fifth = Section.objects.get(locator="/us/const/amendment/V")
    section.citations_made.create(target=fifth, target_locator=fifth.locator, text="Fifth", start=0, end=5)
    section.anchors.create(locator=f"{LOCATOR}/a", level="paragraph", number="a", start=0, end=5)
    save_chunks([section], *embedding_in_use())
    key, headers = key_with("search")
    document.grants.create(principal=f"key:{key.pk}")
    return headers


@pytest.fixture(params=["anonymous", "another key", "a staff key", "its key without the scope"])
def stranger(request, case):
    """Everybody whom the document was not opened to."""
    match request.param:
        case "anonymous":
            return {}
        case "another key":
            return key_with("search", "pipelines")[1]
        case "a staff key":
            return key_with("search", "staff")[1]
    key, headers = key_with("pipelines")
    with as_system():
        Document.objects.get(private=True).grants.create(principal=f"key:{key.pk}")
    return headers


def test_the_granted_key_finds_and_reads_the_document(client, case):
    for query in ({}, {"domain": "client_cases"}):
        results = search(client, "overstayed visitor visa ferry strike", headers=case, **query).json()[
            "results"
        ]
        assert results[0]["locator"] == LOCATOR
    assert client.get(f"{API}/sections{LOCATOR}", **case).json()["text"] == SECRET_WORDS
    assert client.get(f"{API}/sections{LOCATOR}/a", **case).json()["pin"] == f"{LOCATOR}/a"
    assert client.get(f"{API}/documents?domain=client_cases", **case).json()["total"] == 1
    fifth = client.get(f"{API}/sections/us/const/amendment/V", **case).json()
    assert LOCATOR in [edge["locator"] for edge in fifth["citations"]["received"]]
    assert "client_cases" in [c["domain"] for c in client.get(f"{API}/health", **case).json()["corpora"]]


def test_others_find_nothing_of_it(client, case, stranger):
    search(client, "overstayed visitor visa ferry strike", headers=case)
    answer = search(client, "overstayed visitor visa ferry strike", headers=stranger, k=100, explain="true")
    addresses = ["documents", "health", "sections/us/const/amendment/V"]
    bodies = [answer.content, *(client.get(f"{API}/{path}", **stranger).content for path in addresses)]
    assert not any(word in body.lower() for body in bodies for word in (b"okonkwo", b"client_cases"))


def test_a_hidden_domain_is_answered_as_one_that_does_not_exist(client, stranger):
    for path in ("search?q=visa&domain={}", "documents?domain={}", "sections/{}/okonkwo/facts"):
        hidden = client.get(f"{API}/{path.format('client_cases')}", **stranger)
        absent = client.get(f"{API}/{path.format('client_caseX')}", **stranger)
        assert hidden.status_code == absent.status_code == 404
        assert hidden.content.replace(b"client_cases", b"client_caseX") == absent.content


def test_a_hidden_anchor_is_not_found(client, stranger):
    assert_refused(client.get(f"{API}/sections{LOCATOR}/a", **stranger), 404, "not_found")


def test_a_citation_of_a_hidden_place_is_not_resolved(client, case, stranger):
    with as_system():
        Section.objects.filter(locator=LOCATOR).update(locator="/us/usc/t8/s1158")
    address = f"{API}/citations/resolve?q=8 U.S.C. § 1158"
    assert client.get(address, **case).json()["citations"][0]["resolved"] is True
    assert client.get(address, **stranger).json()["citations"][0]["resolved"] is False


@pytest.mark.parametrize("scopes", [None, ("search", "pipelines")])
def test_a_private_search_and_feedback_on_it_are_its_callers(client, case, scopes):
    stranger = key_with(*scopes)[1] if scopes else {}
    trace = search(client, "ferry strike", headers=case).json()["trace_id"]
    said = {"trace_id": trace, "verdict": "helpful"}
    assert_refused(client.get(f"{API}/traces/{trace}", **stranger), 404, "not_found")
    assert_refused(post(client, said, url=f"{API}/feedback", **stranger), 404, "not_found")
    told = post(client, said | {"locator": LOCATOR}, url=f"{API}/feedback", **case)
    assert (told.status_code, told.json()["locator"]) == (201, LOCATOR)


def test_a_private_trace_keeps_no_words_and_names_no_hidden_place(client, case):
    trace = search(client, "ferry strike", headers=case).json()["trace_id"]
    _, staff = key_with("staff")
    assert LOCATOR.encode() in client.get(f"{API}/traces/{trace}", **case).content
    seen_by_staff = client.get(f"{API}/traces/{trace}", **staff).content
    assert b"okonkwo" not in seen_by_staff and b"ferry" not in seen_by_staff


def test_what_was_opened_can_be_closed_again(client, case):
    first = search(client, "ferry strike", headers=case, domain="client_cases").json()
    with as_system():
        DocumentGrant.objects.all().delete()
    assert_refused(search(client, "ferry strike", headers=case, domain="client_cases"), 404, "not_found")
    assert b"okonkwo" not in client.get(f"{API}/traces/{first['trace_id']}", **case).content
