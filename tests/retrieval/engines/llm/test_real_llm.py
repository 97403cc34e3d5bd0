"""llama-cpp-python's server with a small model is what `tests/llm_server.py` takes it for, and can be asked."""

import json
from io import StringIO
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.core.management import call_command

from retrieval.engines.llm import refusals
from retrieval.engines.llm import service as llm
from retrieval.engines.llm.options import options_of, refused_by
from retrieval.models import LLMCall
from retrieval.stages.llm_verifier import FORM, prompt_of
from tests.llm_server import LLAMA_CPP_PYTHON
from tests.real_llm import MODEL

pytestmark = [pytest.mark.real_llm, pytest.mark.django_db]
PROMPT = prompt_of("may a state tax me", "No State shall …")
WHERE = "\n\n  File "  # FastAPI's refusal ends with the place in its code


@pytest.fixture(autouse=True)
def configured(real_llm, settings, monkeypatch):
    settings.ARF_LLM = {"base_url": real_llm, "api_key": "", "model": MODEL, "timeout": 300.0}
    monkeypatch.setattr(llm, "breaker", llm.Breaker())


def posted(url: str, **body) -> dict:
    sent = json.dumps({"model": MODEL, "messages": PROMPT, "temperature": 0, **body}).encode()
    request = Request(f"{url}/chat/completions", sent, {"Content-Type": "application/json"})
    with urlopen(request, timeout=300) as response:
        return json.load(response)


def test_it_refuses_a_schema_as_the_loopback_server_does(real_llm):
    sent = options_of(FORM, set())
    with pytest.raises(HTTPError) as error:
        posted(real_llm, **sent["json_schema"])
    complaint = json.load(error.value)["error"]["message"]
    assert error.value.code == 500
    assert complaint.split(WHERE)[0] == LLAMA_CPP_PYTHON.split(WHERE)[0]
    assert refused_by(500, complaint, sent, PROMPT) == {"json_schema"}


def test_it_keeps_one_limit_of_length_and_ignores_the_other(real_llm):
    said = {
        name: posted(real_llm, stop=["."], **{name: 4}) for name in ("max_tokens", "max_completion_tokens")
    }
    counted = {name: answer["usage"]["completion_tokens"] for name, answer in said.items()}
    assert counted["max_tokens"] <= 4 < counted["max_completion_tokens"]


def test_the_check_tells_what_it_can_do():
    out = StringIO()
    call_command("check_llm", "--seconds", "300", stdout=out, stderr=StringIO())
    told = out.getvalue()
    assert "JSON object with a schema (refused: JSON schema)" in told and "max_tokens\n" in told
    assert refusals.refused_options(llm.endpoint()) == {"json_schema"}
    assert LLMCall.objects.filter(outcome="unsupported").count() == 1


def test_it_gives_verdicts():
    refusals.remember(llm.endpoint(), {"json_schema"})
    [answer] = llm.ask_all([PROMPT], FORM, purpose="test", requests=1).answers
    assert answer.outcome == "answered" and 0 <= answer.value.score <= 9
