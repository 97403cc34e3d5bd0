"""Features are timed beside the first ARF's."""

import io
import json

import pytest
from django.core.management import call_command

pytestmark = pytest.mark.django_db


def told(*arguments) -> dict:
    out = io.StringIO()
    call_command("benchmark", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_features_are_timed_in_both_ways_and_the_loading_of_words_apart():
    found = told("features", "--count", "2", "--seed", "1")
    assert (found["candidates"], found["words"], found["repeat"]) == (50, 300, 2)
    assert found["loading"]["sections"] == 50
    assert all(found[which]["p95"] > 0 for which in ("ours_ms", "arf_ms"))
