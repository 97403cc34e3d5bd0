"""Sentences beside our summary of a decision."""

import pytest

from retrieval.briefs.holdings import set_free, turned_round

CARS = "A state may require separate but equal railway cars."
SEARCH = "Evidence seized in an unlawful search cannot be used in a state's court."
WARNING = "Yes. The Court does not permit the use of a suspect's answers in custody without a warning."


@pytest.mark.parametrize(
    ("said", "holding", "language"),
    [
        ("The case lets a state's court use evidence seized in an unlawful search.", SEARCH, "en"),
        ("A suspect's answers in custody may be used.", WARNING, "en"),
        ("The case forbids a state to require separate railway cars.", CARS, "en"),
        ("Permite a un tribunal del estado registros y detención.", SEARCH, "es"),
    ],
)
def test_the_opposite_is_contradicted(said, holding, language):
    claim = turned_round(said, holding, language)
    assert claim.verdict == "contradicted" and (claim.start, claim.end) == (0, len(said))


@pytest.mark.parametrize(
    ("said", "holding"),
    [
        ("The case forbids a state's court to use evidence seized in an unlawful search.", SEARCH),
        ("A suspect's answers in custody may be used only after a warning.", WARNING),
        ("The case allows a state to require separate railway cars.", CARS),
        ("The case lets the press report on trials.", SEARCH),
        ("Evidence was seized in an unlawful search.", SEARCH),
    ],
)
def test_what_it_holds_or_is_silent_on_is_not(said, holding):
    assert turned_round(said, holding, "en") is None


@pytest.mark.parametrize(
    ("said", "language", "found"),
    [
        ("requires no warning of a suspect in custody", "en", True),
        ("held that police need not give a suspect in custody a warning", "en", True),
        ("requires a warning of a suspect in custody", "en", False),
        ("requires no hearing in tax court", "en", False),
    ],
)
def test_a_duty_that_is_denied_is_contradicted(said, language, found):
    holding = "Answers of a suspect in custody are inadmissible unless a warning was given."
    assert bool(set_free(said, holding, language)) is found


def test_in_spanish_too():
    holding = "A search requires a warrant."
    assert set_free("no exige una orden judicial para un registro", holding, "es")
    assert not set_free("exige una orden judicial para un registro", holding, "es")
