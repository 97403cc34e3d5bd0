"""The form of a rule: rows of boxes, and what is wrong with them in words."""

import re

import pytest

from rules.models import Rule
from tests.rule_searches import THIRD, section
from tests.rules.rule_pages import ADD, FORM, LIST

pytestmark = pytest.mark.django_db


def test_rows_of_the_form_become_a_draft(quartering, curators):
    assert quartering.criteria == [{"kind": "keywords", "value": ["soldiers", "quartering"], "stemmed": True}]
    assert quartering.targets == section(THIRD) and quartering.actions == [{"kind": "pin", "position": 1}]
    assert (quartering.status, quartering.owner, quartering.live) == ("draft", curators[0], None)
    assert quartering.history.get().history_user == curators[0]


def test_the_form_shows_what_it_saved(client, quartering):
    page = client.get(f"{LIST}{quartering.pk}/change/").content.decode()
    assert 'value="soldiers; quartering"' in page and f'value="{THIRD}"' in page
    assert '<option value="keywords" selected>' in page


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"criteria-0-kind": "regex", "criteria-0-value": "(a"}, "No. 1"),
        ({"targets-0-value": "us/const"}, "is no locator"),
        ({"targets-0-kind": "chunk", "targets-0-value": "x"}, "is no number"),
        ({"targets-0-kind": ""}, "needs something to act upon"),
        ({"actions-0-kind": ""}, "Say what it does"),
        ({"actions-0-amount": "0"}, "from 1 to 50"),
        ({"valid_from": "2026-02-01", "valid_to": "2026-01-01"}, "before the first day"),
    ],
)
def test_the_form_tells_what_is_wrong_in_words(client, curators, change, told):
    page = client.post(ADD, FORM | change)
    assert page.status_code == 200 and told in page.content.decode()
    assert not Rule.objects.exists()


def test_headings_and_pages_of_every_document_are_targets_of_the_form(client, curators):
    rows = {"targets-0-kind": "heading", "targets-0-value": "legislative powers"}
    rows |= {"targets-1-kind": "pages", "targets-1-pages": "1-2", "targets-2-kind": ""}
    assert client.post(ADD, FORM | rows).status_code == 302
    targets = [{"kind": "heading", "value": "legislative powers"}, {"kind": "pages", "pages": "1-2"}]
    assert Rule.objects.get(name="Quartering").targets == targets


def test_a_rule_that_names_what_is_private_names_its_domain(client, curators, secret):
    form = FORM | {"targets-0-value": secret.locator}
    assert "private in “client_cases”" in client.post(ADD, form).content.decode()
    page = client.get(ADD, {"target": f"document {secret.locator}"}).content.decode()
    assert re.search(r'value="client_cases"[^>]* checked', page)
    assert client.post(ADD, form | {"domains": ["client_cases"]}).status_code == 302
    client.get(LIST)  # reads the message that it was added
    assert "Quartering" in client.get(LIST).content.decode()
    client.force_login(curators[1])
    assert "Quartering" not in client.get(LIST).content.decode()
