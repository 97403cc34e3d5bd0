"""Keys: which open, which are refused, and what they open."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.retrieval.api.keys import API, key_with, search
from tests.retrieval.api.refusals import assert_refused, post

pytestmark = pytest.mark.django_db


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
