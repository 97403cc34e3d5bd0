"""Clauses written out in words."""

import pytest

from rules.admin.clause_labels import clauses_text
from tests.rules.rule_pages import FORM, LIST

pytestmark = pytest.mark.django_db


def test_history_tells_what_changed_in_words(client, quartering):
    form = FORM | {"targets-1-kind": "metadata", "targets-1-key": "year", "targets-1-comparison": "at_least"}
    client.post(f"{LIST}{quartering.pk}/change/", form | {"targets-1-value": "2020"})
    page = client.get(f"{LIST}{quartering.pk}/history/").content.decode()
    assert "documents whose metadata say year at least 2020" in page and "None" not in page
    assert "Draft" in page and "{&#x27;kind&#x27;" not in page


def test_every_kind_of_target_is_told_in_words(client, curators):
    rows = [{"kind": "metadata", "key": "year", "comparison": "at_least", "value": 2020}]
    rows += [{"kind": "chunk", "value": [3, 5]}, {"kind": "document", "value": "/a", "pages": [1, 2]}]
    assert clauses_text("targets", rows) == (
        "documents whose metadata say year at least 2020; passages by number 3, 5; document /a, pages 1, 2"
    )
