"""Aliases in the admin: added with a reason, hidden with their domain, offered provisions."""

import pytest

from retrieval.engines.embedders import EmbeddingUnavailable, OnnxEmbedder
from retrieval.models import Domain
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.models import Alias, GlossaryTerm
from tests.builders import a_document, a_domain, a_section
from tests.rules.alias_pages import ALIASES, alias_fields, confirm, upload

pytestmark = pytest.mark.django_db


# -- Aliases


def test_an_alias_is_added_with_who_and_why(client, curator, constitution):
    client.post(f"{ALIASES}add/", alias_fields(constitution, reason="asked for by readers"))
    history = Alias.objects.get(text="sabbath clause").history.get()
    assert (history.history_user, history.history_change_reason) == (curator, "asked for by readers")


def asked(text):
    answer = search(SearchRequest(text, domains=("us_constitution",)))
    return answer["abstained"], (answer["results"] or answer["near_misses"])[0]["locator"]


def test_an_alias_finds_its_provision_at_once(client, curator, constitution):
    fields = alias_fields(constitution, text="wombat clause", locator="/us/const/amendment/VIII")
    client.post(f"{ALIASES}add/", fields)
    assert asked("wombat clause") == (False, "/us/const/amendment/VIII")
    alias = Alias.objects.get(text="wombat clause")
    client.post(f"{ALIASES}{alias.pk}/change/", fields | {"text": "quokka clause"})
    assert asked("quokka clause") == (False, "/us/const/amendment/VIII")


def test_aliases_that_are_imported_or_switched_on_have_vectors_at_once(client, curator, constitution):
    head = "domain,text,locator,place,language,enabled,note"
    rows = [f"us_constitution,wombat clause,/us/const/amendment/VIII,,en,{on}," for on in (1, 0)]
    preview = upload(client, ALIASES, "\n".join([head, rows[0], rows[1].replace("wombat", "quokka")]))
    confirm(client, ALIASES, preview)
    assert Alias.objects.get(text="wombat clause").vectors.exists()
    asleep = Alias.objects.get(text="quokka clause")
    assert not asleep.vectors.exists()
    client.post(ALIASES, {"action": "switch_on", "_selected_action": [asleep.pk]})
    assert asleep.vectors.exists()


def test_an_embedder_that_fails_keeps_no_alias_from_being_saved(client, curator, constitution, monkeypatch):
    def fails(*args):
        raise EmbeddingUnavailable("no")

    monkeypatch.setattr(OnnxEmbedder, "embed_documents", fails)
    client.post(f"{ALIASES}add/", alias_fields(constitution))
    assert not Alias.objects.get(text="sabbath clause").vectors.exists()


@pytest.mark.parametrize(("text", "language"), [("the", "en"), ("What is the", "en"), ("de la", "es"), ("A.", "en")])
def test_an_alias_that_stands_in_nearly_every_question_is_refused(client, curator, constitution, text, language):
    answer = client.post(f"{ALIASES}add/", alias_fields(constitution, text=text, language=language))
    assert answer.status_code == 200 and not Alias.objects.filter(text=text).exists()
    assert "An alias needs a word that is not in nearly every question." in answer.content.decode()


@pytest.mark.parametrize(("text", "language"), [("US", "en"), ("WHO", "en"), ("U.S.", "en"), ("LOS", "es")])
def test_an_alias_in_capitals_is_a_name(client, curator, constitution, text, language):
    client.post(f"{ALIASES}add/", alias_fields(constitution, text=text, language=language))
    assert Alias.objects.filter(text=text).exists()


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


def test_an_alias_takes_the_citation_of_a_document_of_ones_own(client, curator):
    document = a_document(a_domain(name="County Code"), title="Animals")
    place = a_section(document, number="4-12", text="Dogs.")
    for text, typed in (("loose dogs", "Animals, § 4-12"), ("dogs at large", "county code sec. 4-12(b)")):
        client.post(f"{ALIASES}add/", alias_fields(document.domain, text=text, locator=typed))
        assert Alias.objects.get(text=text).locator == place.locator


def test_glossary_terms_are_imported_by_their_spanish(client, curator):
    term = GlossaryTerm.objects.first()
    preview = upload(
        client, "/admin/rules/glossaryterm/", f"spanish,english,enabled\n{term.spanish},new words,1\n"
    )
    confirm(client, "/admin/rules/glossaryterm/", preview)
    term.refresh_from_db()
    assert term.english == "new words"
