"""The key is told to the server alone; settings are whole or named."""

import logging

import pytest

from retrieval import checks
from retrieval.engines.llm import service as llm
from retrieval.models import LLMCall
from tests.llm_server import (
    says,
    status,
)
from tests.retrieval.engines.llm.asking import KEY, ask, in_turn


def test_the_key_goes_to_the_server_alone(server, caplog):
    caplog.set_level(logging.DEBUG)
    server.behaviour = in_turn(status(500, f"bad {KEY}"), says("no"))
    ask()
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert KEY not in repr(llm.endpoint())
    assert not any(
        KEY in record.getMessage() for record in caplog.records if record.name.startswith("retrieval")
    )
    assert not any(KEY in str(row) for row in LLMCall.objects.values())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, None),
        ({"base_url": "u", "model": "m"}, None),
        ({"base_url": "u"}, "Set: ARF_LLM_URL; but not set: ARF_LLM_MODEL."),
        ({"model": "m"}, "Set: ARF_LLM_MODEL; but not set: ARF_LLM_URL."),
        ({"api_key": "k"}, "Set: ARF_LLM_KEY; but not set: ARF_LLM_URL, ARF_LLM_MODEL."),
    ],
)
def test_incomplete_settings_are_named(settings, given, message):
    settings.ARF_LLM = {"base_url": "", "api_key": "", "model": "", "timeout": 4.0} | given
    found = [(problem.id, problem.msg) for problem in checks.llm_settings(None)]
    assert found == ([("arf.E007", message)] if message else [])
