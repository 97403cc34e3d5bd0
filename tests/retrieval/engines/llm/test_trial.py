"""`manage.py check_llm` on servers of several kinds."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from retrieval.engines.llm import refusals
from retrieval.engines.llm import service as llm
from retrieval.models import LLMCall, LLMPolicy, LLMRefusal, LLMVerdict
from tests.llm_server import FAILING, good, llama_cpp_python, says, status
from tests.retrieval.engines.llm.asking import impatient


def checked(*args: str) -> tuple[dict[str, str], str]:
    """What the command says of each thing, and its warnings."""
    out, err = StringIO(), StringIO()
    call_command("check_llm", *args, stdout=out, stderr=err)
    title, *lines = out.getvalue().splitlines()
    assert title == f"m, {llm.endpoint().base_url}"
    return {line[:16].strip(): line[16:] for line in lines}, err.getvalue()


def test_a_server_that_takes_everything(server):
    told, warnings = checked()
    assert (told["form"], told["length limit"]) == ("JSON schema", "max_tokens")
    assert (told["temperature"], told["seed"]) == ("taken", "taken")
    assert told["one answer"].endswith(" s; 100 tokens in, 20 out; answered")
    assert told["3 at once"].endswith(" s; 3 answered")
    assert told["price"] == "none is configured (admin, LLM policy)" and warnings == ""
    assert len(server.asked) == 4 == LLMCall.objects.filter(purpose="check").count()
    assert not LLMVerdict.objects.exists()


def test_no_two_prompts_are_alike_that_a_server_could_remember(server):
    checked()
    assert len({str(asked["messages"]) for asked in server.asked}) == 4


def test_the_price_is_that_of_three_calls_a_question(server):
    LLMPolicy.objects.create(price_in=1, price_out=5)
    price = 1000 * 3 * (100 * 1 + 20 * 5) / 1_000_000
    assert checked()[0]["price"] == f"at most {price:.2f} USD per 1,000 questions, of 3 calls each"


def test_llama_cpp_python_takes_an_object_with_a_schema(server):
    server.behaviour = llama_cpp_python
    told, _warnings = checked()
    assert told["form"] == "JSON object with a schema (refused: JSON schema)"
    assert told["3 at once"].endswith(" s; 3 answered")


def test_a_server_that_takes_nothing_but_the_prompt(server):
    def strict(asked: dict):
        named = next((name for name in sorted(asked) if name not in ("messages", "model")), None)
        return (status(422, f"{named}: unknown field") if named else good())(asked)

    server.behaviour = strict
    told, _warnings = checked()
    assert told["form"].startswith("asked for by the prompt alone (refused: JSON schema, ")
    assert (told["length limit"], told["temperature"], told["seed"]) == ("none", "refused", "refused")
    assert server.asked[-1].keys() == {"model", "messages"}


def test_it_asks_anew_for_what_was_refused(server):
    refusals.remember(llm.endpoint(), {"json_schema", "seed"})
    told, _warnings = checked()
    assert (told["form"], told["seed"]) == ("JSON schema", "taken") and not LLMRefusal.objects.exists()


def test_a_model_too_slow_for_searches_is_told_with_the_seconds_it_needs(server, settings):
    impatient(settings, 0.001)
    _told, warnings = checked()
    assert "A search waits 0.001 s (ARF_LLM_TIMEOUT)" in warnings and "1 would do" in warnings


def test_answers_that_are_no_verdicts_are_counted_as_such(server):
    server.behaviour = says("I like law.")
    assert checked()[0]["3 at once"].endswith(" s; 3 malformed")


@pytest.mark.parametrize(
    ("name", "why"),
    [("error 500", "unavailable"), ("bad key", "error"), ("hangs", "nothing came within 0.5 s")],
)
def test_a_model_that_does_not_answer_fails_the_check(server, name, why):
    server.behaviour = FAILING[name]
    with pytest.raises(CommandError, match=f"m did not answer: {why}"):
        checked("--seconds", "0.5" if name == "hangs" else "30")


def test_without_a_model_there_is_nothing_to_check(server, settings):
    settings.ARF_LLM = settings.ARF_LLM | {"model": ""}
    with pytest.raises(CommandError, match="ARF_LLM_MODEL"):
        call_command("check_llm")


def test_switched_off_it_is_not_asked(server):
    LLMPolicy.objects.create(enabled=False)
    with pytest.raises(CommandError, match="switched off"):
        call_command("check_llm")
    assert server.asked == []
