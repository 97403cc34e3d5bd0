"""Keys, limits and private domains: who may ask, how often, and what they may know of."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import RequestFactory
from django.utils import timezone

from retrieval import ingestion
from retrieval.api import throttles
from retrieval.models import ApiKey, Document, DocumentGrant, Domain, RateWindow, Section
from retrieval.row_access import as_system
from tests.test_api_parameters import assert_refused, post

pytestmark = pytest.mark.django_db

API = "/api/v1"
SECRET_WORDS = "Marguerite Okonkwo overstayed her visitor visa by eleven days after a ferry strike."
LOCATOR = "/client_cases/okonkwo/facts"


def key_with(*scopes, **fields):
    key, secret = ApiKey.issue(name="client", scopes=list(scopes), **fields)
    return key, {"HTTP_AUTHORIZATION": f"Bearer {secret}"}


def search(client, q="jury", *, headers=None, **query):
    return client.get(f"{API}/search", {"q": q, **query}, **(headers or {}))


# -- Keys


def test_a_key_opens_and_its_day_of_use_is_kept(client):
    key, headers = key_with("search")
    assert search(client, headers=headers).status_code == 200
    key.refresh_from_db()
    assert key.last_used_on == timezone.localdate()


def test_the_day_of_use_is_written_once_a_day(client, django_assert_num_queries):
    key, headers = key_with("search")
    search(client, headers=headers)
    with django_assert_num_queries(6):  # the key, its count of requests, a transaction that knows whose it is
        client.get(f"{API}/nothing", **headers)


@pytest.mark.parametrize(
    "fields", [{"revoked_at": timezone.now()}, {"expires_at": timezone.now() - timedelta(seconds=1)}]
)
def test_a_key_that_is_over_is_refused(client, fields):
    _, headers = key_with("search", **fields)
    assert_refused(search(client, headers=headers), 401, "unauthorized")


@pytest.mark.parametrize(
    "header",
    ["Bearer wrong", "Bearer", "", "Bearer ", "Basic dXNlcjpwYXNz", "Token x", "Bearer \xff\xfe", "x" * 5000],
)
def test_a_bad_key_is_refused(client, header):
    response = search(client, headers={"HTTP_AUTHORIZATION": header})
    assert_refused(response, 401, "unauthorized")
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_every_bad_key_is_answered_alike(client):
    _, revoked = key_with("search", revoked_at=timezone.now())
    answers = {search(client, headers=h).content for h in (revoked, {"HTTP_AUTHORIZATION": "Bearer wrong"})}
    assert len(answers) == 1


def test_a_session_is_no_way_in(client, admin_user):
    client.force_login(admin_user)
    assert_refused(search(client, pipeline="fusion"), 403, "forbidden")


def test_posting_needs_no_csrf_token(admin_user):
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(admin_user)
    assert post(strict, {"q": "jury"}).status_code == 200


def test_other_pipelines_need_their_scope(client):
    _, plain = key_with("search")
    _, powerful = key_with("pipelines")
    assert_refused(search(client, pipeline="fusion"), 403, "forbidden")
    assert_refused(search(client, pipeline="fusion", headers=plain), 403, "forbidden")
    assert search(client, pipeline="fusion", headers=powerful).status_code == 200
    assert_refused(search(client, pipeline="mars", headers=powerful), 404, "unknown_pipeline")
    assert search(client, pipeline="default").status_code == 200


def test_a_trace_belongs_to_its_caller_and_to_staff(client):
    _, mine = key_with("search")
    _, other = key_with("search")
    _, staff = key_with("staff")
    address = f"{API}/traces/{search(client, headers=mine).json()['trace_id']}"
    assert client.get(address, **mine).status_code == client.get(address, **staff).status_code == 200
    assert_refused(client.get(address, **other), 404, "not_found")
    assert_refused(client.get(address), 404, "not_found")


# -- Limits

AWAY = {"REMOTE_ADDR": "203.0.113.9"}


@pytest.fixture
def two_a_minute(settings, monkeypatch):
    """Two requests a minute, in a minute that does not end during the test."""
    settings.ARF_RATE_PER_MINUTE = 2
    monkeypatch.setattr(throttles.timezone, "now", lambda: datetime(2026, 1, 1, 12, 0, 15, tzinfo=UTC))


def ask(client, **meta):
    return client.get(f"{API}/documents", **meta)


def test_an_address_has_so_many_requests_a_minute(client, two_a_minute):
    assert [ask(client, **AWAY).status_code for _ in range(2)] == [200, 200]
    response = ask(client, **AWAY)
    assert_refused(response, 429, "too_many_requests")
    assert response["Retry-After"] == "45"
    assert ask(client, REMOTE_ADDR="203.0.113.10").status_code == 200


def test_the_next_minute_counts_anew():
    noon = datetime(2026, 1, 1, 12, 0, 59, tzinfo=UTC)
    assert [throttles.hit("x", 1, now=noon) for _ in range(2)] == [0, 1]
    assert throttles.hit("x", 1, now=noon + timedelta(seconds=1)) == 0


@pytest.mark.parametrize("loopback", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_loopback_has_no_limit(client, two_a_minute, loopback):
    assert {ask(client, REMOTE_ADDR=loopback).status_code for _ in range(4)} == {200}
    assert not RateWindow.objects.exists()


def test_a_key_has_a_limit_of_its_own(client, two_a_minute):
    _, headers = key_with("search", rate_per_minute=3)
    assert [ask(client, **headers).status_code for _ in range(4)] == [200, 200, 200, 429]


def test_guessed_keys_count_against_the_address(client, two_a_minute):
    guess = AWAY | {"HTTP_AUTHORIZATION": "Bearer guess"}
    assert [ask(client, **guess).status_code for _ in range(3)] == [401, 401, 429]


def test_unknown_addresses_and_bad_input_count_too(client, two_a_minute):
    statuses = [
        client.get(f"{API}/{path}", **AWAY).status_code for path in ("nothing", "search?x=1", "health")
    ]
    assert statuses == [404, 400, 429]


def name_of(remote, forwarded=None):
    request = RequestFactory().get("/", REMOTE_ADDR=remote)
    if forwarded is not None:
        request.META["HTTP_X_FORWARDED_FOR"] = forwarded
    return throttles.anonymous(request)


def test_ipv6_is_counted_by_its_network():
    assert name_of("2001:db8:1:2::1") == name_of("2001:db8:1:2:ffff::9") != name_of("2001:db8:1:3::1")
    assert name_of("::ffff:203.0.113.9") == name_of("203.0.113.9")


def test_addresses_are_not_kept(client, two_a_minute):
    ask(client, **AWAY)
    who = RateWindow.objects.get().who
    assert "203" not in who[:12] and len(who) <= 80 and who.startswith("address:")


def test_forwarded_addresses_count_only_behind_our_proxies(settings):
    assert name_of("203.0.113.9", "198.51.100.1") == name_of("203.0.113.9")
    settings.NUM_PROXIES = 1
    assert name_of("10.0.0.1", "6.6.6.6, 203.0.113.9") == name_of("203.0.113.9")
    assert name_of("127.0.0.1", "127.0.0.1") is not None
    assert name_of("127.0.0.1") is None


def test_old_counts_are_pruned():
    throttles.hit("x", 1, now=timezone.now() - timedelta(hours=1))
    throttles.hit("x", 1)
    assert throttles.prune() == 1
    assert RateWindow.objects.count() == 1


# -- Private domains


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
    ingestion.save_chunks([section], *ingestion.embedding_in_use())
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
    corpora = {c["domain"]: c["chunks"] for c in client.get(f"{API}/health", **case).json()["corpora"]}
    assert corpora["client_cases"] == 1


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
    assert post(client, said, url=f"{API}/feedback", **case).status_code == 201


def test_a_private_trace_keeps_no_words_and_names_no_hidden_place(client, case):
    trace = search(client, "ferry strike", headers=case).json()["trace_id"]
    _, staff = key_with("staff")
    assert LOCATOR.encode() in client.get(f"{API}/traces/{trace}", **case).content
    seen_by_staff = client.get(f"{API}/traces/{trace}", **staff).content
    assert b"okonkwo" not in seen_by_staff and b"ferry" not in seen_by_staff


def test_what_was_opened_can_be_closed_again(client, case):
    first = search(client, "ferry strike", headers=case, domain="client_cases").json()
    DocumentGrant.objects.all().delete()
    assert_refused(search(client, "ferry strike", headers=case, domain="client_cases"), 404, "not_found")
    assert b"okonkwo" not in client.get(f"{API}/traces/{first['trace_id']}", **case).content
