"""No address of a list in the admin makes a 5xx, whatever its filters ask; nor does NUL anywhere in the admin."""

import logging

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.urls import reverse

from retrieval.models import SearchLog

pytestmark = pytest.mark.django_db
LOG = "/admin/retrieval/searchlog/"
TOPICS = "/admin/evaluation/topic/"
VALUES = ("x{", "1", "")


@pytest.fixture
def superuser(client):
    client.force_login(User.objects.create_superuser("root", password="a long password"))


def lists():
    """Every list of the admin, and the fields of its model."""
    for model in admin.site._registry:
        url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        yield url, model._meta.concrete_fields


def one_of_each_kind():
    """Every lookup of every kind of field, on the first list that has such a field."""
    seen = set()
    for url, fields in lists():
        for field in fields:
            for lookup in field.get_lookups():
                if (type(field), lookup) not in seen:
                    seen.add((type(field), lookup))
                    yield url, f"{field.name}__{lookup}"


@pytest.mark.full
def test_no_lookup_of_any_field_makes_a_5xx(client, superuser, caplog):
    caplog.set_level(logging.CRITICAL)  # each refusal logs a traceback: a thousand would hide what another test says
    asked = [(url, name, value) for url, name in one_of_each_kind() for value in VALUES]
    assert len(asked) > 500
    failed = [
        (url, name, value) for url, name, value in asked if client.get(url, {name: value}).status_code >= 500
    ]
    assert failed == []


@pytest.mark.parametrize(
    "query",
    [
        "top_locators__contains=",
        "top_locators__contains={",
        "top_locators=x",
        "took_ms__range=1",
        "took_ms__contained_by=x",
        "query_text__trigram_similar=x",
    ],
)
def test_a_lookup_that_its_field_does_not_know_is_refused(client, superuser, caplog, query):
    assert client.get(f"{LOG}?{query}").status_code == 400
    assert f"{LOG} cannot be listed as asked" in caplog.text
    assert client.get(LOG).status_code == 200


@pytest.mark.parametrize("year", ["99999999999999999999", "9999", "0"])
@pytest.mark.parametrize("url", [LOG, "/admin/retrieval/trace/", "/admin/evaluation/judgment/"])
def test_a_date_that_no_calendar_has_is_refused(client, superuser, url, year):
    assert client.get(url, {"created_at__year": year}).status_code == 400


@pytest.mark.parametrize("query", ["p=99", "nothing=x", "took_ms__gt=x"])
@pytest.mark.parametrize("url", [TOPICS, f"{TOPICS}download/csv/", f"{TOPICS}download/trec/"])
def test_a_download_is_refused_as_its_list_is(client, superuser, url, query):
    assert client.get(f"{url}?{query}").status_code == 400


NUL = {
    "/admin/": ["q"],
    "/admin/judge/": ["domain", "topic", "another", "locator"],
    "/admin/try/": ["q"],
    "/admin/preview/fires/": ["sentence"],
    "/admin/rules/rule/in-words/": ["sentence"],
    "/admin/rules/rule/add/": ["question", "locator", "name", "criteria-0-value", "actions-0-text"],
    "/admin/rules/alias/add/": ["text", "locator"],
    LOG: ["q", "channel"],
}


@pytest.mark.parametrize("url, name", [(url, name) for url, names in NUL.items() for name in names])
def test_nul_in_what_is_sent_to_the_admin_is_refused(client, superuser, url, name):
    assert client.get(url, {name: "a\0"}).status_code == 400
    assert client.post(url, {name: ["a", "\0"]}).status_code == 400


@pytest.mark.parametrize("query", ["query_text__search__startswith=x", "took_ms__gt=x", "nothing=x"])
def test_what_django_itself_cannot_read_is_refused_too(client, superuser, query):
    assert client.get(f"{LOG}?{query}").status_code == 400


def test_what_a_list_knows_is_answered(client, superuser, caplog):
    with caplog.at_level(logging.WARNING):
        assert client.get(LOG, {"channel": "page", "cached__exact": "0"}).status_code == 200
    assert "cannot be listed" not in caplog.text


def test_the_search_log_sorts_by_duration(client, superuser):
    slow, quick = (
        SearchLog.objects.create(
            query_hash="0", language="en", pipeline="default", channel="page", took_ms=ms
        )
        for ms in (90, 3)
    )
    columns = client.get(LOG).context["cl"].list_display
    column = columns.index("took_ms")
    for sign, first in (("", quick), ("-", slow)):
        listed = client.get(LOG, {"o": f"{sign}{column}"}).context["cl"].result_list
        assert listed[0].pk == first.pk
