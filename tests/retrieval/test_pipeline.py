"""Pipelines by name, and what a stage that cannot run leaves behind."""

import pytest

from retrieval import pipeline
from retrieval.access.caller import Caller
from retrieval.request import SearchRequest
from retrieval.search.service import search

pytestmark = pytest.mark.django_db


def ask(text: str, caller: Caller = Caller(), **fields) -> dict:
    return search(SearchRequest(text=text, **fields), caller)


def test_a_missing_index_degrades_the_answer_and_says_so(settings, tmp_path):
    settings.ARF_LEXICAL_DIR = tmp_path / "nothing"
    answer = ask("freedom of speech")
    assert answer["degraded"] == ["LexicalRetriever"]
    assert answer["results"]
    stage = next(stage for stage in answer["stages"] if stage["name"] == "LexicalRetriever")
    assert stage["status"] == "failed"
    assert "no lexical index" in stage["note"]
    assert not ask("freedom of speech")["cached"], "a degraded answer is not kept"


def test_every_pipeline_runs_and_its_repr_names_its_stages():
    for name in pipeline.names():
        assert ask("jury", pipeline=name)["results"]
        assert repr(pipeline.get(name)).startswith("Pipeline(")
