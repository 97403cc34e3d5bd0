"""What hostile people meet, at the doors and inside."""

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django_q.models import Schedule

from arf_site import backup, uploads

pytestmark = pytest.mark.django_db


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


def test_a_login_leads_to_no_other_site(client):
    User.objects.create_superuser("root", password="a long password")
    form = {"username": "root", "password": "a long password", "next": "//elsewhere.example/"}
    assert client.post("/admin/login/", form).url == "/admin/"
