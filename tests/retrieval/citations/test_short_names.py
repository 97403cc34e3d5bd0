"""Decisions by their short names alone, and ordinary questions that only hold such words."""

import json
from pathlib import Path

import pytest

from retrieval.citations.case_names import CaseNames
from retrieval.citations.citation import Source
from retrieval.citations.finding import find_citations, whole_citations
from retrieval.citations.short_names import can_be_alone

FILE = Path(__file__).parents[3] / "retrieval" / "corpora" / "supreme_court_cases.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
NAMES = CaseNames((row["locator"], row["name"], row.get("short_names", ())) for row in ROWS)


def cited(text: str) -> list[str]:
    return [one.locator.removeprefix("/us/scotus/") for one in find_citations(text, asked=True, names=NAMES)]


def whole(text: str) -> list[str]:
    return [one.locator.removeprefix("/us/scotus/") for one in whole_citations(text, names=NAMES)]


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("Dobbs", "597/215"),
        ("heller?", "554/570"),
        ("Miranda", "384/436"),
        ("Korematsu decision", "323/214"),
        ("Lochner", "198/45"),
        ("chevron", "467/837"),
        ("What is Obergefell?", "576/644"),
        ("¿Qué es Miranda?", "384/436"),
        ("Mapp", "367/643"),
        ("Dred Scott", "60/393"),
        ("Citizens United", "558/310"),
        ("Humphrey’s Executor", "295/602"),
        ("T.L.O.", "469/325"),
        ("Slaughter-House Cases", "83/36"),
    ],
)
def test_a_name_that_is_all_of_a_question_is_its_decision(text, case):
    assert whole(text) == [case]


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("What did Obergefell decide?", "576/644"),
        ("what did brown hold", "347/483"),
        ("What did Dred Scott decide?", "60/393"),
        ("What did Humphrey's Executor hold?", "295/602"),
        ("What did Mapp hold about searches?", "367/643"),
        ("Was Lochner overruled?", "198/45"),
        ("Has Chevron been overruled?", "467/837"),
        ("is Roe still good law", "410/113"),
        ("Is Korematsu still good law?", "323/214"),
        ("was plessy ever overturned", "163/537"),
        ("when was Roe overruled?", "410/113"),
        ("who overruled Chevron?", "467/837"),
        ("Which case overruled Plessy?", "163/537"),
        ("what replaced Chevron", "467/837"),
        ("roe overturned", "410/113"),
        ("explain what Heller held", "554/570"),
        ("What was the holding in Dobbs?", "597/215"),
        ("What did the court hold in Miranda?", "384/436"),
        ("Does Miranda still stand?", "384/436"),
        ("What did the Prize Cases decide?", "67/635"),
        ("¿Qué decidió Obergefell?", "576/644"),
        ("qué sostuvo Brown sobre las escuelas", "347/483"),
        ("What did Casey hold about undue burdens?", "505/833"),
        ("Is Dennis still good law?", "341/494"),
        ("What was the holding in Terry?", "392/1"),
        ("What did Alice hold about abstract ideas?", "573/208"),
        ("What did Chevron decide?", "467/837"),
        ("¿Qué sostuvo Miranda sobre el silencio?", "384/436"),
        ("¿Qué decidió Griswold sobre los anticonceptivos?", "381/479"),
        ("¿Sigue vigente Roe?", "410/113"),
        ("¿Roe sigue vigente?", "410/113"),
        ("¿Fue anulado Lochner?", "198/45"),
        ("¿Fue Korematsu anulada?", "323/214"),
        ("¿Qué anuló Plessy?", "163/537"),
        ("¿Qué decidió la Corte en Miranda?", "384/436"),
    ],
)
def test_a_name_beside_words_that_are_said_of_decisions_is_one(text, case):
    assert cited(text) == [case]


@pytest.mark.parametrize(
    "text",
    [
        "What did Obergefell decide?",
        "¿Qué decidió Obergefell?",
        "what did roe v. wade decide",
        "What did Brown hold?",
    ],
)
def test_what_a_decision_decided_is_answered_by_it_alone(text):
    assert len(whole(text)) == 1


@pytest.mark.parametrize(
    "text", ["Was Lochner overruled?", "Is Roe still good law?", "What did Mapp hold about searches?"]
)
def test_another_question_only_cites_the_decision(text):
    assert not whole(text)


LOOKALIKES = """
my daughter Miranda wants to change her name
Miranda and Lopez signed the lease
what did Miranda say to the officer
did Miranda decide to sign the contract
can I be evicted if Miranda holds the lease
Miranda Lambert copyright
is it legal to sell roe
salmon roe import rules
what is fish roe
heller Wahnsinn
Chevron stock price
does Chevron pay taxes
Chevron gas station slip and fall
what does Chevron do
a lemon car
lemon
lemon law
what did the lemon law decide
brown bag
brown
green card
what is a minor
is a minor still bound by a contract
was the minor decided to be emancipated
who overruled the manager
the judge overruled Martin's objection
did Martin rule the county
did Holland hold a referendum
Holland
can Wolf hybrids be kept as pets
wolf
can Congress overrule the Supreme Court
who can overturn a veto
was Young still married when he died
Young people voting
weeks
how many weeks of notice must a landlord give
near
button
what is a Roth IRA
Roth
la cámara
¿Qué es la Cámara de Representantes?
¿Qué decidió la Cámara?
¿Fue anulado el matrimonio?
¿Sigue vigente la ley?
León
¿Qué decidió mi esposo León?
los ramos
loving parents
does a loving parent still have custody
swift payment
Stack Overflow license
Terry cloth import duty
Carpenter union wages
what did my carpenter decide
is Alice a person
Alexander Hamilton
what did Morgan hold in trust
state action doctrine
income tax case
stop and frisk
what is the holding of shares in trust
who decided the Olympics in Tokyo
did Casey hold a license
Casey is my landlord
¿Qué anuló el juez?
Monroe County tax
What did Casey decide about the custody hearing?
what did whitney decide about the wedding venue
Did Riley decide on a college yet?
What did Dennis conclude about the leak?
did Gideon rule on the schedule
Is Alice controlling?
What did Alice establish about her residence?
What did Chevron decide about the pipeline?
did Wal-Mart decide on the store closing
What did Myers decide?  He is my boss
What did Lopez decide about the raise?
was Terry decided by then
Is Casey still standing?
how did Shelley decide about the apartment
what did Parker decide
¿Qué decidió Miranda sobre la casa?
qué resolvió Alice sobre el divorcio
¿Qué anuló Leon?
¿Qué determinó Lopez sobre el aumento?
qué estableció Garcetti Martin por mi contrato
¿Qué declaró Riley sobre el accidente?
What did Alice decide about the house?
""".strip().splitlines()


@pytest.mark.parametrize("text", LOOKALIKES)
def test_an_ordinary_question_that_holds_such_a_word_names_no_decision(text):
    assert not cited(text) and not whole(text)


def test_a_name_of_two_decisions_is_that_of_none():
    two = CaseNames(
        [("/us/scotus/1/1", "Smith v. A", ["Zorach"]), ("/us/scotus/2/2", "Zorach v. B", ["Zorach"])]
    )
    assert not list(two.all_of(Source.of("Zorach")))


@pytest.mark.parametrize(
    "name", ["state action doctrine", "Howey test", "one person, one vote", "Income Tax Case"]
)
def test_what_curators_call_a_doctrine_is_no_proper_name(name):
    assert not can_be_alone(name)
