"""The steps of a rule from draft to retired."""

from datetime import timedelta

import pytest
from django.utils import timezone

from retrieval.access.caller import ANONYMOUS
from retrieval.access.row_security import as_system
from retrieval.models.access import caller_for
from rules.authoring import workflow
from rules.authoring.rule_checks import RuleRefused
from rules.models import Rule
from tests.builders import grant
from tests.rule_searches import ALWAYS, FIRST, QUESTION, THIRD, ask, locators, section
from tests.rule_sets import keywords
from tests.rules.rule_pages import ADD, FORM, in_force, press

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unjudged")]


def test_a_contradiction_is_warned_of_at_save_and_refused_at_publish(client, curators, quartering):
    for person, action in zip(curators, ("propose", "publish"), strict=True):
        client.force_login(person)
        press(client, quartering, action)
    against = FORM | {"name": "Hidden", "actions-0-kind": "exclude", "actions-0-amount": ""}
    page = client.post(ADD, against, follow=True).content.decode()
    assert "“Hidden” hides everything upon which “Quartering” acts." in page
    assert "For example when somebody asks “soldiers”." in page
    hidden = Rule.objects.get(name="Hidden")
    assert "hides everything" in press(client, hidden, "propose")
    assert Rule.objects.get(pk=hidden.pk).status == "draft"


def test_neither_proposing_nor_publishing_lets_a_contradiction_in(curators):
    in_force("Shown", "pin", keywords("tenants"), section(FIRST))
    hidden = Rule(name="Hidden", criteria=ALWAYS, targets=section(FIRST), actions=[{"kind": "exclude"}])
    workflow.save_draft(hidden, by=curators[0])
    with pytest.raises(workflow.RuleRefused, match="hides everything"):
        workflow.propose(hidden, by=curators[0], caller=ANONYMOUS)
    Rule.objects.filter(pk=hidden.pk).update(status="proposed")
    with pytest.raises(workflow.RuleRefused, match="hides everything"):
        workflow.publish(hidden, by=curators[1], caller=ANONYMOUS)
    assert Rule.objects.get(pk=hidden.pk).live is None


def test_what_was_changed_after_it_was_read_is_not_published(curators, quartering):
    shown = workflow.propose(quartering, by=curators[0], caller=ANONYMOUS)
    Rule.objects.filter(pk=quartering.pk).update(targets=section(FIRST))
    with pytest.raises(workflow.RuleRefused, match="look at it again"):
        workflow.publish(shown, by=curators[1], caller=ANONYMOUS)


def test_publishing_and_retiring_are_seen_by_the_next_search(rule, ben):
    assert locators(ask(QUESTION))[0] != THIRD
    made = rule("pin", targets=section(THIRD))
    assert locators(ask(QUESTION))[0] == THIRD
    assert ask(QUESTION)["cached"]
    workflow.retire(made, by=ben)
    assert locators(ask(QUESTION))[0] != THIRD


def test_a_draft_over_a_published_rule_changes_nothing_until_it_is_approved(rule, ann):
    made = rule("pin", targets=section(THIRD))
    assert ask(QUESTION)["cached"] is False
    made.targets = section(FIRST)
    workflow.save_draft(made, by=ann)
    answer = ask(QUESTION)
    assert locators(answer)[0] == THIRD and answer["cached"]


def test_a_job_retires_what_is_over(rule):
    over = rule("pin", targets=section(FIRST), valid_to=timezone.localdate() - timedelta(days=1))
    rule("pin", targets=section(FIRST), valid_to=timezone.localdate())
    rule("pin", targets=section(FIRST))
    assert workflow.retire_expired() == 1 and workflow.retire_expired() == 0
    over.refresh_from_db()
    assert over.status == Rule.Status.RETIRED and over.history.first().history_change_reason


def test_whoever_proposes_a_rule_cannot_approve_it(ann, ben, settings):
    draft = workflow.save_draft(
        Rule(name="x", criteria=ALWAYS, targets=section(THIRD), actions=[{"kind": "pin"}]), by=ann
    )
    with pytest.raises(RuleRefused):
        workflow.publish(draft, by=ben, caller=ANONYMOUS)
    workflow.propose(draft, by=ann, caller=ANONYMOUS)
    with pytest.raises(RuleRefused, match="Another person"):
        workflow.publish(draft, by=ann, caller=ANONYMOUS)
    settings.ARF_RULES_SECOND_PERSON = False
    assert workflow.publish(draft, by=ann, caller=ANONYMOUS).version == 1


def test_an_earlier_version_can_be_put_back_as_a_draft(rule, ann):
    made = rule("pin", targets=section(THIRD))
    line = made.history.first()
    made.targets = section(FIRST)
    workflow.save_draft(made, by=ann)
    assert made.status == Rule.Status.DRAFT
    made.targets = line.targets
    workflow.save_draft(made, by=ann)
    assert made.targets == section(THIRD) and made.status == Rule.Status.PUBLISHED


def test_a_copy_is_a_draft_under_another_name(rule, ann):
    made = rule("pin", targets=section(THIRD), name="quartering")
    twin = workflow.copy(made, by=ann)
    assert (twin.name, twin.status, twin.content["targets"]) == ("quartering (2)", "draft", made.targets)


def test_who_may_approve_a_rule_sees_all_of_its_domains(curators, secret):
    rule = Rule(name="x", domains=["client_cases"], proposed_by=curators[0])
    assert workflow.publishers(rule) == [curators[1]] and workflow.approvers(rule) == []
    with as_system():
        grant(secret, caller_for(curators[1]))
    assert workflow.approvers(rule) == [curators[1]]


def test_who_proposed_what_nobody_else_sees_is_told_what_to_do(client, curators, secret):
    rule = Rule.objects.create(
        name="x",
        domains=["client_cases"],
        criteria=ALWAYS,
        actions=[{"kind": "abstain"}],
        status=Rule.Status.PROPOSED,
        proposed_by=curators[0],
    )
    page = client.get(f"/admin/rules/rule/{rule.pk}/change/").content.decode()
    assert "Of those who may publish rules (ben) nobody else sees all domains of this one" in page
