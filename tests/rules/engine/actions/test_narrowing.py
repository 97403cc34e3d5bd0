"""Rules that restrict what is searched."""

import pytest

from retrieval.models import Section
from tests.rule_searches import FIFTH, FIRST, THIRD, ask, locators, section

pytestmark = pytest.mark.django_db


def test_a_restriction_leaves_nothing_else_and_not_too_little(rule):
    rule("restrict", targets=section("/us/const/article/III"))
    inside = Section.objects.live().results().below("/us/const/article/III").count()
    found = locators(ask("judges and courts", k=50))
    assert found and all(locator.startswith("/us/const/article/III/") for locator in found)
    assert ask("judges and courts", k=50, pipeline="default")["total"] == inside


def test_a_pin_outside_a_restriction_is_not_shown(rule):
    rule("restrict", targets=section("/us/const/article/III"))
    rule("pin", targets=section(FIRST, "/us/const/article/III/section/1"))
    assert FIRST not in locators(ask("judges and courts"))


def test_an_answer_by_citation_alone_keeps_to_rules_too(rule):
    rule("exclude", targets=section(f"{FIFTH}"))
    assert FIFTH not in locators(ask("amend. V"))
    rule("pin", targets=section(THIRD))
    assert locators(ask("amend. I"))[:2] == [THIRD, FIRST]
