"""Curators at work on rules: a form of rows, two people's approval, history, files, a rule from a result."""

import re

import pytest
from django.contrib.auth.models import Group, Permission, User

from retrieval.access.caller import ANONYMOUS
from retrieval.models import Document
from rules.authoring import workflow
from rules.linting import linter
from rules.models import Rule, RuleFinding
from tests.rule_searches import ALWAYS, FIRST, THIRD, ask, locators, section
from tests.rule_sets import keywords
from tests.rules.rule_pages import ADD, FORM, LIST, hidden, in_force, press

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unjudged")]


def test_a_rule_goes_from_draft_to_retired_by_two_peoples_buttons(client, curators, quartering):
    press(client, quartering, "propose")
    own = client.get(f"{LIST}{quartering.pk}/change/").content.decode()
    assert "Approve and publish" not in own and f"This may be done by {curators[1].username}." in own
    assert "Another person" in press(client, quartering, "publish")
    client.force_login(curators[1])
    assert "Approve and publish" in client.get(f"{LIST}{quartering.pk}/change/").content.decode()
    press(client, quartering, "publish")
    quartering.refresh_from_db()
    assert (quartering.status, quartering.version, quartering.published_by) == ("published", 1, curators[1])
    assert locators(ask("who are soldiers anyway"))[0] == THIRD
    press(client, quartering, "retire")
    assert Rule.objects.get(pk=quartering.pk).live is None


def test_who_approves_a_rule_sees_what_its_author_was_warned_of(client, curators, quartering):
    in_force("Always", {"kind": "pin", "position": 1}, ALWAYS[0], section(THIRD))
    page, told = f"{LIST}{quartering.pk}/change/", "“Quartering” adds nothing"
    assert told not in client.get(page).content.decode()  # a draft's page computes none
    assert told in press(client, quartering, "propose")
    assert told not in client.get(page).content.decode()
    client.force_login(curators[1])
    assert told in client.get(page).content.decode()
    assert told in press(client, quartering, "publish")
    assert told not in client.get(page).content.decode()


def test_an_approver_publishes_what_was_shown_and_no_later_text(client, curators, quartering):
    press(client, quartering, "propose")
    client.force_login(curators[1])
    page = client.get(f"{LIST}{quartering.pk}/change/").content.decode()
    shown = re.search(r'/do/publish/".*?name="shown" value="(\w+)"', page, re.DOTALL)[1]
    client.force_login(curators[0])
    client.post(f"{LIST}{quartering.pk}/change/", FORM | {"targets-0-value": FIRST})
    press(client, quartering, "propose")
    client.force_login(curators[1])
    for said in ({"shown": shown}, {}):
        answer = client.post(f"{LIST}{quartering.pk}/do/publish/", said, follow=True).content.decode()
        assert "look at it again" in answer and Rule.objects.get(pk=quartering.pk).live is None
    press(client, quartering, "publish")
    assert Rule.objects.get(pk=quartering.pk).live["targets"] == section(FIRST)


def test_an_edit_of_a_published_rule_waits_for_approval(client, quartering, curators):
    workflow.propose(quartering, by=curators[0], caller=ANONYMOUS)
    workflow.publish(quartering, by=curators[1], caller=ANONYMOUS)
    client.post(f"{LIST}{quartering.pk}/change/", FORM | {"targets-0-value": FIRST})
    now = Rule.objects.get(pk=quartering.pk)
    assert now.status == "draft" and now.targets == section(FIRST) and now.live["targets"] == section(THIRD)
    assert "version 1 is in force" in client.get(LIST).content.decode()


def test_a_rule_that_another_has_saved_meanwhile_is_not_saved_over(client, curators, quartering):
    page = f"{LIST}{quartering.pk}/change/"
    opened = hidden(client.get(page))
    client.force_login(curators[1])
    client.post(page, FORM | {"targets-0-value": FIRST} | hidden(client.get(page)))
    client.force_login(curators[0])
    answer = client.post(page, FORM | {"criteria-0-value": "billeting", "rationale": "asked by phone"} | opened)
    told = answer.content.decode()
    assert answer.status_code == 200 and f"{curators[1].username} saved this on" in told
    assert "asked by phone" in told and 'value="billeting"' in told
    now = Rule.objects.get(pk=quartering.pk)
    assert now.targets == section(FIRST) and now.rationale == ""


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


