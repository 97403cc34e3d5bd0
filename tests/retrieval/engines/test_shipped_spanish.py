"""What ships puts ordinary Spanish of law into English no worse than Apertium alone."""

import pytest

from retrieval.engines.translation import Glossary, translate
from rules.shipped import GLOSSARY, SPOKEN_GLOSSARY, rows_of
from tests.retrieval.engines.samples import needs_apertium


@pytest.fixture(scope="module")
def shipped():
    entries = {row["spanish"]: row["english"] for name in (GLOSSARY, SPOKEN_GLOSSARY) for row in rows_of(name)}
    return Glossary(entries, spoken=True)


@needs_apertium
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("enfermedades mentales", "Mental illnesses"),
        ("derechos procesales", "Procedural rights"),
        ("argumentos orales", "Oral arguments"),
        ("trabajadores estacionales", "Seasonal workers"),
        ("acuñar metales", "Coin metals"),
        ("tiranos, venenos, corrales", "Tyrants, poisons, farmyards"),
        ("seguridad social", "Social security"),
        ("admitir nuevos estados a la Unión", "Admit new states to the Union"),
        ("una unión más perfecta", "A more perfect union"),
        ("la visa Q", "The visa Q"),
        ("el ala derecha", "The right wing"),
        ("El papa Francisco", "The pope francisco"),
        ("esta oficina puede deportarme", "This office can deport me"),
        ("esta partida", "This party"),
        ("el no pagar", "The not paying"),
        ("el juez rompe la ley", "The judge breaks the law"),
        ("la ley abre la puerta", "The law opens the door"),
        ("las abogadas del estado", "The lawyers of the state"),
        ("este preso", "This prisoner"),
        ("El deporte a nivel escolar", "The sport to school level"),
        ("No estoy seguro de mis derechos", "I am not sure of my rights"),
        ("yo no tengo papeles", "I have no immigration papers"),
        ("quiero hacerlo", "I want to do it"),
        ("¿El presidente puede indultarse?", "The president can pardon himself?"),
        ("¿El presidente puede indultarme?", "The president can pardon me?"),
        ("los electores se reunirán", "The electors will gather"),
        ("la policía allanó mi casa", "The police entered and searched my house"),
        ("los corrieron del trabajo", "fired them from the job"),
        ("le quitaron la licencia", "took away his license"),
    ],
)
def test_it_is_put_so(shipped, engine, text, told):
    assert translate(text, shipped, engine).text == told


@pytest.mark.parametrize(
    "word",
    ["social", "unión", "departamento", "residencia", "puesto", "causa", "renta", "prima", "director", "vista"]
    + ["cristal", "cura", "pronto", "disco", "volante", "sala", "rata", "marca", "cartas", "vino", "decida", "oficina"],
)
def test_a_word_of_law_is_no_slang(shipped, word):
    assert [term.english for term in shipped.find(word)] == []
