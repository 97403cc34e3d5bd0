"""One kept pipeline of Apertium for all tests of a file."""

import pytest

from retrieval.engines.translation.apertium import Apertium


@pytest.fixture(scope="session")
def engine():
    apertium = Apertium()
    yield apertium
    apertium.close()
