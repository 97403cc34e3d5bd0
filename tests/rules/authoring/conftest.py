"""A language model that reads sentences, and who writes them."""

import json

import pytest
from django.contrib.auth.models import User

from retrieval.engines.llm import service as llm
from tests.llm_server import says
from tests.rules.authoring.readings import answer


@pytest.fixture
def model(language_model, settings, monkeypatch):
    """Answers with a good rule."""
    language_model.asked.clear()
    language_model.behaviour = says(json.dumps(answer()))
    settings.ARF_LLM = {"base_url": language_model.url, "api_key": "", "model": "m", "timeout": 5.0}
    monkeypatch.setattr(llm, "breaker", llm.Breaker())
    return language_model


@pytest.fixture
def ann(client) -> User:
    ann = User.objects.create_superuser("ann")
    client.force_login(ann)
    return ann
