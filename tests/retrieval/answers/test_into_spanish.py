"""Law into Spanish by machine: terms with their articles, and nothing whose numbers or negations are others."""

import pytest

from retrieval.answers.into_spanish import into_spanish, keeps, terms_of_law
from retrieval.engines.apertium import INTO_SPANISH, Apertium
from retrieval.engines.translation import Glossary
from tests.retrieval.engines.samples import needs_apertium

FEE = "The applicant shall not pay a fee of $50 under section 12(a) of this title."
CUOTA = "El solicitante no pagará una tarifa de $50 conforme a la sección 12(a) de este título."


@pytest.fixture(scope="module")
def engine():
    apertium = Apertium(INTO_SPANISH)
    yield apertium
    apertium.close()


@pytest.fixture(scope="module")
def terms():
    return Glossary(terms_of_law())


def test_a_noun_is_put_in_with_what_stands_before_it():
    terms = terms_of_law()
    assert (terms["of the alien"], terms["such warrants"]) == ("del extranjero", "dichas órdenes judiciales")
    assert "fine" not in terms and terms["except as provided in"] == "salvo lo dispuesto en"


@needs_apertium
def test_terms_and_numbered_places_are_kept(engine, terms):
    assert into_spanish("An alien is inadmissible under paragraph (3).", terms, engine) == (
        "Un extranjero es inadmisible conforme al párrafo (3)."
    )
    made = into_spanish(FEE, terms, engine)
    assert made.startswith("El solicitante no pagará") and "sección 12(a) de este título" in made


@needs_apertium
@pytest.mark.parametrize(
    "text",
    [
        "The police may, without a warrant, search the car.",  # loses its verb
        "The bailor furloughs gerrymandered wharfingers.",  # nearly all unknown
    ],
)
def test_what_comes_out_broken_is_left_out(engine, terms, text):
    assert into_spanish(text, terms, engine) == ""


@pytest.mark.parametrize(
    "changed",
    [
        CUOTA.replace("no ", ""),
        CUOTA.replace("$50", "$500"),
        CUOTA.replace("12(a)", "12(un)"),
        CUOTA.replace("no pagará", "puede no pagar"),
        f"{CUOTA[:-1]} salvo de noche.",
        "El zorro no vio $50 en 12(a).",
    ],
)
def test_what_says_something_else_is_left_out(changed):
    assert keeps(FEE, CUOTA) and not keeps(FEE, changed)
