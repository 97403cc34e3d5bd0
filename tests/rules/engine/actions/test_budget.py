"""Results within the caller's token budget."""

import pytest

from tests.rule_searches import ask, given, locators, restricting

pytestmark = pytest.mark.django_db


def test_a_token_budget_drops_by_priority_and_says_what():
    rules = [
        restricting("/us/const/article/II", priority=2),
        restricting("/us/const/amendment/XXVI", priority=1),
    ]
    answer = ask("vote", rules=given(*rules, coverage="each", token_budget=130), k=50)
    assert locators(answer)[0].startswith("/us/const/amendment/XXVI")
    assert answer["rules"]["withheld"]
    assert set(locators(answer)).isdisjoint(row["locator"] for row in answer["rules"]["withheld"])
