"""A language model at a loopback address."""

import pytest

from retrieval.engines.llm import service as llm
from retrieval.engines.llm.service import Breaker
from tests.llm_server import (
    good,
    llm_server,
)
from tests.retrieval.engines.llm.asking import KEY


@pytest.fixture(scope="session")
def shared_server():
    with llm_server() as server:
        yield server


@pytest.fixture
def server(shared_server, settings, monkeypatch, db):
    """A server that answers well, known to the settings, with nothing remembered of earlier tests."""
    shared_server.asked.clear()
    shared_server.keys.clear()
    shared_server.behaviour, shared_server.hold = good(), None
    settings.ARF_LLM = {"base_url": shared_server.url, "api_key": KEY, "model": "m", "timeout": 5.0}
    monkeypatch.setattr(llm, "breaker", Breaker())
    return shared_server
