"""Completions that come in pieces. Pure."""

import json

import pytest

from retrieval.engines.llm.answers import Unusable, content_of, counted
from retrieval.engines.llm.pieces import Pieces


def line(piece: object) -> bytes:
    return b"data: %s\n\n" % json.dumps(piece).encode()


def said(content: str | None, finish: str | None = None) -> bytes:
    return line({"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish}]})


def test_they_are_one_completion_wherever_they_are_cut():
    sent = said(None) + said('{"a": "ñ') + said('"}', "stop") + line({"choices": [], "usage": {"prompt_tokens": 3}})
    for size in (1, 7, len(sent)):
        pieces = Pieces()
        whole = [pieces.take(sent[start : start + size]) for start in range(0, len(sent), size)]
        made = json.loads(pieces.completion)
        assert content_of(made) == '{"a": "ñ"}' and counted(made, "prompt_tokens", 0) == 3
        assert sum(whole) == 1


def test_comments_and_the_end_are_no_pieces():
    pieces = Pieces()
    assert not pieces.take(b": keep-alive\n\nevent: ping\n\ndata: [DONE]\n\n") and pieces.content == ""


def test_a_refusal_and_an_answer_cut_short_stay_what_they_are():
    refused, short = Pieces(), Pieces()
    refused.take(line({"choices": [{"index": 0, "delta": {"refusal": "I cannot"}}]}))
    short.take(said("{", "length"))
    for pieces in (refused, short):
        with pytest.raises(Unusable):
            content_of(json.loads(pieces.completion))


@pytest.mark.parametrize(
    "sent",
    [b"data: {\n", b"data: []\n", line({"error": {}}), line({"choices": [{"index": 1, "delta": {}}]}),
     line({"choices": [{"index": 0, "delta": {"content": 1}}]}), b"data: " + b"[" * 100_000 + b"\n"],
)  # fmt: skip
def test_what_is_no_piece_is_unusable(sent):
    with pytest.raises(Unusable):
        Pieces().take(sent)
