"""Documents that several test files read."""

import pytest

from retrieval.parsing.uslm.reader import read
from tests.retrieval.parsing.uslm.samples import CONSTITUTION, LOWEST, SECTION, TITLE


@pytest.fixture(scope="module")
def title():
    return read(TITLE.encode(), leaf=SECTION)


@pytest.fixture(scope="module")
def sections(title):
    return {node.locator: node for node in title.root.walk()}


@pytest.fixture
def enforcement(sections):
    return sections["/us/usc/t42/s2000e-5"]


@pytest.fixture(scope="module")
def constitution():
    return read(CONSTITUTION, leaf=LOWEST)
