"""What rules tell the reader."""


import pytest

from retrieval.ranking import Candidate, Reason
from rules.engine.actions.notes import CreditAliases
from tests.rule_searches import FIRST, QUESTION, ask
from tests.rules.engine.compiled_rules import a_ranking, a_rule

pytestmark = pytest.mark.django_db


def test_a_note_and_a_redirect_are_part_of_the_answer(rule):
    rule({"kind": "note", "text": "Ask a lawyer."}, {"kind": "redirect", "locator": FIRST})
    told = ask(QUESTION)["rules"]
    assert [note["text"] for note in told["notes"]] == ["Ask a lawyer."]
    assert told["redirect"]["url"] == f"/law{FIRST}"


def test_an_alias_is_credited_if_its_provision_stands_on_the_first_page():
    rules = (a_rule(1, "alias"), a_rule(2, "alias"))
    found = [
        Candidate(n, score=-n, reasons=(Reason("rule_alias", {"rule": 1 + n // 10}),)) for n in range(20)
    ]
    ranking = CreditAliases()(a_ranking(fired=rules).with_candidates(found))
    assert ranking.curated["changed"] == [1]
