"""Who reaches what in the admin."""

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse

from retrieval.models import Domain, JobRun, Section
from tests.retrieval.admin.staff import (
    ACCESS,
    CORPUS,
    CURATED,
    JOBS,
    LOGS,
    QUEUE,
    TRY,
    form_of,
    lists,
    statuses,
)

pytestmark = pytest.mark.django_db


def test_strangers_are_sent_to_the_login(client):
    for url in [*CORPUS, *CURATED, *ACCESS, TRY, "/admin/"]:
        answer = client.get(url)
        assert answer.status_code == 302
        assert "/admin/login/" in answer["Location"]


def test_people_who_are_not_staff_do_not_enter(client):
    client.force_login(User.objects.create_user("reader"))
    assert statuses(client, ["/admin/", TRY, *CORPUS]) == {302}


def test_curators_reach_corpus_curation_jobs_and_log(client, curator):
    assert statuses(client, [*CORPUS, *CURATED, *LOGS, *JOBS, TRY, "/admin/"]) == {200}
    assert statuses(client, [reverse(f"admin:rules_{m}_add") for m in ("alias", "glossaryterm")]) == {200}


def test_judges_read_and_change_nothing(client, judge):
    assert statuses(client, [*CORPUS, *LOGS, TRY, "/admin/"]) == {200}
    assert statuses(client, [*CURATED, *ACCESS, *QUEUE, *JOBS]) == {403}
    domain = Domain.objects.get(slug="us_constitution")
    assert client.post(f"/admin/retrieval/domain/{domain.pk}/do/ingest/").status_code == 403
    assert not JobRun.objects.filter(requested_by=judge).exists()


def test_administrators_reach_everything(client, administrator):
    pages = [*CORPUS, *CURATED, *LOGS, *JOBS, *ACCESS, *QUEUE, *lists("retrieval.version"), TRY, "/admin/"]
    assert statuses(client, pages) == {200}


def test_nothing_that_others_rest_on_can_be_deleted(client, superuser):
    alias = Domain.objects.get(slug="us_constitution").aliases.first()
    section = Section.objects.filter(live=True).first()
    assert client.post(f"/admin/rules/alias/{alias.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.post(f"/admin/retrieval/section/{section.pk}/delete/", {"post": "yes"}).status_code == 403


def test_an_administrator_cannot_become_a_superuser(client, administrator, django_user_model):
    root = django_user_model.objects.create_superuser("chief", password="a long password")
    assert "is_superuser" not in form_of(client, f"/admin/auth/user/{administrator.pk}/change/").fields
    assert client.post(f"/admin/auth/user/{root.pk}/password/", {"password1": "x"}).status_code == 403


def test_the_loader_leaves_a_group_as_staff_edited_it():
    from django.core.management import call_command

    judges = Group.objects.get(name="Judge")
    judges.permissions.clear()
    call_command("load_defaults", verbosity=0)
    assert not judges.permissions.exists()
