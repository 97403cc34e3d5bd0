"""An answer is read strictly, or not at all."""

import pytest

from retrieval.engines.llm.answers import BELIEVED_TOKENS, Unusable, content_of, counted


def completion(content="words", *, finish_reason="stop", **message):
    return {"choices": [{"message": {"content": content, **message}, "finish_reason": finish_reason}]}


@pytest.mark.parametrize("reason", ["stop", None])
def test_a_whole_answer_is_read(reason):
    assert content_of(completion(finish_reason=reason)) == "words"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (completion(refusal="I will not."), "refused"),
        (completion(finish_reason="content_filter"), "refused"),
        (completion(finish_reason="length"), "malformed"),
        (completion(None), "malformed"),
        (completion([{"type": "text"}]), "malformed"),
    ],
)
def test_other_answers_say_nothing_and_are_named(answer, outcome):
    with pytest.raises(Unusable) as problem:
        content_of(answer)
    assert problem.value.outcome == outcome


def test_two_choices_are_no_answer():
    with pytest.raises(ValueError):
        content_of({"choices": completion()["choices"] * 2})


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 12}, 12),
        ({"prompt_tokens": 0}, 0),
        ({"prompt_tokens": -1}, 7),
        ({"prompt_tokens": True}, 7),
        ({"prompt_tokens": BELIEVED_TOKENS + 1}, 7),
        ({}, 7),
        ("many", 7),
        (None, 7),
    ],
)
def test_a_count_that_cannot_be_true_is_not_believed(usage, tokens):
    assert counted({"usage": usage}, "prompt_tokens", 7) == tokens
