"""What overruled a decision beside it."""

from datetime import date

import pytest

from retrieval.answers.selection import Passage
from retrieval.answers.service import AnswerRequest, answer
from retrieval.answers.successors import as_changed, overruling
from retrieval.corpus import decided_cases
from retrieval.models import Domain
from tests.builders import a_document, a_section, embedded


def law_of(question: str) -> list[str]:
    return [one["text"] for one in answer(AnswerRequest(question))["answer"] if one["kind"] == "law"]


@pytest.mark.django_db
def test_a_decision_of_which_the_question_asks_what_overruled_it_stands_behind_that(monkeypatch):
    monkeypatch.setattr(decided_cases, "_known", {})
    for locator, name, text in (
        ("/us/scotus/163/537", "Plessy v. Ferguson", "Held. Equal zebras may ride in separate coaches."),
        (
            "/us/scotus/347/483",
            "Brown v. Board",
            "Held. Yes. Separate zebras are unequal. Coaches that relied on Plessy v. Ferguson still run.",
        ),
    ):
        document = a_document(Domain.objects.get(slug="supreme_court_cases"), locator=locator)
        embedded(a_section(document, text, locator=locator, level="case", heading=name))
    for question in ("What overruled Plessy v. Ferguson?", "¿Sigue vigente Plessy contra Ferguson?"):
        assert law_of(question)[0] == "Yes. Separate zebras are unequal."
    assert law_of("What did Plessy v. Ferguson decide?")[-1] == "Yes. Separate zebras are unequal."


def test_results_tell_what_overruled_the_decision_asked_about():
    results = [
        {"rank": rank, "reasons": [{"code": code}]} for rank, code in enumerate(("overruled_it", "citation"), start=1)
    ]
    assert overruling(results) == {1}
    assert not overruling(results[1:])


def test_what_was_changed_is_not_read_behind_what_changed_it():
    amendment, clause = "/us/const/amendment/XVII", "/us/const/article/I/section/3/clause/1"

    def passages(*locators):
        return [Passage(n, place, "", "", n, 0.5, "en", (0, 0)) for n, place in enumerate(locators, start=1)]

    found = {"results": [{"rank": rank, "pin": None, "reasons": []} for rank in (1, 2)]}
    named = {"results": [{"rank": 2, "pin": None, "reasons": [{"code": "citation"}]}]}
    both, other_way = passages(amendment, clause), passages(clause, amendment)
    assert as_changed(both, found, None) == both[:1]
    assert as_changed(both, found, date(1900, 1, 1)) == both
    assert as_changed(both, named, None) == both
    assert as_changed(other_way, found, None) == other_way


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many senators does each state have?", "two Senators from each State, elected by the people"),
        ("¿Los senadores son elegidos por las legislaturas estatales?", "elected by the people"),
        ("When must Congress meet each year?", "at noon on the 3d day of January"),
    ],
)
def test_what_an_amendment_says_again_is_quoted_from_there(question, words):
    [quoted] = law_of(question)
    assert words in quoted


@pytest.mark.django_db
def test_what_was_changed_stands_behind_what_says_it_now():
    now, then = law_of("How are representatives divided among the states?")
    assert "counting the whole number of persons" in now and "three fifths" in then
    assert law_of("How are direct taxes divided?")[0].startswith("No Capitation")  # XVI says nothing of them
    assert law_of("What does the judicial power extend to?")[0].startswith("The judicial Power")  # XI tells of States


@pytest.mark.django_db
def test_before_it_was_changed_and_where_it_is_named_it_is_quoted_as_it_was():
    asked = "How many senators does each state have?"
    earlier = [one["text"] for one in answer(AnswerRequest(asked, as_of=date(1900, 1, 1)))["answer"]]
    assert "chosen by the Legislature" in earlier[-1]
    assert "chosen by the Legislature" in law_of("What does article I, section 3, clause 1 say of senators?")[0]
