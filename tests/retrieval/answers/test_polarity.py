"""Yes and no are said only where nothing can be otherwise."""

import json
from itertools import chain
from xml.etree import ElementTree

import pytest
from django.conf import settings

from retrieval.answers.polarity import polarity
from retrieval.answers.units import units

CORPORA = settings.BASE_DIR / "retrieval/corpora"
ASKED = settings.BASE_DIR / "tests/data/yes_no.jsonl"  # with the right answer, written before `polarity` was
ARMS = "The right of the people to keep and bear arms shall not be infringed."
VOTE = "The right of citizens of the United States to vote shall not be denied by any State on account of sex."

EXPORTS = "No Tax or Duty shall be laid on Articles exported from any State."


def test_a_plain_prohibition_says_no():
    assert polarity("Can a tax be laid on articles exported from a state?", EXPORTS) == "no"


def test_a_plain_permission_says_yes():
    assert polarity("Can the owner ask for a hearing?", "The owner may ask for a hearing.") == "yes"


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Can the owner ask for a hearing?", "The owner may ask for a hearing if the rent is paid."),
        ("Can the owner ask for a hearing?", "The owner may not ask for a hearing unless it is urgent."),
        ("Can't the owner ask for a hearing?", "The owner may ask for a hearing."),
        ("Can only the owner ask for a hearing?", "The owner may ask for a hearing."),
        ("Who can ask for a hearing?", "The owner may ask for a hearing."),
        ("Can the tenant sell the house?", "The owner may ask for a hearing."),
        ("Can the owner ask for a hearing?", "The owner may ask for a hearing and shall not be refused."),
        ("Can the police search my phone?", "No Person shall be searched."),
        ("Can people bear arms?", ARMS),
        ("Can the people keep and bear arms?", ARMS),
        ("Can citizens vote?", VOTE),
        ("Can same-sex couples marry?", "Couples of the same sex may not be deprived of their right to marry."),
        ("Can I criticize the government?", "No law shall be made that keeps people from criticizing the government."),
        ("Can Congress enter into a treaty?", "No State shall enter into any Treaty."),
        ("Can a judge require bail?", "Excessive bail shall not be required."),
        ("Can bail be required?", "Excessive bail shall not be required."),
        ("Can a tax be laid on articles?", EXPORTS),
        ("Can the owner be heard?", "The owner shall be heard."),
        ("Can a buyer sue a seller?", "A seller may sue a buyer."),
        ("Can the owner ask for a hearing?", "No owner may not ask for a hearing."),
        ("Can the owner ask for a hearing?", "An owner who pays may ask for a hearing."),
        ("Can an officer sell a house?", "No house of an officer may sell."),
        ("Can a state tax a bank?", "A state may not tax the bank."),
        ("Can a citizen vote in any precinct?", "A citizen may vote in a precinct."),
    ],
)
def test_any_doubt_leaves_it_open(question, sentence):
    assert polarity(question, sentence) == ""


@pytest.mark.parametrize(
    ("question", "sentence", "said"),
    [
        ("Is the owner allowed to ask for a hearing?", "The owner may ask for a hearing.", "yes"),
        ("Can a duty be laid on articles exported from any state?", EXPORTS, "no"),
        ("Can a state tax any bank?", "No State may tax a bank.", "no"),
        ("Can states tax the bank?", "A state may not tax the bank.", "no"),
        ("Can the Congress declare war?", "The Congress shall have the power to declare War.", "yes"),
        ("Can a state deny the right to vote?", "No State shall deny the right to vote.", "no"),
    ],
)
def test_the_same_words_are_answered(question, sentence, said):
    assert polarity(question, sentence) == said


def test_no_sentence_that_ships_says_yes_or_no_wrongly():
    asked = [json.loads(line) for line in ASKED.read_text("utf-8").splitlines()]
    law = ElementTree.parse(CORPORA / "us_constitution.xml").iter()
    words = (" ".join("".join(one.itertext()).split()) for one in law if one.tag.endswith(("}content", "}chapeau")))
    decisions = (CORPORA / "supreme_court_cases.jsonl").read_text("utf-8").splitlines()
    texts = chain(words, (json.loads(line)["holding"] for line in decisions))
    sentences = [text[one.start : one.end] for text in texts for one in units(text)]
    said = [
        (one["right"], polarity(one.get("translated", one["question"]), sentence))
        for sentence in sentences
        for one in asked
    ]
    assert not [pair for pair in said if pair[1] and pair[0] != pair[1]]
    assert sum(bool(answered) for _right, answered in said) >= 4