def test_what_is_put_back_says_so_and_that_it_is_not_published(client, quartering, curators):
    client.post(f"{LIST}{quartering.pk}/change/", FORM | {"targets-0-value": FIRST})
    line = f"{LIST}{quartering.pk}/history/{quartering.history.earliest().pk}/"
    told = client.post(line, FORM, follow=True).content.decode()
    assert "The older version is saved as a draft: it is not published." in told
    assert quartering.history.latest().history_change_reason.startswith("back to what was saved on ")


def test_an_older_version_offers_no_preview_of_what_is_saved_now(client, quartering, curators):
    assert "Preview" in client.get(f"{LIST}{quartering.pk}/change/").content.decode()
    line = f"{LIST}{quartering.pk}/history/{quartering.history.get().pk}/"
    assert "Preview" not in client.get(line).content.decode()


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


def test_a_rule_in_words_is_shown_with_what_saving_it_would_tell(client, curators):
    in_force("Shown", "pin", keywords("tenants"), section(FIRST))
    sentence = "Hide the First Amendment from all questions"
    page = client.get(f"{LIST}in-words/", {"sentence": sentence}).content.decode()
    assert f"“{sentence}” hides everything upon which “Shown” acts." in page and Rule.objects.count() == 1


def test_a_rule_in_words_is_shown_and_then_kept_as_a_draft(client, curators):
    sentence = f"When someone asks about quartering soldiers, show {THIRD} first, until 30 June 2030"
    page = client.get(f"{LIST}in-words/", {"sentence": sentence}).content.decode()
    assert "show at the place 1" in page and "quartering soldiers" in page and THIRD in page
    assert not Rule.objects.filter(rationale=sentence).exists()
    assert client.post(f"{LIST}in-words/", {"sentence": sentence}).status_code == 302
    rule = Rule.objects.get(rationale=sentence)
    assert (rule.status, rule.live, str(rule.valid_to)) == ("draft", None, "2030-06-30")
    assert rule.targets == section(THIRD) and rule.owner == curators[0] and rule.name == sentence[:100]


def test_a_rule_in_words_about_an_unknown_place_is_asked_about_and_not_kept(client, curators):
    sentence = "When someone asks about soldiers, show Amendment III, Section 9 first"
    page = client.post(f"{LIST}in-words/", {"sentence": sentence}).content.decode()
    assert "Which provision, document or file is meant?" in page and not Rule.objects.exists()


def test_a_rule_in_words_that_no_rule_can_be_is_asked_about(client, curators):
    sentence = f"When someone asks about soldiers, boost {THIRD} by 0.5"
    page = client.post(f"{LIST}in-words/", {"sentence": sentence}).content.decode()
    assert "No rule can say this" in page and not Rule.objects.exists()


def test_the_list_of_rules_offers_to_write_one_in_words(client, curators):
    assert 'action="/admin/rules/rule/in-words/"' in client.get(LIST).content.decode()


def test_only_who_may_add_rules_writes_one_in_words(client):
    client.force_login(User.objects.create_user("visitor", is_staff=True))
    assert client.get(f"{LIST}in-words/", {"sentence": "hide it"}).status_code == 403


def test_a_sentence_about_metadata_is_shown(client, curators):
    Document.objects.update(metadata={"year": 2024})
    sentence = "Search only documents whose year is at least 2020 for questions about fees"
    page = client.get(f"{LIST}in-words/", {"sentence": sentence}).content.decode()
    assert "documents whose metadata say year at least 2020" in page


def test_the_nightly_check_stores_what_it_finds_for_the_list(client, curators):
    pinned = in_force("Shown", "pin", keywords("tenants"), section(FIRST))
    hidden = in_force("Hidden", "exclude", ALWAYS[0], section(FIRST))
    assert linter.check_all() == linter.check_all() == 1
    page = client.get("/admin/rules/rulefinding/").content.decode()
    assert "hides everything" in page and f"{LIST}{pinned.pk}/change/" in page and hidden.name in page
    workflow.retire(hidden, by=None)
    assert linter.check_all() == 0 and not RuleFinding.objects.exists()
