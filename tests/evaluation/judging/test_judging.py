"""Judging: pools, which pair next, grades, doubles, disagreements; and what readers teach."""

import pytest

from tests.builders import nothing_judged

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_library(db):
    """Without the topics that ship."""
    nothing_judged()


# -- The pool


# -- The grade


# -- Which pair next


# -- Readers


# -- The pages


# -- History


# -- The lists
