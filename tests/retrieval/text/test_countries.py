"""Whether a question asks about the law of another country."""

import json
from pathlib import Path

import pytest

from retrieval.text.countries import asks_of_another_country
from tests.rules.questions.asked import judged

QUESTIONS = Path("tests/data/another_country.jsonl")


@pytest.mark.parametrize(
    "text",
    [
        "How long is paternity leave in Portugal?",
        "Can the Bundestag dismiss a minister?",
        "is the prime minister elected directly",
        "Does Canadian law forbid hate speech?",
        "Poland's constitution",
        "Portugal paternity leave",
        "Can Scotland vote again",
        "rent control in Berlin",
        "In Canada, can the police make us leave a protest?",
        "does canadian law let us swim there",
        "what does the law of mexico want from us?",
        "police powers of the King of Norway",
        "¿Cuánto dura el presidente de Chile?",
        "El parlamento inglés, ¿cómo se disuelve?",
        "¿Qué dice la ley argentina sobre el aborto?",
    ],
)
def test_the_law_of_another_country(text):
    assert asks_of_another_country(text)


@pytest.mark.parametrize(
    "text",
    [
        "Can I be deported to Portugal?",
        "I'm Polish. Who may sponsor me for a green card?",
        "How many senators must agree to a treaty with Japan?",
        "taxes on an American working in Dubai",
        "does U.S. patent law protect my invention in Germany",
        "leyes de Nuevo México",
        "does the US recognise a divorce granted in Canada",
        "does the us recognise a divorce granted in Canada",
        "is canadian law binding on us judges",
        "does us law recognize a divorce under the law of mexico?",
        "compare us constitution and mexican constitution",
        "can a us president be arrested by a british court?",
        "Gulf of Mexico oil leases",
        "Can California forbid the sale of French foie gras?",
        "Indian tribes and the courts",
        "traigo dos botellas de Colombia, ¿pago aduana?",
        "do the Germans in our town have free speech here",
        "who may declare war",
        "Can the President bomb Iran without Congress?",
        "¿Puede el presidente mandar tropas a Venezuela?",
        "does the Montreal Convention cover lost luggage",
        "Is Argentina immune from a lawsuit over its bonds?",
        "fishing quotas in New England",
        "Chinese exclusion laws upheld",
        "may we sell arms to Taiwan",
        "I was in the Navy off South Korea in the 1970s, is there a medal for that?",
        "student suspended black armband vietnam",
        "case about german saboteurs military tribunal",
        "the case where a Chinese laundry owner was refused by the government",
        "",
    ],
)
def test_what_crosses_the_border_or_is_ours(text):
    assert not asks_of_another_country(text)


def test_blind_questions_that_name_another_country():
    """Half of them were looked at while it was written; 29 of 32 of these, and 26 of 38 others, were known then."""
    rows = [json.loads(line) for line in QUESTIONS.read_text().splitlines()]
    flagged = [row["answerable"] for row in rows if asks_of_another_country(row["question"])]
    assert len(rows) == 140 and len(flagged) >= 55 and not any(flagged)


def test_no_topic_that_law_here_answers_is_taken_for_one():
    asked = [row["query"] for row in judged() if row["split"] != "test"]
    assert len(asked) > 2_000 and not [text for text in asked if asks_of_another_country(text)]
