"""What a rule names must exist, and what it names of private domains keeps it there."""

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.access.row_security import as_caller
from retrieval.models.access import caller_for
from rules.authoring import workflow
from rules.authoring.rule_checks import RuleRefused
from rules.models import Rule
from tests.rule_searches import ALWAYS, FIFTH, section
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


@pytest.mark.parametrize(
    "target",
    [
        {"kind": "filename", "value": "lease.pfd"},
        {"kind": "filename", "value": "lease.pdf", "pages": "7"},
        {"kind": "tag", "value": "leases"},
        {"kind": "metadata", "key": "party", "value": "Acmee"},
        {"kind": "metadata", "key": "year", "comparison": "at_least", "value": 2025},
        {"kind": "metadata", "key": "partyy", "value": "Acme"},
        {"kind": "pages", "pages": "7"},
        {"kind": "heading", "value": "late payment"},
    ],
)
def test_a_target_that_matches_nothing_is_refused_with_what_is_near(contract, ann, target):
    with pytest.raises(RuleRefused, match="Near to it: .*(lease|cme|party|3 pages|2024|Late Payments)"):
        propose("restrict", [target], by=ann)


def test_a_mistyped_locator_is_told_what_it_may_have_meant(ann):
    with pytest.raises(RuleRefused, match=f"{FIFTH}(,|\\.)"):
        propose("pin", section("/us/const/amendment/VV"), by=ann)


@pytest.mark.parametrize("kind", ["domain", "route"])
def test_a_criterion_that_names_no_domain_is_refused_with_what_is_near(ann, kind):
    criteria = [{"kind": kind, "value": "us_constitutoin"}]
    made = Rule(name="near", criteria=criteria, actions=[{"kind": "abstain"}])
    with pytest.raises(RuleRefused, match="no domain “us_constitutoin”. Near to it: us_constitution"):
        workflow.propose(workflow.save_draft(made, by=ann), by=ann, caller=ANONYMOUS)


def propose(action: str, targets: list[dict], *, by) -> None:
    made = Rule(name="near", criteria=ALWAYS, targets=targets, actions=[{"kind": action}])
    workflow.propose(workflow.save_draft(made, by=by), by=by, caller=ANONYMOUS)
