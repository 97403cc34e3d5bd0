"""Errors whose messages are safe to show."""

import ast
from pathlib import Path

import pytest
from django.utils import translation

from retrieval.errors import ArfError, NotFound, NotRun, SourceRefused, UnknownPipeline
from retrieval.models.uploads import in_words
from retrieval.request import MAX_K, BadQuery, SearchRequest, check

REFUSALS = {"SourceRefused", "Unreachable", "Unprocessable", "BadQuery", "BadFile", "NoRoom", "TooManyWaiting"}


def test_a_refusal_keeps_its_values_apart_so_that_it_can_be_translated():
    refused = SourceRefused("%(count)s sections", count=3000)
    assert refused.message == "3,000 sections"
    assert refused.refusal == {"template": "%(count)s sections", "values": {"count": 3000}}


def test_any_error_is_told_in_the_language_of_the_reader():
    with pytest.raises(BadQuery) as refused:
        check(SearchRequest("visa", k=MAX_K + 1))
    assert refused.value.message == "k must lie between 1 and 100."
    with translation.override("es"):
        assert in_words(refused.value.refusal) == "k debe estar entre 1 y 100."


def test_numbers_are_written_as_the_language_of_the_reader_writes_them():
    refused = SourceRefused("The file is larger than %(most)s bytes.", most=1_000_000)
    assert refused.message == in_words(refused.refusal) == "The file is larger than 1,000,000 bytes."
    with translation.override("es"):
        assert in_words(refused.refusal) == "El archivo ocupa más de 1\xa0000\xa0000 bytes."


def test_no_refusal_has_its_values_in_its_words():
    """Words with values in them are in no catalogue."""
    for path in (path for room in ("retrieval", "rules", "evaluation") for path in Path(room).rglob("*.py")):
        code = path.read_text()
        tree = ast.parse(code if any(name in code for name in REFUSALS) else "")
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            assert name not in REFUSALS or not isinstance(call.args[0], ast.JoinedStr), f"{path}:{call.lineno}"


def test_a_message_without_values_may_hold_per_cent_signs():
    assert SourceRefused("less than 50 % of it").message == "less than 50 % of it"


@pytest.mark.parametrize(("degrades", "status"), [(True, "failed"), (False, "skipped")])
def test_a_stage_that_makes_the_answer_worse_has_failed(degrades, status):
    assert NotRun("no vector", degrades=degrades).status_in_trace == status


def test_every_error_has_a_status_and_a_code():
    assert (UnknownPipeline("x").status, UnknownPipeline("x").code) == (404, "unknown_pipeline")
    assert issubclass(NotFound, ArfError)
