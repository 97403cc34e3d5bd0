"""That the benchmark of answers measures what it says."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from evaluation.benchmarks import answers

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def warm_at_once(monkeypatch):
    monkeypatch.setattr(answers, "WARM", 1)


def test_an_answer_is_timed_beside_its_search(site):
    out = io.StringIO()
    call_command("benchmark", "answers", "--url", site, "--count", "5", "--seed", "3", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert [told[name]["n"] for name in ("search_ms", "answer_ms", "on_top_ms")] == [5, 5, 5]
    assert 0 < told["on_top_ms"]["p50"] < told["answer_ms"]["p99"]


def test_it_says_its_figures_in_two_lines(site):
    out = io.StringIO()
    call_command("benchmark", "answers", "--url", site, "--count", "5", "--seed", "4", stdout=out)
    search, on_top = out.getvalue().splitlines()
    assert search.startswith("a cold search") and on_top.startswith("an answer on top of it") and "p95" in on_top


def test_what_was_asked_before_is_refused(site):
    call_command("benchmark", "answers", "--url", site, "--count", "2", "--seed", "5", stdout=io.StringIO())
    with pytest.raises(CommandError, match="another --seed"):
        call_command("benchmark", "answers", "--url", site, "--count", "2", "--seed", "5")


def test_no_server_is_said_in_one_line():
    with pytest.raises(CommandError, match="no answer"):
        call_command("benchmark", "answers", "--url", "http://127.0.0.1:9", "--count", "2")
