"""What several tests of the API watch for."""

import pytest


@pytest.fixture
def no_stage(monkeypatch):
    """Fails the test when anything is searched."""

    def reached(*args, **kwargs):
        raise AssertionError("bad input reached the search")

    monkeypatch.setattr("retrieval.search.service.run", reached)
