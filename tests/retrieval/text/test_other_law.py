"""States and other countries are known by their names."""

import pytest

from retrieval.text.other_law import names_a_state, names_another_country


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("speed limit in Ohio", True),
        ("licencia en Nueva York", True),
        ("leyes de Nuevo México", True),
        ("noise after ten in Chicago", True),
        ("cerca de seis pies en Los Ángeles", True),
        ("how many senators has each state", False),
        ("mass shooting liability in the city of York", False),
        ("civil RICO damages in Mexico", False),
        ("", False),
    ],
)
def test_a_state_is_known_by_its_name(text, named):
    assert names_a_state(text) is named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("voting age in Brazil", True),
        ("edad de jubilación en España", True),
        ("¿cuánto dura el mandato del presidente de México?", True),
        ("my German landlord's deposit", True),
        ("Does the U.K. have a written constitution?", True),
        ("leyes de Nuevo México", False),
        ("can an Indian tribe tax a store", False),
        ("ballot papers in Spanish", False),
        ("Michael Jordan's trademark", False),
        ("", False),
    ],
)
def test_another_country_is_known_by_its_name_or_people(text, named):
    assert names_another_country(text) is named
