"""Who sets another's password does not come to read as them."""

import pytest
from django.contrib.auth.models import Group, User

from retrieval.access import matters, passwords
from retrieval.access.caller import Caller
from retrieval.ingestion import uploading
from retrieval.models import Domain, SetPassword
from retrieval.models.access import caller_for
from tests.builders import a_document, grant

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann(db):
    """A curator with a private document."""
    user = User.objects.create_user("ann", password="her own words", is_staff=True)
    document = a_document(Domain.objects.get(slug="client_cases"), title="Matter of Quetzal")
    grant(document, caller_for(user))
    return user


@pytest.fixture
def boss(client, db):
    """An administrator who is no superuser, signed in."""
    user = User.objects.create_user("boss", password="the boss's words", is_staff=True)
    user.groups.add(Group.objects.get(name="Administrator"))
    client.force_login(user)
    return user


def set_password(client, user, own="the boss's words"):
    said = {"password1": "boss knows this", "password2": "boss knows this", "own_password": own}
    return client.post(f"/admin/auth/user/{user.pk}/password/", said, follow=True)


def test_another_password_is_set_only_with_ones_own(client, boss, ann):
    page = set_password(client, ann, own="a guess").content.decode()
    ann.refresh_from_db()
    assert "That is not your own password" in page and ann.check_password("her own words")


def test_a_password_set_by_another_opens_nothing_private_until_confirmed(client, boss, ann):
    set_password(client, ann)
    ann.refresh_from_db()
    assert ann.check_password("boss knows this") and caller_for(ann).principals == ()
    client.force_login(ann)
    page = client.get("/private").content.decode()
    assert "boss set your password" in page and "Quetzal" not in page
    assert client.post("/private/password", {"former": "boss knows this"}).status_code == 403
    assert client.post("/private/password", {"former": "her own words"}).status_code == 302
    assert "Quetzal" in client.get("/private").content.decode()


def test_the_first_former_password_counts_when_it_is_set_twice(client, boss, ann):
    set_password(client, ann)
    set_password(client, ann)
    assert not passwords.confirm(ann, "boss knows this")
    assert passwords.confirm(ann, "her own words")


def test_the_change_is_on_record(client, boss, ann):
    set_password(client, ann)
    assert SetPassword.objects.get(user=ann).by == boss
    assert "password" in client.get(f"/admin/auth/user/{ann.pk}/history/").content.decode().lower()


def test_ones_own_change_asks_for_no_confirmation(client, boss):
    said = {
        "old_password": "the boss's words",
        "new_password1": "other words 7",
        "new_password2": "other words 7",
    }
    client.post("/admin/password_change/", said)
    assert not SetPassword.objects.exists()


def test_only_a_superuser_changes_members_of_a_group_that_reads_private_documents(client, boss, ann):
    group = Group.objects.create(name="Litigation")
    document = a_document(Domain.objects.get(slug="client_cases"))
    change = f"/admin/auth/user/{boss.pk}/change/"
    form = client.get(change).context["adminform"].form
    said = {name: value for name, value in form.initial.items() if isinstance(value, str) and value}
    said |= {"is_active": "on", "is_staff": "on", "groups": [boss.groups.get().pk, group.pk]}
    grant(document, Caller((f"group:{group.pk}",)))
    answer = client.post(change, said)
    assert "only a superuser changes its members" in answer.content.decode()
    assert not boss.groups.filter(pk=group.pk).exists()


def test_only_a_superuser_changes_members_of_a_group_that_will_read_a_file_that_waits(client, boss, ann):
    group = Group.objects.create(name="Litigation")
    domain, owner = Domain.objects.get(slug="client_cases"), caller_for(ann).principals[0]
    uploading.accept(domain, "lease.txt", b"1. Term.", principal=owner, grants=["group:Litigation"])
    change = f"/admin/auth/user/{boss.pk}/change/"
    form = client.get(change).context["adminform"].form
    said = {name: value for name, value in form.initial.items() if isinstance(value, str) and value}
    said |= {"is_active": "on", "is_staff": "on", "groups": [boss.groups.get().pk, group.pk]}
    assert "only a superuser changes its members" in client.post(change, said).content.decode()
    assert not boss.groups.filter(pk=group.pk).exists()


def test_only_a_superuser_changes_members_of_a_group_that_is_in_a_matter(client, boss, ann):
    group, lead = Group.objects.create(name="Litigation"), caller_for(ann)
    matter = matters.open_matter("Vermilion-77", "Xiomara", lead)
    matters.set_member(matter, "group:Litigation", "lead", lead)
    matters.close(matter, lead)
    change = f"/admin/auth/user/{boss.pk}/change/"
    form = client.get(change).context["adminform"].form
    said = {name: value for name, value in form.initial.items() if isinstance(value, str) and value}
    said |= {"is_active": "on", "is_staff": "on", "groups": [boss.groups.get().pk, group.pk]}
    assert "only a superuser changes its members" in client.post(change, said).content.decode()
    assert not boss.groups.filter(pk=group.pk).exists()


def test_a_former_password_is_tried_five_times_a_minute(client, boss, ann):
    set_password(client, ann)
    client.force_login(User.objects.get(pk=ann.pk))
    tries = [client.post("/private/password", {"former": "guess"}).status_code for _ in range(11)]  # in two minutes
    assert tries[:5] == [403] * 5 and 429 in tries


@pytest.fixture
def with_address(ann):
    User.objects.filter(pk=ann.pk).update(email="ann@example.org")
    return ann


def test_a_person_is_written_to_when_another_sets_their_password(client, boss, with_address, mailoutbox):
    page = set_password(client, with_address).content.decode()
    [mail] = mailoutbox
    assert mail.to == ["ann@example.org"] and mail.subject == "boss set your password"
    assert "boss knows this" not in mail.body and "A mail tells ann@example.org of it." in page


def test_without_an_address_or_a_server_no_mail_is_sent(client, boss, ann, mailoutbox, settings):
    set_password(client, ann)
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    User.objects.filter(pk=ann.pk).update(email="ann@example.org")
    page = set_password(client, ann).content.decode()
    assert mailoutbox == [] and "A mail tells" not in page


def test_a_mail_that_cannot_be_sent_is_told_and_logged_and_the_password_is_set(
    client, boss, with_address, monkeypatch, caplog
):
    def refuse(*args, **kwargs):
        raise ConnectionRefusedError

    monkeypatch.setattr(passwords, "send_mail", refuse)
    page = set_password(client, with_address).content.decode()
    with_address.refresh_from_db()
    assert "No mail could be sent to ann@example.org: ConnectionRefusedError." in page
    assert with_address.check_password("boss knows this") and passwords.waiting_for(with_address)
    assert "No mail to ann" in caplog.text
