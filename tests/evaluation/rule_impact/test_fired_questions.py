"""Questions that a rule fires on: those that a person may see, in the time there is; none is warned of."""

from datetime import date

import pytest

from evaluation.models import Judgment, Topic
from evaluation.rule_impact import fired_questions
from evaluation.rule_impact.fired_questions import fired_on, warnings_at_save
from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.indexes import terms
from retrieval.models import Domain
from retrieval.request import SearchRequest
from retrieval.search.service import search
from rules.authoring import workflow
from rules.models import Rule
from tests.builders import a_case_file, a_document, a_domain, a_section, embedded, nothing_judged

pytestmark = pytest.mark.django_db
ANN = Caller(("user:77",))
ALONE = {"within": 60}


@pytest.fixture(autouse=True)
def nothing_read(db):
    nothing_judged()
    fired_questions._read.clear()


def a_rule(*words, **fields):
    criteria = [{"kind": "keywords", "value": list(words)}]
    return Rule(name="r", criteria=criteria, actions=[{"kind": "abstain"}], **fields)


def a_topic(query, domain="us_constitution", split="train", **fields):
    topic = Topic.objects.create(
        name=query, query=query, group=query, split=split, domain=Domain.objects.get(slug=domain), **fields
    )
    Judgment.objects.create(topic=topic, locator="/us/const/amendment/III", grade=3, judge="ann")
    return topic


def texts(rule, caller=ANONYMOUS, **options):
    return [question.text for question in fired_on(rule.draft, caller, **(ALONE | options)).questions]


def test_logged_and_judged_questions_are_looked_at():
    search(SearchRequest("must I house soldiers?"))
    a_topic("soldiers in my home")
    a_topic("a fair trial")
    assert texts(a_rule("soldiers")) == ["must I house soldiers?", "soldiers in my home"]


def test_a_spanish_question_is_read_in_english_too():
    a_topic("¿debo alojar soldados?", language="es")
    assert texts(a_rule("soldiers")) == ["¿debo alojar soldados?"]


def test_of_a_body_of_law_the_questions_that_are_about_it_are_told():
    document = a_document(a_domain(slug="leases"), title="Lease")
    embedded(a_section(document, "Landlord repairs the roof, the pipes and the heating of the apartment."))
    terms.count_again()
    search(SearchRequest("who repairs the heating of the apartment"))
    a_topic("soldiers in my home")  # asked of the Constitution alone
    rule = Rule(name="r", criteria=[{"kind": "route", "value": "leases"}], actions=[{"kind": "abstain"}])
    assert texts(rule) == ["who repairs the heating of the apartment"]
    rule.criteria = [{"kind": "route", "value": "us_constitution"}]
    assert texts(rule) == ["soldiers in my home"]


def test_topics_of_the_test_split_are_not_looked_at():
    a_topic("soldiers in my home", split="test")
    assert texts(a_rule("soldiers")) == []


def test_topics_of_a_private_domain_are_told_to_whom_may_see_it():
    a_case_file("Lease", "The laws of Ruritania apply.", granted_to=ANN)
    a_topic("which laws apply", domain="client_cases")
    assert texts(a_rule("laws")) == []
    assert texts(a_rule("laws"), ANN) == ["which laws apply"]
    assert texts(a_rule("laws")) == []  # what was read for another is not told


def test_domains_of_the_rule_count_and_its_days_do_not():
    a_topic("soldiers in my home")
    assert texts(a_rule("soldiers", domains=["client_cases"])) == []
    assert texts(a_rule("soldiers", valid_to=date(2000, 1, 1))) == ["soldiers in my home"]


def test_what_there_is_no_time_for_is_told_and_known_the_next_time():
    a_topic("soldiers in my home")
    firing = fired_on(a_rule("soldiers").draft, ANONYMOUS, within=0)
    assert (firing.questions, firing.looked_at, firing.known, firing.on_none) == ((), 0, 1, False)
    assert texts(a_rule("soldiers")) == texts(a_rule("soldiers"), within=0) == ["soldiers in my home"]


def test_no_more_than_so_many_logged_questions_are_looked_at(monkeypatch):
    monkeypatch.setattr(fired_questions, "LOGGED", 1)
    for question in ("must I house soldiers?", "soldiers in my home"):
        search(SearchRequest(question))
    assert texts(a_rule("soldiers")) == ["soldiers in my home"]


def test_what_could_not_be_looked_at_when_a_rule_is_saved_is_told(monkeypatch):
    a_topic("a fair trial")
    monkeypatch.setattr(fired_questions, "AT_SAVE", 0)
    [told] = warnings_at_save(a_rule("soldiers"), ANONYMOUS)
    assert told.startswith("Of 1 questions that were asked or judged only 0 could be looked at in time")


def test_a_rule_that_concerns_no_question_is_warned_of_and_can_be_proposed(django_user_model):
    a_topic("a fair trial")
    rule = workflow.save_draft(a_rule("soldiers"), by=None)
    assert ["fires on no question" in warning for warning in warnings_at_save(rule, ANONYMOUS)] == [True]
    assert any("fires on no question" in warning for warning in workflow.warnings(rule, ANONYMOUS))
    author = django_user_model.objects.create_user("ann")
    assert workflow.propose(rule, by=author, caller=ANONYMOUS).status == Rule.Status.PROPOSED
    assert warnings_at_save(a_rule("trial"), ANONYMOUS) == []


def test_where_nothing_was_asked_or_judged_nothing_is_warned_of():
    assert warnings_at_save(a_rule("soldiers"), ANONYMOUS) == []


def test_the_same_question_is_told_once_in_each_language(admin_client):
    search(SearchRequest("soldiers in my home", language="en"))
    a_topic("Soldiers in my home", language="en")
    other = a_topic("x", language="en")
    Topic.objects.filter(pk=other.pk).update(query="soldiers in my home")
    other = a_topic("y", language="es")
    Topic.objects.filter(pk=other.pk).update(query="soldiers in my home")
    assert len(texts(a_rule("soldiers"))) == 2
    sent = {"sentence": "when someone asks about soldiers, show Amendment III first"}
    page = admin_client.get("/admin/preview/fires/", sent).content.decode()
    assert page.count("<q") == 2 and "judged, Spanish" in page
