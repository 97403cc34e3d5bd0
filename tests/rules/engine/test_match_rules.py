"""Which rules fire in a search: published ones, those that a caller gives, and those it may know of."""

import pytest

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.indexes import terms
from retrieval.search.log import trace_for
from tests.builders import a_case_file, a_document, a_domain, a_section, embedded
from tests.rule_searches import FIRST, QUESTION, THIRD, ask, fired, given, locators, restricting, section

pytestmark = pytest.mark.django_db


def test_without_rules_nothing_is_said_to_have_fired():
    answer = ask(QUESTION)
    assert fired(answer) == [] and answer["rules"]["policy"] == "global"


def test_a_rule_upon_documents_of_others_is_none_to_a_stranger_in_their_domain(rule):
    ana, ben = Caller(("user:901",)), Caller(("user:902",))
    theirs = a_case_file("Doe", "The tenant fled.", granted_to=ana)
    a_case_file("Roe", "The landlord fled.", granted_to=ben)
    told = {"kind": "note", "text": "See the Doe affidavit."}
    with as_caller(ana):
        target = [{"kind": "document", "value": theirs.locator}]
        rule("pin", told, targets=target, caller=ana, name="Doe fled", domains=["client_cases"])
        rule(told, caller=ana, name="Doe in both", domains=["us_constitution", "client_cases"])
    assert fired(ask("who fled", ana, domains=())) == ["Doe fled", "Doe in both"]
    assert fired(ask("who fled", ben, domains=())) == ["Doe in both"]
    for caller in (ana, ANONYMOUS, Caller(("user:903",))):  # what one asks of public law is kept for all
        answer = ask("who fled", caller)
        assert fired(answer) == [f"rule {answer['rules']['fired'][0]['id']}"]
        assert "Doe fled" not in str(answer) and "Doe in both" not in str(
            trace_for(answer["trace_id"], caller)
        )


def test_given_rules_are_considered_and_no_others(rule):
    rule("pin", targets=section(THIRD))
    pinned = rule("pin", targets=section(FIRST))
    assert locators(ask(QUESTION, rules=given(pinned.pk)))[0] == FIRST
    assert all(
        p.startswith("/us/const/article/II/")
        for p in locators(ask(QUESTION, rules=given(restricting("/us/const/article/II"))))
    )


def test_when_no_given_rule_fires_the_policy_is_applied_and_told():
    unmet = restricting(THIRD, criteria=[{"kind": "keywords", "value": "zebra"}])
    everything = ask(QUESTION, rules=given(unmet))
    assert everything["results"] and everything["rules"]["policy"] == "global"
    nothing = ask(QUESTION, rules=given(unmet, fallback="none"))
    assert nothing["abstained"] and not nothing["results"] and nothing["rules"]["policy"] == "none"


def test_without_the_keyword_trigger_every_given_rule_applies():
    unmet = restricting(THIRD, criteria=[{"kind": "keywords", "value": "zebra"}])
    assert locators(ask("quartering soldiers", rules=given(unmet, keyword_trigger=False))) == [THIRD]


@pytest.fixture
def leases():
    document = a_document(a_domain(slug="leases", name="Leases"), title="Lease")
    embedded(a_section(document, "Landlord repairs the roof, the pipes and the heating of the apartment."))
    terms.count_again()


def test_a_rule_asks_which_body_of_law_a_question_is_probably_about(leases, rule):
    rule({"kind": "note", "text": "Ask the landlord."}, criteria=[{"kind": "route", "value": "leases"}], name="Lease")
    everywhere = {"domains": ()}
    assert fired(ask("who repairs the heating of the apartment", **everywhere)) == ["Lease"]
    assert fired(ask("under the Constitution, who repairs the apartment", **everywhere)) == []
    assert fired(ask("how many senators has each state", **everywhere)) == []
    assert fired(ask("U.S. Const. amend. V", **everywhere)) == []
    assert fired(ask("who repairs the heating of the apartment", domains=("us_constitution",))) == []


def test_the_body_is_told_before_rules_put_the_question_otherwise(leases, rule):
    text = "how many senators has each state"
    rule({"kind": "rewrite", "text": text}, criteria=[{"kind": "route", "value": "leases"}], name="Lease")
    answer = ask("who repairs the heating of the apartment", domains=())
    assert fired(answer) == ["Lease"] and answer["results"][0]["locator"].startswith("/us/const/")
