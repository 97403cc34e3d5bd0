"""Curators at work on rules: a form of rows, two people's approval, history, files, a rule from a result."""

import json
import re
from datetime import date
from io import StringIO

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from arf_site.groups import load_groups
from evaluation.models import Judgment, Topic
from retrieval.models import Document
from retrieval.models.access import caller_for
from retrieval.ranking import ANONYMOUS, Caller
from retrieval.row_access import as_caller
from rules import drafting, tasks, workflow
from rules.exchange import PlainJSON, RuleResource, SafeCSV
from rules.models import Rule, RuleFinding
from rules.rule_admin import TARGETS, row_told
from tests.builders import a_case_file
from tests.rule_sets import keywords
from tests.test_rules import ALWAYS, FIRST, THIRD, ask, locators, section

pytestmark = pytest.mark.django_db
ADD = "/admin/rules/rule/add/"
LIST = "/admin/rules/rule/"
FORM = {
    "name": "Quartering",
    "criteria-0-kind": "keywords",
    "criteria-0-value": "soldiers; quartering",
    "criteria-0-stemmed": "on",
    "criteria-1-kind": "",
    "targets-0-kind": "section",
    "targets-0-value": THIRD,
    "actions-0-kind": "pin",
    "actions-0-amount": "1",
    "priority": "100",
    "tags": "",
    "rationale": "",
    "owner": "",
}


@pytest.fixture
def curators(client) -> tuple[User, User]:
    load_groups()
    people = [User.objects.create_user(name, is_staff=True) for name in ("ann", "ben")]
    for person in people:
        person.groups.add(Group.objects.get(name="Curator"))
    client.force_login(people[0])
    return people[0], people[1]


@pytest.fixture
def quartering(client, curators) -> Rule:
    assert client.post(ADD, FORM).status_code == 302
    return Rule.objects.get(name="Quartering")


def press(client, rule: Rule, action: str) -> str:
    response = client.post(f"{LIST}{rule.pk}/do/{action}/", follow=True)
    assert response.status_code == 200
    return response.content.decode()


def test_rows_of_the_form_become_a_draft(quartering, curators):
    assert quartering.criteria == [{"kind": "keywords", "value": ["soldiers", "quartering"], "stemmed": True}]
    assert quartering.targets == section(THIRD) and quartering.actions == [{"kind": "pin", "position": 1}]
    assert (quartering.status, quartering.owner, quartering.live) == ("draft", curators[0], None)
    assert quartering.history.get().history_user == curators[0]


def test_the_form_shows_what_it_saved(client, quartering):
    page = client.get(f"{LIST}{quartering.pk}/change/").content.decode()
    assert 'value="soldiers; quartering"' in page and f'value="{THIRD}"' in page
    assert '<option value="keywords" selected>' in page


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"criteria-0-kind": "regex", "criteria-0-value": "(a"}, "No. 1"),
        ({"targets-0-value": "us/const"}, "is no locator"),
        ({"targets-0-kind": "chunk", "targets-0-value": "x"}, "is no number"),
        ({"targets-0-kind": ""}, "needs something to act upon"),
        ({"actions-0-kind": ""}, "Say what it does"),
        ({"actions-0-amount": "0"}, "from 1 to 50"),
        ({"valid_from": "2026-02-01", "valid_to": "2026-01-01"}, "before the first day"),
    ],
)
def test_the_form_tells_what_is_wrong_in_words(client, curators, change, told):
    page = client.post(ADD, FORM | change)
    assert page.status_code == 200 and told in page.content.decode()
    assert not Rule.objects.exists()


def test_headings_and_pages_of_every_document_are_targets_of_the_form(client, curators):
    rows = {"targets-0-kind": "heading", "targets-0-value": "legislative powers"}
    rows |= {"targets-1-kind": "pages", "targets-1-pages": "1-2", "targets-2-kind": ""}
    assert client.post(ADD, FORM | rows).status_code == 302
    targets = [{"kind": "heading", "value": "legislative powers"}, {"kind": "pages", "pages": "1-2"}]
    assert Rule.objects.get(name="Quartering").targets == targets


def test_a_target_that_does_not_exist_is_warned_of_at_once(client, curators):
    page = client.post(ADD, FORM | {"targets-0-value": "/us/const/amendment/XXX"}, follow=True)
    assert "Near to it:" in page.content.decode()


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


