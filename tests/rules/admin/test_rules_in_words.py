"""The page on which staff write a rule as a sentence."""

import pytest
from django.contrib.auth.models import User

from retrieval.models import Document
from rules.models import Rule
from tests.rule_searches import FIRST, THIRD, section
from tests.rule_sets import keywords
from tests.rules.rule_pages import LIST, in_force

pytestmark = pytest.mark.django_db


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
