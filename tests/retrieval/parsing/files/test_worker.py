"""The worker answers with the document or with the reason against it, and bounds itself."""

import json
import resource

import pytest

from retrieval.parsing.files import formats, worker
from retrieval.parsing.tree import SourceDocument
from tests.retrieval.parsing.files.reading import read


def test_the_answer_is_the_document():
    said = worker.answer(b"1. Term. A year.\n", "a.txt", "/d/x", "Fallback")
    assert SourceDocument.of_file(json.loads(said)) == read(b"1. Term. A year.\n", "a.txt")


def test_the_answer_is_the_reason_against_a_file():
    assert json.loads(worker.answer(b"MZ", "a.exe", "/d/x", "x")).keys() == {"refused"}


@pytest.mark.parametrize("problem", [MemoryError, RecursionError])
def test_what_needs_too_much_is_refused_in_words(problem, monkeypatch):
    def fail(*_):
        raise problem

    monkeypatch.setattr(formats, "read", fail)
    assert worker.TOO_HUNGRY in worker.answer(b"x", "a.txt", "/d/x", "x")


def test_it_bounds_memory_time_output_and_open_files(monkeypatch):
    set_to = {}
    monkeypatch.setattr(resource, "setrlimit", set_to.__setitem__)
    worker.bound()
    assert set_to == {limit: (most, most) for limit, most in worker.LIMITS.items()}
    assert {resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE} <= set(
        set_to
    )
