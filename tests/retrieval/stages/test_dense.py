"""The chunks nearest in meaning."""

import pytest

from retrieval.stages.dense import DenseRetriever
from tests.retrieval.stages.leg_contract import LegContract

pytestmark = pytest.mark.django_db


class TestDenseRetriever(LegContract):
    leg = DenseRetriever()
