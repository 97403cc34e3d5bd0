"""Aliases in the admin: added with a reason, hidden with their domain, offered provisions."""

import pytest

from retrieval.models import Domain
from rules.models import Alias, GlossaryTerm
from tests.rules.alias_pages import ALIASES, alias_fields, confirm, upload

pytestmark = pytest.mark.django_db


# -- Aliases


def test_an_alias_is_added_with_who_and_why(client, curator, constitution):
    client.post(f"{ALIASES}add/", alias_fields(constitution, reason="asked for by readers"))
    history = Alias.objects.get(text="sabbath clause").history.get()
    assert (history.history_user, history.history_change_reason) == (curator, "asked for by readers")


def test_an_alias_of_no_provision_is_refused(client, curator, constitution):
    answer = client.post(f"{ALIASES}add/", alias_fields(constitution, locator="/us/const/amendment/XCIX"))
    assert "locator" in answer.context["adminform"].form.errors


def test_aliases_of_private_provisions_are_hidden_with_their_history(client, curator):
    alias = Alias.objects.create(
        domain=Domain.objects.get(slug="client_cases"), text="secret name", locator="/client_cases/1/1"
    )
    line = alias.history.get()
    assert "secret name" not in client.get(ALIASES, {"q": "name"}).content.decode()
    for page in ("change/", "history/", f"history/{line.pk}/"):
        assert "secret name" not in client.get(f"{ALIASES}{alias.pk}/{page}", follow=True).content.decode()


def test_an_alias_takes_a_citation_and_shows_what_it_names(client, curator, constitution):
    client.post(f"{ALIASES}add/", alias_fields(constitution, locator="fourth amendment"))
    alias = Alias.objects.get(text="sabbath clause")
    assert alias.locator == "/us/const/amendment/IV"
    page = client.get(f"{ALIASES}{alias.pk}/change/").content.decode()
    assert "<strong>U.S. Const. amend. IV</strong>" in page and "The right of the people" in page


def test_glossary_terms_are_imported_by_their_spanish(client, curator):
    term = GlossaryTerm.objects.first()
    preview = upload(
        client, "/admin/rules/glossaryterm/", f"spanish,english,enabled\n{term.spanish},new words,1\n"
    )
    confirm(client, "/admin/rules/glossaryterm/", preview)
    term.refresh_from_db()
    assert term.english == "new words"
