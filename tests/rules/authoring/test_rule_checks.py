"""What a rule names must exist, and what it names of private domains keeps it there."""

import pytest

from retrieval.access.row_security import as_caller
from retrieval.models.access import caller_for
from tests.rules.rule_pages import ADD, FORM

pytestmark = pytest.mark.django_db


def test_a_target_that_does_not_exist_is_warned_of_at_once(client, curators):
    page = client.post(ADD, FORM | {"targets-0-value": "/us/const/amendment/XXX"}, follow=True)
    assert "Near to it:" in page.content.decode()


@pytest.mark.parametrize(
    "change",
    [
        {"criteria-0-kind": "domain", "criteria-0-value": "client_cases"},
        {"criteria-0-kind": "citation", "criteria-0-value": "SECRET"},
        {"actions-1-kind": "redirect", "actions-1-text": "SECRET"},
        {"targets-1-kind": "cites", "targets-1-value": "SECRET"},
    ],
)
def test_no_clause_names_what_is_private_in_a_rule_that_all_may_see(client, curators, secret, change):
    with as_caller(caller_for(curators[0])):
        place = secret.sections.get().locator
    written = {name: value.replace("SECRET", place) for name, value in change.items()}
    page = client.post(ADD, FORM | written).content.decode()
    assert ("private in “client_cases”" in page) is ("cites" not in change.values())
