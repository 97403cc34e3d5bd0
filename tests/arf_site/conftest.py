"""Staff with powers, for pages of the whole site."""

import pytest

from tests.retrieval.admin.staff import staff


@pytest.fixture
def administrator(client):
    """Staff with every permission of the group, but no superuser."""
    return staff(client, "Administrator")
