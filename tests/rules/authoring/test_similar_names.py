"""Names that look like one that matches nothing."""

import pytest

from rules.authoring.rule_checks import RuleRefused
from tests.rule_searches import FIFTH, section

pytestmark = pytest.mark.django_db


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
def test_a_target_that_matches_nothing_is_refused_with_what_is_near(contract, rule, target):
    with pytest.raises(RuleRefused, match="Near to it: .*(lease|cme|party|3 pages|2024|Late Payments)"):
        rule("restrict", targets=[target])


def test_a_mistyped_locator_is_told_what_it_may_have_meant(rule):
    with pytest.raises(RuleRefused, match=f"{FIFTH}(,|\\.)"):
        rule("pin", targets=section("/us/const/amendment/VV"))
