"""Private chunks by their words."""

import pytest

from retrieval.stages.private import PrivateLexicalRetriever
from tests.retrieval.stages.leg_contract import LegContract

pytestmark = pytest.mark.django_db


class TestPrivateLexicalRetriever(LegContract):
    leg = PrivateLexicalRetriever()
    finds_public = False
