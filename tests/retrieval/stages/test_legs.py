"""The legs that find chunks: by meaning, by words, and in private documents."""

import pytest

from retrieval.stages.legs import DenseRetriever, LexicalRetriever, PrivateLexicalRetriever
from tests.retrieval.stages.leg_contract import LegContract

pytestmark = pytest.mark.django_db


class TestDenseRetriever(LegContract):
    leg = DenseRetriever()


class TestLexicalRetriever(LegContract):
    leg = LexicalRetriever()
    finds_private = False


class TestPrivateLexicalRetriever(LegContract):
    leg = PrivateLexicalRetriever()
    finds_public = False
