"""Fixtures of the folders that it rests on."""

from tests.evaluation.learning.conftest import library, pools  # noqa: F401
from tests.retrieval.conftest import exported  # noqa: F401
