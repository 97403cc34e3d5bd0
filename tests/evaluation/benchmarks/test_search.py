"""That the benchmarks measure what they say: that they run, and on what. How long it takes is no test's business."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from evaluation.benchmarks import search
from evaluation.benchmarks.search import kinds_of, requests
from evaluation.management.commands.benchmark import shipped_topics

pytestmark = pytest.mark.django_db


def told(*arguments) -> dict:
    out = io.StringIO()
    call_command("benchmark", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_searches_are_cold_first_and_cached_then(site, monkeypatch):
    monkeypatch.setattr(search, "WARM", 2)
    monkeypatch.setattr(search, "BARE", 3)
    (row,) = told("search", "--url", site, "--count", "8", "--clients", "1", "--seed", "3")["rows"]
    assert row["cold"]["all"]["n"] == 8
    assert row["cached"]["all"]["n"] == 24
    assert row["bare_ms"].keys() == {"embed", "lexical", "vectors"} and row["times_bare"] > 0
    assert {"EmbedQuery", "Fuse", "Present"} <= row["stages_ms"].keys()


def test_all_bodies_of_law_are_searched_with_the_questions_of_each():
    kinds = kinds_of(shipped_topics("all"))
    assert all("domain=" not in path for _kind, path in requests(kinds, None, 40, seed=7))
    assert set(kinds["lay"]) > set(kinds_of(shipped_topics("us_code"))["lay"])


def test_no_server_is_said_in_one_line():
    with pytest.raises(CommandError, match="no answer"):
        call_command("benchmark", "search", "--url", "http://127.0.0.1:9", "--count", "2")
