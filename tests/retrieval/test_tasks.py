"""What django-q runs by name."""

import pytest
from django.utils.module_loading import import_string

from arf_site.schedules import MONTHLY, NIGHTLY, OFTEN
from retrieval import tasks
from retrieval.indexes import terms
from retrieval.ingestion import refreshing

OFTEN_RUN = [func for func, _ in OFTEN.values()]


@pytest.mark.parametrize("func", [*OFTEN_RUN, *NIGHTLY.values(), *MONTHLY.values()])
def test_what_is_scheduled_exists(func):
    assert callable(import_string(func))


def test_pruning_tells_what_it_took_away_part_by_part(db):
    told = tasks.prune()
    assert {"cache", "rates", "files", "changes", "erasures", "questions", "jobs", "sessions"} <= set(told)


def test_nothing_is_due_where_nothing_changed(db):
    assert terms.count_again() == 0
    assert refreshing.begin_due() == 0
