"""What django-q runs by name."""

import pytest

from rules import tasks
from rules.models import RuleFinding

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("task", [tasks.retire_expired_rules, tasks.check_rules])
def test_without_rules_nothing_is_done(task):
    assert task() == 0 and not RuleFinding.objects.exists()


def test_today_is_counted():
    assert tasks.count_uses() == 1
