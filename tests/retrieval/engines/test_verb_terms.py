"""Terms found in every form of their verbs."""

import pytest

from retrieval.engines.translation import Glossary, translate
from tests.retrieval.engines.samples import needs_apertium

GLOSSARY = Glossary(
    {
        "registrar": "search",
        "registro": "register",
        "correrme": "fire me",
        "casarse": "marry",
        "quitar": "take away",
        "quitarme la licencia": "take away my license",
        "casa": "house",
        "causa": "case",
        "causa probable": "probable cause",
        "la causa": "the case",
    },
    spoken=True,
)


def english(text):
    return [term.english for term in GLOSSARY.find(text)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("me registraron", ["searched me"]),
        ("nos van a registrar", ["", "search us"]),
        ("pueden registrarlos", ["search them"]),
        ("no me registraron", ["did not search me"]),
        ("sin registrarme", ["searching me"]),
        ("le quitaron la licencia", ["took away his license"]),
        ("los corrieron", ["fired them"]),
        ("los registra", []),
        ("acuerdos registrales", []),
        ("se registra la ley", []),
        ("corrieron mucho", []),
        ("se casan", ["marry"]),
        ("no se casan", ["do not marry"]),
        ("me casan", []),
    ],
)
def test_a_term_is_found_in_the_forms_of_its_verb(text, told):
    assert english(text) == told


def test_a_form_that_is_a_noun_too_counts_behind_a_pronoun_or_with_its_accent():
    assert english("el registro") == ["register"]
    assert english("la policía me registra") == ["search me"]
    assert english("la policía quitó") == ["took away"]
    assert english("le quito") == ["take him away"]
    assert english("los quitados") == []
    assert english("la quita") == []


def test_a_diminutive_is_found_and_an_article_hides_no_longer_term():
    assert english("mi casita") == ["house"]
    assert english("la causa probable") == ["probable cause"]
    assert english("la causa") == ["the case"]


def test_other_glossaries_know_no_verbs():
    assert Glossary({"bear": "oso"}).find("bearon") == []


@needs_apertium
def test_a_pronoun_before_a_helping_verb_goes_with_its_verb(engine):
    assert translate("me quieren registrar", GLOSSARY, engine).text == "They want to search me"
