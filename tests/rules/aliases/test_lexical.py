"""Provisions by the words of their curated names."""

import pytest

from rules.aliases.lexical import LexicalAliasRetriever
from tests.retrieval.stages.leg_contract import LegContract

pytestmark = pytest.mark.django_db


class TestLexicalAliasRetriever(LegContract):
    leg = LexicalAliasRetriever()
