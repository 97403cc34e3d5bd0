"""Requests a minute, for addresses and for keys."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.test import RequestFactory
from django.utils import timezone

from retrieval.api import authentication
from retrieval.models import RateWindow
from tests.retrieval.api.keys import API, key_with, search
from tests.retrieval.api.refusals import assert_refused, post

pytestmark = pytest.mark.django_db

AWAY = {"REMOTE_ADDR": "203.0.113.9"}


@pytest.fixture
def two_a_minute(settings, one_minute):
    settings.ARF_RATE_PER_MINUTE = 2


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
    assert [authentication.hit("x", 1, now=noon) for _ in range(2)] == [0, 1]
    assert authentication.hit("x", 1, now=noon + timedelta(seconds=1)) == 0


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


def resolve(client, text, **meta):
    body = json.dumps({"q": text})
    url = f"{API}/citations/resolve"
    return client.post(url, body, content_type="application/json", **meta).status_code


def test_a_long_text_counts_as_many_requests(client, two_a_minute, settings):
    settings.ARF_RATE_PER_MINUTE = 100
    assert [resolve(client, "a" * 60_000, **AWAY) for _ in range(2)] == [200, 429]
    assert RateWindow.objects.get().count == 122
    query = {"q": "a" * 5_000}
    assert client.get(f"{API}/citations/resolve", query, REMOTE_ADDR="203.0.113.10").status_code == 200
    assert sorted(RateWindow.objects.values_list("count", flat=True)) == [6, 122]


def test_no_text_counts_as_more_than_a_minute_holds(client, two_a_minute):
    _, headers = key_with("search", rate_per_minute=3)
    assert [resolve(client, "a" * 60_000, **headers) for _ in range(2)] == [200, 429]


def test_unknown_addresses_and_bad_input_count_too(client, two_a_minute):
    statuses = [
        client.get(f"{API}/{path}", **AWAY).status_code for path in ("nothing", "search?x=1", "health")
    ]
    assert statuses == [404, 400, 429]


def name_of(remote, forwarded=None):
    request = RequestFactory().get("/", REMOTE_ADDR=remote)
    if forwarded is not None:
        request.META["HTTP_X_FORWARDED_FOR"] = forwarded
    return authentication.anonymous(request)


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


@pytest.mark.parametrize("address", ["203.0.113.19", "2001:db8::1"])
def test_a_forwarded_address_counts_alike_with_whatever_port(settings, address):
    settings.NUM_PROXIES = 1
    written = f"[{address}]" if ":" in address else address
    assert name_of("10.0.0.1", f"{written}:5101") == name_of("10.0.0.1", f"{written}:443") == name_of(address)
    assert name_of("10.0.0.1", written) == name_of(address)


def test_old_counts_are_pruned():
    authentication.hit("x", 1, now=timezone.now() - timedelta(hours=1))
    authentication.hit("x", 1)
    assert authentication.prune() == 1
    assert RateWindow.objects.count() == 1


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