def test_places_are_offered_while_one_types(client, curators):
    places = reverse("admin:rules_rule_places")
    offered = client.get(places, {"targets-0-kind": "section", "targets-0-value": "quartering"})
    assert THIRD in offered.content.decode()
    assert "us_constitution" in client.get(places, {"criteria-3-kind": "domain"}).content.decode()
    assert client.get(places, {"criteria-3-kind": "regex", "criteria-3-value": "a"}).content == b""


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


@pytest.mark.parametrize("format", [SafeCSV, PlainJSON])
def test_what_is_exported_can_be_imported_as_drafts(quartering, format):
    text = format().export_data(RuleResource().export())
    content = Rule.objects.get(pk=quartering.pk).content
    Rule.objects.all().delete()
    dataset = format().create_dataset(text)
    trial = RuleResource().import_data(dataset, dry_run=True)
    assert trial.totals["new"] == 1 and not Rule.objects.exists()
    RuleResource().import_data(dataset, raise_errors=True)
    made = Rule.objects.get()
    assert made.content == content and made.status == "draft"


def test_an_import_with_a_bad_rule_changes_nothing(client, curators):
    row = {"name": "x", "criteria": [{"kind": "always"}], "targets": [], "actions": [{"kind": "pin"}]}
    file = SimpleUploadedFile("rules.json", json.dumps([row]).encode(), content_type="application/json")
    page = client.post(f"{LIST}import/", {"format": "1", "import_file": file}).content.decode()
    assert "needs something to act upon" in page and not Rule.objects.exists()


def in_force(name: str, action: str | dict, criterion: dict, targets=()) -> Rule:
    """Whatever it contradicts: it may have come into force before the corpus was as it is."""
    made = Rule(name=name, criteria=[criterion], targets=list(targets), status="published", version=1)
    made.actions = [action if isinstance(action, dict) else {"kind": action}]
    made.live = made.content
    made.save()
    return made


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


def test_no_door_publishes_a_contradiction(curators):
    in_force("Shown", "pin", keywords("tenants"), section(FIRST))
    hidden = Rule(name="Hidden", criteria=ALWAYS, targets=section(FIRST), actions=[{"kind": "exclude"}])
    workflow.save_draft(hidden, by=curators[0])
    with pytest.raises(workflow.RuleRefused, match="hides everything"):
        workflow.propose(hidden, by=curators[0], caller=ANONYMOUS)
    Rule.objects.filter(pk=hidden.pk).update(status="proposed")
    with pytest.raises(workflow.RuleRefused, match="hides everything"):
        workflow.publish(hidden, by=curators[1], caller=ANONYMOUS)
    assert Rule.objects.get(pk=hidden.pk).live is None


def test_a_rule_in_words_is_shown_with_what_saving_it_would_tell(client, curators):
    in_force("Shown", "pin", keywords("tenants"), section(FIRST))
    sentence = "Hide the First Amendment from all questions"
    page = client.get(f"{LIST}in-words/", {"sentence": sentence}).content.decode()
    assert f"“{sentence}” hides everything upon which “Shown” acts." in page and Rule.objects.count() == 1


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


def test_the_nightly_check_stores_what_it_finds_for_the_list(client, curators):
    pinned = in_force("Shown", "pin", keywords("tenants"), section(FIRST))
    hidden = in_force("Hidden", "exclude", ALWAYS[0], section(FIRST))
    assert tasks.check_rules() == tasks.check_rules() == 1
    page = client.get("/admin/rules/rulefinding/").content.decode()
    assert "hides everything" in page and f"{LIST}{pinned.pk}/change/" in page and hidden.name in page
    workflow.retire(hidden, by=None)
    assert tasks.check_rules() == 0 and not RuleFinding.objects.exists()


def test_the_command_tells_findings_as_json(db):
    Judgment.objects.all().delete()
    Topic.objects.exclude(pk=Topic.objects.earliest("pk").pk).delete()
    Topic.objects.update(query="Is there freedom of religion?", language="en", split="tune", answerable=True)
    Judgment.objects.create(topic=Topic.objects.get(), locator=FIRST, grade=3, judge="ann")
    in_force("Never", "exclude", ALWAYS[0], section(FIRST))
    in_force("Raised", "boost", keywords("tenants"), section(FIRST))
    out = StringIO()
    call_command("check_rules", "--json", stdout=out)
    found, hiding = json.loads(out.getvalue())
    assert (found["kind"], found["refuses"]) == ("contradictory", True) and "Never" in found["told"]
    assert (hiding["kind"], hiding["names"]) == ("hides judged text", ["Never"])
    call_command("check_rules", stdout=out)
    assert "2 findings" in out.getvalue()


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


