"""The way of a query in docs/architecture.md is that of a search as it runs."""

import re
import sys
from pathlib import Path

import pytest

from retrieval.search import cache
from tests.conftest import ROOT
from tests.retrieval.api.asking import found
from tests.test_architecture import MAP, QUERY

CALLED = MAP[MAP.index("Stages read from") : MAP.index("## The way of a file")]
# On the way of some questions: those of a page, those that found too little, those that a rule fires for.
SELDOM = {"retrieval/pages/views.py", "rules/sufficiency/corrections.py", "rules/engine/actions/on_results.py"}


def files_run(run) -> set[str]:
    """The project's files of which lines run in this thread."""
    entered = set()

    def note(frame, event, _):
        if event == "call":
            entered.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    ours = (Path(name) for name in entered if Path(name).is_relative_to(ROOT))
    return {str(path.relative_to(ROOT)) for path in ours if path.relative_to(ROOT).parts[0] not in (".venv", "tests")}


@pytest.mark.django_db
def test_a_search_runs_the_files_of_its_way_and_those_that_these_call(client):
    found(client, "freedom of the press")
    cache.answers.answers.clear()
    run = files_run(lambda: found(client, "who may declare war"))
    way = set(re.findall(r"`([\w/]+\.py)`", QUERY))
    called = tuple(re.findall(r"`([\w/]+/[\w/]+(?:\.py)?)`", CALLED))
    assert way - run <= SELDOM
    assert {path for path in run - way if not path.startswith(called)} == set()
    most = int(re.search(r"at most\s+(\d+) files", CALLED)[1])
    assert len(run) <= most
