"""Pipelines by name, and what a stage that cannot run leaves behind."""

import pytest
from django.db import InterfaceError, OperationalError, connection, transaction

from arf_site import pipelines
from retrieval import pipeline
from retrieval.access.caller import Caller
from retrieval.engines import loaded
from retrieval.errors import SearchUnavailable
from retrieval.indexes.lexical import LexicalIndex
from retrieval.request import SearchRequest
from retrieval.search.service import search
from tests.spoiling import spoil

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


def stages_of(*written) -> list[type]:
    """The classes of these stages, of the stages inside them, and of their legs."""
    inside = [
        part
        for stage in written
        for name in ("actions", "legs", "stages")
        for part in (*getattr(stage, name, ()), getattr(stage, "search", None))
        if part is not None
    ]
    return [*map(type, written), *(stages_of(*inside) if inside else [])]


STAGES = sorted({*stages_of(*pipelines.default().stages)}, key=lambda stage: stage.__name__)
ESSENTIAL = {"EachDomain", "Fuse", "PerRuleSearch", "Present", "UntilSufficient"}
SECRET = "words of a private row"


def broken(stage: type, problem: BaseException, monkeypatch) -> None:
    def fail(*args):
        raise problem

    monkeypatch.setattr(stage, "__call__", fail)


def panic(message: str) -> BaseException:
    """As a library written in Rust raises it: no Exception."""
    return type("PanicException", (BaseException,), {})(message)


@pytest.mark.parametrize("make", [RuntimeError, panic])
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
def test_whatever_a_stage_raises_the_search_goes_on_without_it(stage, make, monkeypatch, caplog):
    broken(stage, make(SECRET), monkeypatch)
    name = stage.__name__
    if name in ESSENTIAL:
        with pytest.raises(SearchUnavailable) as refused:
            ask("freedom of speech")
        assert SECRET not in refused.value.message
    else:
        answer = ask("freedom of speech")
        lines = {line["name"]: line for line in answer["stages"]}
        if name in lines:  # rules' actions do not run where no rule fired
            assert name in answer["degraded"] and answer["results"]
            assert (lines[name]["status"], lines[name]["note"]) == ("failed", type(make("")).__name__)
            assert SECRET not in str(answer)
    assert (SECRET in caplog.text) == (name in ESSENTIAL or name in lines)


@pytest.mark.parametrize("problem", [OperationalError, InterfaceError])
def test_a_database_that_is_away_is_no_stages_to_survive(problem, monkeypatch):
    broken(type(pipelines.LEGS[0]), problem("gone"), monkeypatch)
    with pytest.raises(problem):
        ask("freedom of speech")


def test_a_search_of_which_no_leg_worked_is_an_error(monkeypatch):
    for leg in {type(leg) for stage in pipelines.fusion().stages for leg in getattr(stage, "legs", ())}:
        broken(leg, RuntimeError("no"), monkeypatch)
    with pytest.raises(SearchUnavailable) as refused:
        ask("freedom of speech", pipeline="fusion")
    assert refused.value.status == 503


def test_a_statement_that_fails_in_a_transaction_leaves_it_usable(monkeypatch):
    def divide(*args):
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 / 0")

    leg = next(type(leg) for leg in pipelines.LEGS if type(leg).__name__ == "DenseRetriever")
    monkeypatch.setattr(leg, "__call__", divide)
    with transaction.atomic():
        answer = ask("freedom of speech")
        assert answer["degraded"] == ["DenseRetriever"] and answer["results"]
        assert next(s["note"] for s in answer["stages"] if s["name"] == "DenseRetriever") == "DataError"


def test_random_bytes_in_the_index_degrade_the_answer(reindex, settings):
    reindex()
    assert ask("freedom of speech")["degraded"] == []
    for file in settings.ARF_LEXICAL_DIR.glob("*.*"):
        spoil(file, start=0.0, length=200)
    loaded.lexical_index()._well_until = 0.0  # it is looked at every second
    answer = ask("freedom of the press")
    assert answer["degraded"] == ["LexicalRetriever"] and answer["results"]
    assert "damaged" in next(s["note"] for s in answer["stages"] if s["name"] == "LexicalRetriever")


def test_what_was_found_while_the_index_was_damaged_is_not_believed(reindex, settings, monkeypatch):
    reindex()
    assert ask("freedom of speech")["degraded"] == []
    search = LexicalIndex.search

    def spoiling(self, *args, **options):
        found = search(self, *args, **options)
        spoil(next(settings.ARF_LEXICAL_DIR.glob("*.pos")))
        return found

    monkeypatch.setattr(LexicalIndex, "search", spoiling)
    assert ask("freedom of the press")["degraded"] == ["LexicalRetriever"]
