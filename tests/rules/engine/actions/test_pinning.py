"""Sections pinned to places, and to whom they are shown."""

from datetime import date

import pytest

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.models import Section
from tests.builders import a_case_file
from tests.rule_searches import FIFTH, FIRST, QUESTION, THIRD, ask, fired, locators, section

pytestmark = pytest.mark.django_db


def test_a_pin_stands_at_its_place_and_says_why(rule):
    rule({"kind": "pin", "position": 2}, targets=section(THIRD), name="quartering")
    answer = ask(QUESTION)
    assert locators(answer)[1] == THIRD and fired(answer) == ["quartering"]
    assert {"code": "rule_pin", "name": "quartering"}.items() <= answer["results"][1]["reasons"][-1].items()


def test_priority_then_age_decides_who_is_pinned_first(rule):
    rule("pin", targets=section(FIRST))
    rule("pin", targets=section(THIRD))
    rule("pin", targets=section(FIFTH), priority=1)
    assert locators(ask(QUESTION))[:3] == [FIFTH, FIRST, THIRD]


def test_a_pin_answers_where_the_search_would_abstain(rule):
    question = "zxqv wplk"
    assert ask(question)["abstained"]
    rule("pin", targets=section(THIRD), criteria=[{"kind": "exact", "value": question}])
    answer = ask(question)
    assert locators(answer) == [THIRD] and not answer["abstained"] and answer["near_misses"] == []


def test_a_pin_shows_only_what_this_caller_could_have_found(rule):
    lawyer, stranger = Caller(("user:901",)), Caller(("user:902",))
    document = a_case_file("Doe", "The tenant fled.", granted_to=lawyer)
    with as_caller(lawyer):
        rule("pin", targets=[{"kind": "document", "value": document.locator}], caller=lawyer)
    secret = document.locator
    assert locators(ask("who fled", lawyer, domains=()))[0].startswith(secret)
    for caller in (stranger, ANONYMOUS):
        assert not [
            place for place in locators(ask("who fled", caller, domains=())) if place.startswith(secret)
        ]
    assert not [place for place in locators(ask("who fled", lawyer)) if place.startswith(secret)]


def test_a_pin_does_not_show_what_was_not_in_force_on_the_day(rule):
    rule("pin", targets=section(THIRD))
    Section.objects.filter(locator=THIRD).update(valid_from="1791-12-15")
    assert THIRD not in locators(ask(QUESTION, as_of=date(1790, 1, 1)))
