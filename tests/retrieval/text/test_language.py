"""Which language a question is in; short ones, unaccented ones, names and Latin included."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.language import detect

ENGLISH = """
Can they search my phone?
no taxation
taxes
president minimum age
habeas corpus
right to remain silent
double jeopardy
14th amendment
U.S. Const. amend. XIV, § 1
8 USC 1182(a)(2)
8 CFR 214.2(h)
commerce clause
who can declare war
Miranda
Plessy v. Ferguson
Peña-Rodriguez v. Colorado
Garcia v. San Antonio
how old must a senator be
cruel and unusual punishment
can I burn the flag
asylum
visa
H-1B visa cap
veto override
militia
ex post facto
stare decisis
bill of attainder
born here parents undocumented am I a citizen
freedom of religion
search and seizure
speedy trial
eminent domain
grand jury
my landlord wont return my deposit
does the president have to be born in the US
impeachment
quartering soldiers
presidential succession
jury trial in civil cases over twenty dollars
Is marijuana legal under federal law?
Los Angeles police searched my car
removal proceedings
naturalization requirements
What is the full faith and credit clause?
electoral college
tribal sovereignty
inferior federal tribunals
poll tax
women vote
section 8 clause 3
can a state coin money
is flag burning protected
public use without just compensation
DACA renewal
prohibition repeal
""".strip().splitlines()

SPANISH = """
libertad de expresion
enmienda 14
derecho a un abogado
asilo
impuestos
presidente edad minima
¿Pueden registrar mi teléfono?
pueden registrar mi telefono
derecho a guardar silencio
Decimocuarta Enmienda
artículo I sección 8
articulo 1 seccion 8
quién puede declarar la guerra
quien declara la guerra
¿Cuántos años dura un senador?
cuantos anos dura un senador
castigos crueles e inusuales
libertad de religión
libertad de prensa
doble incriminación
debido proceso
sin orden judicial
cateo sin orden
hábeas corpus en español
requisitos para naturalización
nací aquí, ¿soy ciudadano?
mis padres son indocumentados
juicio politico al presidente
juicio rapido
jurado
me pueden deportar si tengo hijos nacidos aqui
la migra puede entrar a mi casa
esclavitud
derecho al voto de las mujeres
votar a los 18
portar armas
no puedo pagar un abogado
expropiación
colegio electoral
cláusula de comercio
visa de trabajo
veto del presidente
tratados internacionales
Corte Suprema
segunda enmienda
nombramiento de jueces
inmunidad diplomática
quemar la bandera
impuesto sobre la renta
poderes del Congreso
sucesión presidencial
traición
traicion
no hablo inglés
fianza excesiva
acuartelamiento de soldados
""".strip().splitlines()

LABELLED = [(text, "en") for text in ENGLISH] + [(text, "es") for text in SPANISH]


def test_at_least_97_percent_of_short_questions_are_told_apart():
    wrong = [(text, code) for text, code in LABELLED if detect(text) != code]
    assert len(LABELLED) >= 80
    assert len(wrong) <= 0.03 * len(LABELLED), wrong


@pytest.mark.parametrize("language", ["en", "es"])
def test_words_that_look_like_the_other_language_are_told_apart(language):
    words = Path(f"tests/data/looking_alike/{language}.txt").read_text().splitlines()
    wrong = [word for word in words if detect(word) != language]
    assert len(words) >= 150
    assert len(wrong) <= 0.03 * len(words), wrong


@pytest.mark.parametrize("text", ["polenta", "visa", "casino", "Toledo", "zumbido", "3", "embargo"])
def test_the_reader_decides_where_nothing_else_does(text):
    assert detect(text) == "en"
    assert detect(text, otherwise="es") == "es"


@pytest.mark.parametrize("text", ["tobacco", "search warrant", "hello there", "the polenta"])
def test_a_reader_of_spanish_may_ask_in_english(text):
    assert detect(text, otherwise="es") == "en"


@pytest.mark.parametrize("text", ["", "   ", "1234", "§ 8", "habeas corpus", "visa", "Miranda", "???"])
def test_english_where_nothing_tells(text):
    assert detect(text) == "en"


@pytest.mark.parametrize("text", ["FOIA", "ADA", "ERISA", "COBRA", "NAFTA", "HOA fines", "PACA claims"])
def test_acronyms_are_no_spanish(text):
    assert detect(text) == "en"


@pytest.mark.parametrize(
    "text",
    ["pro se", "en banc", "voir dire", "ultra vires", "inter alia", "de minimis", "res ipsa loquitur", "De novo"],
)
def test_legal_latin_is_no_spanish(text):
    assert detect(text) == "en"


def test_spanish_in_capitals_or_with_latin_stays_spanish():
    assert detect("PUEDO VOTAR") == detect("apelar en banc la sentencia") == detect("derechos bajo FOIA") == "es"


@pytest.mark.parametrize(
    "text",
    [
        "no me pagaron", "me echaron del trabajo", "me quitaron la casa", "me despidieron", "ya me demandan",
        "no me entregan", "me acosan", "me quede", "me bannearon sin warning", "votaron", "me mintieron", "no me pagan",
    ],
)  # fmt: skip
def test_short_complaints_are_spanish(text):
    assert detect(text) == "es"


@pytest.mark.parametrize(
    "text",
    [
        "they fired me", "me and my wife", "me too", "no one paid me", "boss owes me", "tell me", "no heat", "no jury",
        "me being fired", "Aaron", "baron", "Sharon", "heron", "no women", "no person", "pardon me",
        "let me go", "no me",
    ],
)  # fmt: skip
def test_short_english_and_names_that_end_alike_stay_english(text):
    assert detect(text) == "en"


def test_a_mixed_question_goes_with_most_of_its_words():
    assert detect("¿Puede la policía pedir mi green card?") == "es"
    assert detect("Can la migra enter my house without a warrant?") == "en"


def test_accents_and_case_do_not_decide():
    assert detect("LIBERTAD DE EXPRESIÓN") == detect("libertad de expresion") == "es"
    assert detect("the café owner's résumé") == "en"


@given(st.text(alphabet=st.characters()))
def test_any_text_gets_an_answer(text):
    assert detect(text) in ("en", "es")


@pytest.mark.parametrize("text", ["criteria", "pension benefits", "tractor sale", "improbable", "sedan recall"])
def test_english_words_beside_spanish_ones_of_their_stem_stay_english(text):
    assert detect(text) == "en"


def test_a_laugh_in_spanish_leaves_what_is_no_word_to_the_readers_language():
    assert detect("asdfgh jajaja", otherwise="es") == "es"
