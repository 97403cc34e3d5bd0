"""What a server refused is remembered of it alone."""

from retrieval.engines.llm import refusals
from retrieval.engines.llm import service as llm
from tests.llm_server import llama_cpp_python, llm_server
from tests.retrieval.engines.llm.asking import ask


def forms_asked(server) -> list[str]:
    return [asked["response_format"]["type"] for asked in server.asked]


def test_a_refusal_is_remembered_by_endpoint_and_model(server, settings):
    server.behaviour = llama_cpp_python
    ask()
    server.asked.clear()
    ask()
    assert forms_asked(server) == ["json_object"]
    settings.ARF_LLM = settings.ARF_LLM | {"model": "another"}
    ask()
    assert forms_asked(server) == ["json_object", "json_schema", "json_object"]


def test_another_endpoint_is_asked_for_everything(server, settings):
    server.behaviour = llama_cpp_python
    ask()
    with llm_server() as other:
        settings.ARF_LLM = settings.ARF_LLM | {"base_url": other.url}
        ask()
    assert forms_asked(other) == ["json_schema"]


def test_another_key_or_timeout_is_the_same_endpoint(server, settings):
    refusals.remember(llm.endpoint(), {"seed"})
    settings.ARF_LLM = settings.ARF_LLM | {"api_key": "another", "timeout": 9.0}
    assert refusals.refused_options(llm.endpoint()) == {"seed"}


def test_what_is_forgotten_is_asked_for_again_and_others_keep_theirs(server, settings):
    refusals.remember(llm.endpoint(), {"seed", "json_schema"})
    refusals.remember(llm.endpoint(), {"seed"})
    here = llm.endpoint()
    settings.ARF_LLM = settings.ARF_LLM | {"model": "another"}
    refusals.remember(llm.endpoint(), {"temperature"})
    refusals.forget(here)
    assert refusals.refused_options(here) == set()
    assert refusals.refused_options(llm.endpoint()) == {"temperature"}


def test_no_address_is_kept_in_plain_words(server):
    refusals.remember(llm.endpoint(), {"seed"})
    assert not any(server.url in str(row) for row in refusals.LLMRefusal.objects.values())
