"""Findings about stored rules."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from evaluation.models import Judgment, Topic
from retrieval.models import Domain
from rules.models import Rule
from tests.rule_searches import ALWAYS, FIRST, section
from tests.rule_sets import keywords
from tests.rules.rule_pages import ADD, FORM, in_force, press

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unjudged")]


def test_a_circle_of_rewrites_is_refused_and_a_shadow_is_not(client, curators):
    in_force("There", {"kind": "rewrite", "text": "renters", "phrase": "tenants"}, keywords("tenants"))
    rewrite = {"targets-0-kind": "", "criteria-0-value": "renters", "criteria-0-stemmed": ""}
    rewrite |= {"actions-0-kind": "rewrite", "actions-0-amount": "", "actions-0-phrase": "renters"}
    client.post(ADD, FORM | rewrite | {"name": "Back", "actions-0-text": "tenants"})
    assert "rewrite a question until it is as it was" in press(
        client, Rule.objects.get(name="Back"), "propose"
    )
    in_force("Never", "exclude", ALWAYS[0], section(FIRST))
    shadowed = {"name": "Less", "targets-0-value": FIRST, "actions-0-kind": "exclude", "actions-0-amount": ""}
    assert "adds nothing" in client.post(ADD, FORM | shadowed, follow=True).content.decode()
    press(client, Rule.objects.get(name="Less"), "propose")
    assert Rule.objects.get(name="Less").status == "proposed"


def test_the_command_tells_findings_as_json(db):
    us = Domain.objects.get(slug="us_constitution")
    topic = Topic.objects.create(name="t", query="Is there freedom of religion?", domain=us, split="tune")
    Judgment.objects.create(topic=topic, locator=FIRST, grade=3, judge="ann")
    in_force("Never", "exclude", ALWAYS[0], section(FIRST))
    in_force("Raised", "boost", keywords("tenants"), section(FIRST))
    out = StringIO()
    call_command("check_rules", "--json", stdout=out)
    found, hiding = json.loads(out.getvalue())
    assert (found["kind"], found["refuses"]) == ("contradictory", True) and "Never" in found["message"]
    assert (hiding["kind"], hiding["names"]) == ("hides judged text", ["Never"])
    call_command("check_rules", stdout=out)
    assert "2 findings" in out.getvalue()
