"""Which error refuses which option, and what is sent instead."""

import pytest

from retrieval.engines.llm.options import ANSWER_FORMS, LENGTH_LIMITS, OPTIONS, options_of, refused_by
from retrieval.stages.llm_verifier import FORM, prompt_of
from tests.llm_server import LLAMA_CPP_PYTHON

PROMPT = prompt_of("may a state tax me", "No State shall …")
FIRST = ("json_schema", "max_tokens", "temperature", "seed")


def test_the_strictest_of_each_kind_is_sent():
    assert tuple(options_of(FORM, set())) == FIRST


def test_a_request_without_all_of_them_asks_by_the_prompt_alone():
    assert options_of(FORM, set(OPTIONS)) == {}
    assert tuple(options_of(FORM, {*ANSWER_FORMS, *LENGTH_LIMITS})) == ("temperature", "seed")


@pytest.mark.parametrize(
    ("status", "complaint", "refused"),
    [
        (500, LLAMA_CPP_PYTHON, {"json_schema"}),
        (400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported.", {"json_schema"}),
        (422, "body.seed: Extra inputs are not permitted", {"seed"}),
        (422, "unknown variant `json_schema`, expected one of `json`, `regex`", {"json_schema"}),
        (400, "Unsupported value: 'temperature' does not support 0, only 1", {"temperature"}),
        (404, "this model does not support structured outputs", {"json_schema"}),
        (400, "response_format and temperature unsupported", {"json_schema", "temperature"}),
        # other errors
        (429, "tokens a minute: max_tokens must be lower", set()),
        (400, "max_tokens is too large: 300. The model's context length is 2048 tokens", set()),
        (400, "This model's maximum context length is 2048 tokens, and json_schema cannot fit", set()),
        (500, "Internal Server Error", set()),
        (503, "the temperature sensor of rack 7 reads 90 degrees", set()),
        (500, "worker was seeded", set()),
        (500, "invalid: response_format max_tokens temperature seed", set()),
        (401, "invalid key", set()),
    ],
)  # fmt: skip
def test_a_refusal_is_told_from_another_error(status, complaint, refused):
    assert refused_by(status, complaint, FIRST, PROMPT) == refused


def test_words_of_the_question_that_a_server_repeats_refuse_nothing():
    prompt = prompt_of("is response_format unknown, and the seed invalid?", "No State shall …")
    complaint = f"invalid request: {prompt[1]['content']}"
    assert refused_by(400, complaint, FIRST, prompt) == set()
    assert refused_by(400, f"{complaint}: json_schema", FIRST, prompt) == {"json_schema"}
