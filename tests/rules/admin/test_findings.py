"""The list of what last night's check found."""

import pytest

from rules import tasks
from rules.authoring import workflow
from rules.models import RuleFinding
from tests.rule_searches import ALWAYS, FIRST, section
from tests.rule_sets import keywords
from tests.rules.rule_pages import LIST, in_force

pytestmark = pytest.mark.django_db


def test_the_nightly_check_stores_what_it_finds_for_the_list(client, curators):
    pinned = in_force("Shown", "pin", keywords("tenants"), section(FIRST))
    hidden = in_force("Hidden", "exclude", ALWAYS[0], section(FIRST))
    assert tasks.check_rules() == tasks.check_rules() == 1
    page = client.get("/admin/rules/rulefinding/").content.decode()
    assert "hides everything" in page and f"{LIST}{pinned.pk}/change/" in page and hidden.name in page
    workflow.retire(hidden, by=None)
    assert tasks.check_rules() == 0 and not RuleFinding.objects.exists()
