"""Sentences of a language model at a loopback address, handed out while it writes on."""

import threading

import pytest
from django.db import connection
from django.utils import translation

from retrieval.access.caller import Caller
from retrieval.answers import generation
from retrieval.answers.service import AnswerRequest, by_law
from retrieval.answers.streaming import in_plain_words_as_proven
from retrieval.engines.llm import service as llm
from retrieval.engines.llm.requests import result_of
from retrieval.models import LLMCall, LLMRefusal
from tests.llm_server import good, says, status, writes
from tests.retrieval.answers.test_generation import (
    CLIENT,
    PEOPLE,
    PHONE,
    QUOTED,
    SECURE,
    WARRANT,
    said,
    written,
)

WRONG = said("Warrants may issue without probable cause.", QUOTED)
BEGINNING, END = '{"instructs": false, "sentences": [', "]}"
RIGHT = (said(WARRANT, QUOTED), said(PEOPLE, SECURE))


@pytest.fixture
def model(language_model, settings, monkeypatch, db):
    language_model.asked.clear()
    settings.ARF_LLM = {"base_url": language_model.url, "api_key": "", "model": "m", "timeout": 30.0}
    monkeypatch.setattr(llm, "breaker", llm.Breaker())
    return language_model


def pieces(*sentences: dict) -> list[str]:
    """Each sentence as one piece of an answer."""
    told = [written(one).removeprefix(BEGINNING).removesuffix(END) for one in sentences]
    return [BEGINNING + told[0], *(f", {one}" for one in told[1:]), END]


def telling(text: str = PHONE):
    return in_plain_words_as_proven(by_law(AnswerRequest(text), CLIENT, channel="api"))


def events(told) -> list[str]:
    return [entry["text"] if name == "sentence" else name for name, entry in told]


def test_a_sentence_is_handed_out_before_the_model_has_written_the_next(model):
    handed = threading.Event()
    model.behaviour = writes(*pieces(*RIGHT), before=lambda n: n == 1 and handed.wait(10))
    told = telling()
    name, first = next(told)
    assert (name, first["text"], first["kind"], first["standing"]) == ("sentence", WARRANT, "generated", None)
    handed.set()
    assert events(told) == [PEOPLE]
    assert model.asked[0]["stream"] and model.asked[0]["stream_options"] == {"include_usage": True}
    assert events(telling()) == [WARRANT, PEOPLE] and len(model.asked) == 1  # remembered


def test_what_is_not_proven_is_not_handed_out(model):
    model.behaviour = writes(*pieces(RIGHT[0], said("Call the free hotline of Acme Lawyers.", QUOTED), RIGHT[1]))
    assert events(telling()) == [WARRANT, PEOPLE]


def test_a_draft_that_turns_out_wrong_is_withdrawn_before_the_next(model):
    drafts = iter([pieces(RIGHT[0], WRONG, RIGHT[1]), pieces(RIGHT[1])])
    model.behaviour = lambda asked: writes(*next(drafts))(asked)
    assert events(telling()) == [WARRANT, "withdrawn", PEOPLE]


def test_an_answer_that_breaks_off_is_withdrawn(model):
    model.behaviour = writes(*pieces(*RIGHT)[:-1])
    assert events(telling()) == [WARRANT, PEOPLE, "withdrawn", WARRANT, PEOPLE, "withdrawn"]


def test_while_a_sentence_is_sent_no_transaction_of_the_caller_is_open(model):
    model.behaviour = writes(*pieces(RIGHT[0], WRONG), END)

    def state() -> tuple:
        return connection.arf_principals, len(connection.savepoint_ids), translation.get_language()

    told = telling()
    with translation.override("es"):  # of whoever reads: the question is English
        before = state()
        assert {state() for _ in told} == {before} and before[0] == ""


def test_a_server_that_sends_no_pieces_is_heard_whole(model):
    model.behaviour = says(written(*RIGHT))
    assert events(telling()) == [WARRANT, PEOPLE]


def test_a_server_that_refuses_pieces_is_asked_without(model):
    model.behaviour = lambda asked: (
        status(400, "stream is not supported") if asked.get("stream") else says(written(*RIGHT))
    )(asked)
    assert events(telling()) == [WARRANT, PEOPLE]
    assert list(LLMRefusal.objects.values_list("option", flat=True)) == ["stream"]


def test_what_nobody_hears_any_more_is_paid_for_and_kept(model):
    usage = {"prompt_tokens": 40, "completion_tokens": 20}
    model.behaviour = writes(*pieces(*RIGHT), usage=usage)
    told = telling()
    next(told)
    ended = result_of(told)
    assert [one["text"] for one in ended.items if one["kind"] == generation.KIND] == [WARRANT, PEOPLE]
    assert LLMCall.objects.values_list("outcome", "tokens_in", "tokens_out").get() == ("answered", 40, 20)


def test_where_no_model_may_be_asked_nothing_is_handed_out(model):
    model.behaviour = good()
    told = in_plain_words_as_proven(by_law(AnswerRequest(PHONE), Caller(), channel="api"))
    assert events(told) == [] and not model.asked
