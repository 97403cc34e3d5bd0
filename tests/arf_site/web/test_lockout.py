"""Who tries too many passwords is locked out, and nobody else."""

from datetime import UTC, datetime

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User

from arf_site.web import lockout
from retrieval.api.authentication import hit

pytestmark = pytest.mark.django_db


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)  # so that no minute ends between two tries


def sign_in(client, address: str, password: str = "a guess", **form):
    form = {"username": "root", "password": password, **form}
    return client.post("/admin/login/", form, headers={"x-forwarded-for": address}).status_code


def test_who_guesses_passwords_from_afar_locks_out_only_themselves(client, settings):
    settings.NUM_PROXIES = 1
    User.objects.create_superuser("root", password="a long password")
    tries = [sign_in(client, f"10.0.0.{n}, 6.6.6.6") for n in range(settings.AXES_FAILURE_LIMIT + 1)]
    assert tries[-1] == 429, "what is before our proxy's own address is anybody's invention"
    assert sign_in(client, "6.6.6.6", "a long password") == 429
    assert sign_in(client, "203.0.113.9", "a long password") == 302


def test_passwords_are_tried_few_times_a_minute(client, settings, monkeypatch):
    settings.NUM_PROXIES = 1
    monkeypatch.setattr(lockout, "LOGINS", 2)
    monkeypatch.setattr(lockout, "hit", lambda who, limit: hit(who, limit, now=NOON))
    names = [f"user {n}" for n in range(3)]
    assert [sign_in(client, "203.0.113.9", username=name) for name in names] == [200, 200, 429]
    assert sign_in(client, "203.0.113.10", username="user 3") == 200
    assert client.get("/admin/login/", headers={"x-forwarded-for": "203.0.113.9"}).status_code == 200


@pytest.mark.parametrize("name", ["a" * 5_000, "\ufdfa" * 150])
def test_a_name_longer_than_any_is_a_failed_login(client, name):
    assert sign_in(client, "203.0.113.9", username=name) == 200
    assert len(AccessAttempt.objects.get().username) == 150


@pytest.mark.parametrize("address", ["2001:db8:1:2::1", "203.0.113.9", "not an address", "::ffff:1.2.3.4"])
def test_a_failed_login_is_counted_wherever_it_comes_from(client, settings, address):
    settings.NUM_PROXIES = 1
    assert sign_in(client, address) == 200


def test_a_login_leads_to_no_other_site(client):
    User.objects.create_superuser("root", password="a long password")
    form = {"username": "root", "password": "a long password", "next": "//elsewhere.example/"}
    assert client.post("/admin/login/", form).url == "/admin/"


def test_ten_wrong_passwords_lock_out_in_the_admins_own_look(client):
    User.objects.create_superuser("root", password="a long password")
    wrong = {"username": "root", "password": "wrong"}
    for _ in range(10):
        answer = client.post("/admin/login/", wrong)
    assert answer.status_code == 429
    assert answer["Retry-After"] == "900"
    assert b"Wait 15 minutes" in answer.content
    assert b"unfold/css" in answer.content
    right = client.post("/admin/login/", wrong | {"password": "a long password"})
    assert right.status_code == 429


# -- The login of everybody


def test_a_colleague_who_is_no_staff_signs_in_to_their_documents_and_out_again(client):
    User.objects.create_user("ann", password="a long password")
    page = client.get("/login?next=/check/").content.decode()
    assert 'name="next" value="/check/"' in page
    wrong = client.post("/login", {"username": "ann", "password": "wrong", "next": "/check/"}).content.decode()
    assert 'role="alert"' in wrong and 'value="ann"' in wrong and 'value="/check/"' in wrong
    right = {"username": "ann", "password": "a long password"}
    assert client.post("/login", right | {"next": "/check/"}).url == "/check/"
    assert client.post("/login", right | {"next": "//elsewhere.example/"}).url == "/private"
    assert "Sign out" in client.get("/private").content.decode()
    assert client.get("/logout").status_code == 405
    assert client.post("/logout").url == "/"
    assert client.get("/private").url == "/login?next=/private"


def test_wrong_passwords_lock_out_of_either_login(client):
    User.objects.create_user("ann", password="a long password")
    wrong = {"username": "ann", "password": "wrong"}
    for _ in range(10):
        answer = client.post("/login", wrong)
    assert (answer.status_code, answer["Retry-After"]) == (429, "900")
    assert b"Wait 15 minutes" in answer.content and b"unfold/css" not in answer.content
    for login in ("/login", "/admin/login/"):
        assert client.post(login, wrong | {"password": "a long password"}).status_code == 429


def test_passwords_are_tried_few_times_a_minute_at_either_login(client, settings, monkeypatch):
    settings.NUM_PROXIES = 1
    monkeypatch.setattr(lockout, "LOGINS", 2)
    monkeypatch.setattr(lockout, "hit", lambda who, limit: hit(who, limit, now=NOON))
    assert [sign_in(client, "203.0.113.9", username=f"user {n}") for n in range(2)] == [200, 200]
    form, afar = {"username": "user 3", "password": "a guess"}, {"x-forwarded-for": "203.0.113.9"}
    assert client.post("/login", form, headers=afar).status_code == 429
