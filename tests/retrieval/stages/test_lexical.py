"""Public chunks by their words."""

import pytest

from retrieval.stages.lexical import LexicalRetriever
from tests.retrieval.stages.leg_contract import LegContract

pytestmark = pytest.mark.django_db


class TestLexicalRetriever(LegContract):
    leg = LexicalRetriever()
    finds_private = False
