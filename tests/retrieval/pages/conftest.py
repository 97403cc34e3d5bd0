"""A private document for the tests of pages."""


import pytest

from retrieval.access.row_security import as_system
from tests.retrieval.pages.looking import add_provision


@pytest.fixture
def case(django_user_model):
    """A private section, and the one person whom it was granted to."""
    owner = django_user_model.objects.create_user("owner", password="x")
    section = add_provision(
        "client_cases", "/client_cases/okonkwo", "/client_cases/okonkwo/facts", "A ferry strike."
    )
    with as_system():
        section.document.grants.create(principal=f"user:{owner.pk}")
    return section, owner
