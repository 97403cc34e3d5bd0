"""Curators at work on rules: a form of rows, two people's approval, history, files, a rule from a result."""

import pytest
from django.contrib.auth.models import Group, Permission, User

from arf_site.groups import load_groups
from retrieval.access.caller import ANONYMOUS
from rules.authoring import workflow
from rules.models import Rule
from tests.rule_searches import FIRST, THIRD, ask, locators, section
from tests.rules.rule_pages import ADD, FORM, LIST, press

pytestmark = pytest.mark.django_db


def test_a_rule_goes_from_draft_to_retired_by_two_peoples_buttons(client, curators, quartering):
    press(client, quartering, "propose")
    assert "Approve and publish" in client.get(f"{LIST}{quartering.pk}/change/").content.decode()
    assert "Another person" in press(client, quartering, "publish")
    client.force_login(curators[1])
    press(client, quartering, "publish")
    quartering.refresh_from_db()
    assert (quartering.status, quartering.version, quartering.published_by) == ("published", 1, curators[1])
    assert locators(ask("who are soldiers anyway"))[0] == THIRD
    press(client, quartering, "retire")
    assert Rule.objects.get(pk=quartering.pk).live is None


def test_an_edit_of_a_published_rule_waits_for_approval(client, quartering, curators):
    workflow.propose(quartering, by=curators[0], caller=ANONYMOUS)
    workflow.publish(quartering, by=curators[1], caller=ANONYMOUS)
    client.post(f"{LIST}{quartering.pk}/change/", FORM | {"targets-0-value": FIRST})
    now = Rule.objects.get(pk=quartering.pk)
    assert now.status == "draft" and now.targets == section(FIRST) and now.live["targets"] == section(THIRD)
    assert "version 1 is in force" in client.get(LIST).content.decode()


def test_history_shows_differences_and_puts_back_a_draft_never_a_publication(client, quartering, curators):
    workflow.propose(quartering, by=curators[0], caller=ANONYMOUS)
    workflow.publish(quartering, by=curators[1], caller=ANONYMOUS)
    published = Rule.objects.get(pk=quartering.pk).history.first()
    client.post(f"{LIST}{quartering.pk}/change/", FORM | {"targets-0-value": FIRST})
    workflow.retire(quartering, by=curators[1])
    assert FIRST in client.get(f"{LIST}{quartering.pk}/history/").content.decode()
    line = f"{LIST}{quartering.pk}/history/{published.pk}/"
    assert f'value="{THIRD}"' in client.get(line).content.decode()
    assert client.post(line, FORM).status_code == 302
    now = Rule.objects.get(pk=quartering.pk)
    assert (now.targets, now.status, now.live) == (section(THIRD), "draft", None)


def test_a_copy_is_opened_as_a_draft(client, quartering):
    assert "Quartering (2)" in press(client, quartering, "copy")


def test_a_rule_begins_from_a_result_of_a_tried_query(client, curators):
    tried = client.get("/admin/try/", {"q": "Can soldiers live in my house?"}).content.decode()
    assert f"{ADD}?question=Can+soldiers+live+in+my+house%3F&amp;locator=" in tried
    page = client.get(ADD, {"question": "Can soldiers live in my house?", "locator": THIRD}).content.decode()
    assert 'value="Can soldiers live in my house?"' in page and f'value="{THIRD}"' in page


def test_who_may_not_see_a_domain_sees_no_rule_of_it(client, curators):
    hidden = Rule.objects.create(name="Doe", domains=["client_cases"], actions=[{"kind": "abstain"}])
    assert "Doe" not in client.get(LIST).content.decode()
    for page in ("change", "history"):
        assert client.get(f"{LIST}{hidden.pk}/{page}/").status_code in (302, 404)
    assert client.post(f"{LIST}{hidden.pk}/do/copy/").status_code == 404


def test_judges_may_not_touch_rules(client):
    load_groups()
    judge = User.objects.create_user("jay", is_staff=True)
    judge.groups.add(Group.objects.get(name="Judge"))
    client.force_login(judge)
    assert client.get(LIST).status_code == 403


# -- What a rule names that is private


def test_who_may_only_look_puts_no_earlier_version_back(client, quartering):
    viewer = User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_rule"))
    client.force_login(viewer)
    line = f"{LIST}{quartering.pk}/history/{quartering.history.get().pk}/"
    assert client.get(line).status_code == 200
    assert client.post(line, FORM | {"priority": "1"}).status_code == 403
    quartering.refresh_from_db()
    assert quartering.priority == 100
