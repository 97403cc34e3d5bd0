"""What hostile people meet, at the doors and inside."""

from datetime import UTC, datetime

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django_q.models import Schedule

from arf_site import backup, lockout, uploads
from retrieval.api.throttles import hit

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)  # so that no minute ends between two tries


@pytest.fixture
def administrator(client):
    """Staff with every permission of the group, but no superuser."""
    user = User.objects.create_user("administrator", is_staff=True)
    user.groups.add(Group.objects.get(name="Administrator"))
    client.force_login(user)


@pytest.mark.parametrize(
    "address", ["/", "/nowhere", "/search?q=a&page=0", "/api/v1/nowhere", "/admin/login/"]
)
def test_every_answer_carries_a_content_security_policy_without_inline_scripts(client, address):
    policy = client.get(address)["Content-Security-Policy"]
    directives = dict(directive.split(maxsplit=1) for directive in policy.split("; "))
    assert "'unsafe-inline'" not in directives["script-src"]
    assert directives["frame-ancestors"] == directives["base-uri"] == directives["default-src"] == "'none'"


def test_a_foreign_host_is_refused_and_logged_in_one_line(client, caplog):
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    [record] = caplog.records
    assert record.levelname == "WARNING" and record.exc_info is None
    assert "evil.example" in record.getMessage() and "\n" not in caplog.text.strip()


@pytest.mark.parametrize("address", ["/language", "/i18n/setlang/", "/feedback", "/admin/login/"])
def test_a_form_that_is_too_long_is_refused_before_it_is_kept(client, address, monkeypatch):
    monkeypatch.setattr(uploads, "LONGEST", 1_000)
    answer = client.post(address, {"language": "es", "file": SimpleUploadedFile("a", b"a" * 2_000)})
    assert answer.status_code == 400


def test_a_short_file_is_kept_for_its_view(rf):
    request = rf.post("/", {"file": SimpleUploadedFile("a", b"words")})
    assert request.FILES["file"].read() == b"words"


def test_administrators_cannot_have_the_server_run_a_function_of_theirs(client, administrator):
    schedule = Schedule.objects.create(name="ours", func="retrieval.tasks.prune")
    evil = {"func": "os.system", "args": "'true'", "schedule_type": "O", "repeats": "-1"}
    assert client.post("/admin/django_q/schedule/add/", evil).status_code == 403
    client.post(f"/admin/django_q/schedule/{schedule.pk}/change/", evil)
    assert set(Schedule.objects.filter(pk=schedule.pk).values_list("func")) == {("retrieval.tasks.prune",)}
    assert not Schedule.objects.filter(func="os.system").exists()


@pytest.mark.parametrize("number", ["²", "٣", "9" * 5_000])
def test_numbers_that_are_none_are_no_error_of_the_admin(client, administrator, number):
    listed = client.get("/admin/rules/alias/locators/", {"domain": number, "locator": "a"})
    copied = client.get("/admin/rules/domainthreshold/add/", {"copy": number})
    assert (listed.status_code, copied.status_code) == (200, 200)


def test_a_text_of_rare_letters_may_be_as_long_as_any(client):
    body = {"q": "\U0001d400" * 64_000}
    answer = client.post("/api/v1/citations/resolve", body, content_type="application/json")
    assert answer.status_code == 200


def test_a_backup_to_a_folder_that_is_not_there_says_so(tmp_path):
    with pytest.raises(backup.BackupError, match="cannot be written: No such file"):
        backup.backup("postgresql://nobody@localhost/nothing", tmp_path / "nowhere" / "file")


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