def test_the_command_drafts_a_rule_and_keeps_it_where_asked(db):
    out, sentence = StringIO(), "No respondas preguntas sobre el tiempo"
    call_command("draft_rule", sentence, stdout=out)
    assert '"tiempo"' in out.getvalue() and not Rule.objects.exists()
    call_command("draft_rule", sentence, "--save", stdout=out)
    assert Rule.objects.get(name=sentence).status == "draft"


def test_history_tells_what_changed_in_words(client, quartering):
    form = FORM | {"targets-1-kind": "metadata", "targets-1-key": "year", "targets-1-comparison": "at_least"}
    client.post(f"{LIST}{quartering.pk}/change/", form | {"targets-1-value": "2020"})
    page = client.get(f"{LIST}{quartering.pk}/history/").content.decode()
    assert "documents whose metadata say year at least 2020" in page and "None" not in page
    assert "Draft" in page and "{&#x27;kind&#x27;" not in page


def test_every_kind_of_target_is_told_in_words(client, curators):
    rows = [{"kind": "metadata", "key": "year", "comparison": "at_least", "value": 2020}]
    rows += [{"kind": "chunk", "value": [3, 5]}, {"kind": "document", "value": "/a", "pages": [1, 2]}]
    assert [row_told(row, TARGETS) for row in rows] == [
        "documents whose metadata say year at least 2020",
        "passages by number 3, 5",
        "document /a, pages 1, 2",
    ]


def test_a_sentence_about_metadata_is_shown(client, curators):
    Document.objects.update(metadata={"year": 2024})
    sentence = "Search only documents whose year is at least 2020 for questions about fees"
    page = client.get(f"{LIST}in-words/", {"sentence": sentence}).content.decode()
    assert "documents whose metadata say year at least 2020" in page


# -- What a rule names that is private


@pytest.fixture
def secret(curators) -> Document:
    """A file that only the first curator may read."""
    with as_caller(caller_for(curators[0])):
        document = a_case_file("Doe", "The tenant fled.", granted_to=caller_for(curators[0]))
        return Document.objects.get(pk=document.pk)


def test_a_rule_that_names_what_is_private_names_its_domain(client, curators, secret):
    form = FORM | {"targets-0-value": secret.locator}
    assert "private in “client_cases”" in client.post(ADD, form).content.decode()
    page = client.get(ADD, {"target": f"document {secret.locator}"}).content.decode()
    assert re.search(r'value="client_cases"[^>]* checked', page)
    assert client.post(ADD, form | {"domains": ["client_cases"]}).status_code == 302
    client.get(LIST)  # reads the message that it was added
    assert "Quartering" in client.get(LIST).content.decode()
    client.force_login(curators[1])
    assert "Quartering" not in client.get(LIST).content.decode()


@pytest.mark.parametrize(
    "change",
    [
        {"criteria-0-kind": "domain", "criteria-0-value": "client_cases"},
        {"criteria-0-kind": "citation", "criteria-0-value": "SECRET"},
        {"actions-1-kind": "redirect", "actions-1-text": "SECRET"},
        {"targets-1-kind": "cites", "targets-1-value": "SECRET"},
    ],
)
def test_no_clause_names_what_is_private_in_a_rule_that_all_may_see(client, curators, secret, change):
    with as_caller(caller_for(curators[0])):
        place = secret.sections.get().locator
    written = {name: value.replace("SECRET", place) for name, value in change.items()}
    page = client.post(ADD, FORM | written).content.decode()
    assert ("private in “client_cases”" in page) is ("cites" not in change.values())


def test_sentences_and_files_keep_what_is_private_in_its_domain(curators, secret):
    caller = caller_for(curators[0])
    with as_caller(caller):
        made = drafting.read("When someone asks about rent, show Doe first", caller, today=date.today()).made
        assert made.domains == ["client_cases"]
        row = {"name": "Doe", "criteria": ALWAYS, "actions": [{"kind": "pin"}]}
        row |= {"targets": [{"kind": "document", "value": secret.locator}]}
        problems = imported([row], caller)
        assert "private in “client_cases”" in problems and not Rule.objects.exists()
        assert not imported([row | {"domains": ["client_cases"]}], caller)
    assert Rule.objects.get().domains == ["client_cases"]


def imported(rows: list[dict], caller: Caller) -> str:
    dataset = PlainJSON().create_dataset(json.dumps(rows))
    done = RuleResource(caller=caller).import_data(dataset, dry_run=False, raise_errors=False)
    return " ".join(str(row.error) for row in done.invalid_rows)
