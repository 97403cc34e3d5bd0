"""States are known by their names."""

import pytest

from retrieval.text.states import names_a_state


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("speed limit in Ohio", True),
        ("licencia en Nueva York", True),
        ("leyes de Nuevo México", True),
        ("how many senators has each state", False),
        ("mass shooting liability in the city of York", False),
        ("civil RICO damages in Mexico", False),
        ("", False),
    ],
)
def test_a_state_is_known_by_its_name(text, named):
    assert names_a_state(text) is named
