"""Sections that a question cites."""

import pytest

from retrieval.stages.citations import CitationRetriever
from tests.retrieval.stages.leg_contract import LegContract

pytestmark = pytest.mark.django_db


class TestCitationRetriever(LegContract):
    leg = CitationRetriever()
