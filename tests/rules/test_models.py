"""What curators decide, as it is kept."""

from datetime import date

import pytest
from django.core.exceptions import ValidationError

from retrieval.access.caller import ANONYMOUS
from retrieval.access.row_security import as_system
from retrieval.models import Domain
from retrieval.stages.reranker.features import ANSWER_SCALE
from rules.models import Alias, DomainThreshold, GlossaryTerm, QuestionPhrase, Rule, RuleFinding, RuleUse
from tests.builders import a_case_file

pytestmark = pytest.mark.django_db


def named(text: str, locator: str) -> Alias:
    return Alias(domain=Domain.objects.get(slug="us_constitution"), text=text, locator=locator)


def test_blanks_in_a_name_are_made_one():
    alias = named("  double   jeopardy ", "/us/const/amendment/V")
    alias.clean()
    assert alias.text == "double jeopardy"


@pytest.mark.parametrize(
    ("text", "locator", "field"),
    [("…", "/us/const/amendment/V", "text"), ("double jeopardy", "/us/const/amendment/VV", "locator")],
)
def test_a_name_has_letters_and_a_provision_that_exists(text, locator, field):
    with pytest.raises(ValidationError) as problem:
        named(text, locator).clean()
    assert list(problem.value.message_dict) == [field]


def test_a_name_differs_from_others_of_its_provision_by_more_than_case():
    with pytest.raises(ValidationError, match="there already"):
        named("Double Jeopardy", "/us/const/amendment/V").clean()


@pytest.mark.parametrize("spanish", ["!!", "--"])
def test_a_term_has_letters(spanish):
    with pytest.raises(ValidationError, match="at least one letter"):
        GlossaryTerm(spanish=spanish, english="x").clean()


def test_a_term_differs_from_others_in_force_by_more_than_case():
    GlossaryTerm.objects.create(spanish="chancla voladora", english="late fee")
    again = GlossaryTerm(spanish=" Chancla  Voladora ", english="other")
    with pytest.raises(ValidationError, match="there already"):
        again.clean()
    again.enabled = False
    again.clean()


@pytest.mark.parametrize("use", ["not_served", "searched", "crisis"])
def test_a_phrase_needs_a_word_that_is_not_in_nearly_every_question(use):
    with pytest.raises(ValidationError, match="not in nearly every question"):
        QuestionPhrase(text="the", use=use).clean()


def test_words_of_nearly_every_question_may_be_all_of_one_that_needs_no_search():
    QuestionPhrase(text="what is this", use="needless").clean()


def test_a_name_points_to_a_sentence_of_its_provision():
    alias = named("unpaid quarters", "/us/const/amendment/III")
    alias.sentence = "no soldier  shall, in time"
    alias.clean()
    assert alias.sentence.startswith("No soldier shall, in time of peace be quartered")
    alias.sentence = "The right of the people"
    with pytest.raises(ValidationError, match="No sentence of this provision"):
        alias.clean()


def test_what_was_amended_meanwhile_keeps_nobody_from_changing_the_rest_of_a_name():
    alias = named("unpaid quarters", "/us/const/amendment/III")
    alias.sentence = "Words of an older edition"
    alias.save()
    alias.enabled = False
    alias.clean()
    assert alias.sentence == "Words of an older edition"
    alias.locator = "/us/const/amendment/IV"
    with pytest.raises(ValidationError, match="No sentence of this provision"):
        alias.clean()


def test_what_several_sentences_begin_with_points_to_none():
    alias = named("the veto", "/us/const/article/I/section/7/clause/2")
    alias.sentence = "If"
    with pytest.raises(ValidationError, match="Several sentences"):
        alias.clean()


def test_a_name_of_a_provision_of_parts_points_to_a_sentence_of_one():
    alias = named("citizens by birth", "/us/const/amendment/XIV")
    alias.sentence = "All persons born or naturalized"
    alias.clean()
    assert "All persons born" in alias.sentence


@as_system()
def test_no_words_of_private_law_are_kept_in_a_name():
    document = a_case_file("Doe v. Roe", "The tenant left in May.")
    alias = Alias(domain=document.domain, text="moving out", locator=document.sections.first().locator)
    alias.clean()
    alias.sentence = "The tenant left"
    with pytest.raises(ValidationError, match="public law"):
        alias.clean()


def test_every_change_of_a_term_is_kept_in_history():
    term = GlossaryTerm.objects.create(spanish="fianza de prueba", english="bail")
    term.enabled = False
    term.save()
    assert [line.enabled for line in term.history.all()] == [False, True]
    assert str(term) == "fianza de prueba → bail"


@pytest.mark.parametrize(
    ("changed", "field"),
    [({"minimum": 0.3}, "verify"), ({"verify": 0.7}, "accept"), ({"mlp_low": 0.7}, "mlp_high")],
)
def test_thresholds_rise(changed, field):
    with pytest.raises(ValidationError) as problem:
        DomainThreshold(answer_minimum=0.5, **changed).clean()
    assert list(problem.value.message_dict) == [field]


@pytest.mark.parametrize(
    ("minimum", "scale", "holds"), [(0.5, ANSWER_SCALE, True), (0.5, 0, False), (0.0, 0, True)]
)
def test_an_answer_minimum_holds_on_the_scale_it_was_chosen_on(minimum, scale, holds):
    assert DomainThreshold(answer_minimum=minimum, answer_scale=scale).is_on_scale is holds


def kept(name: str = "one", **fields) -> Rule:
    rule = Rule(name=name, criteria=[{"kind": "always"}], actions=[{"kind": "abstain"}], **fields)
    rule.live = rule.content
    rule.save()
    return rule


def test_an_edit_of_a_rule_in_force_is_an_unpublished_change():
    rule = kept()
    assert not rule.has_unpublished_changes
    rule.priority = 5
    assert rule.has_unpublished_changes and (rule.draft.priority, rule.compiled.priority) == (5, 100)


def test_rules_whose_last_day_is_past_are_over():
    kept("past", valid_to=date(2020, 1, 1))
    kept("today", valid_to=date(2020, 1, 2))
    kept("always")
    assert [rule.name for rule in Rule.objects.over(date(2020, 1, 2))] == ["past"]


def test_a_rule_of_a_private_domain_is_hidden_from_strangers():
    kept(domains=["us_constitution", "client_cases"])
    assert not Rule.objects.visible_to(ANONYMOUS).exists()


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"name": "a\nb"}, "name"),
        ({"valid_from": date(2020, 1, 2), "valid_to": date(2020, 1, 1)}, "valid_to"),
        ({"domains": ["nowhere"]}, "domains"),
    ],
)
def test_what_no_search_could_apply_is_refused(fields, named):
    rule = Rule(
        **{"name": "one", "criteria": [{"kind": "always"}], "actions": [{"kind": "abstain"}]} | fields
    )
    with pytest.raises(ValidationError) as problem:
        rule.clean()
    assert named in problem.value.message_dict


def test_a_finding_about_a_hidden_rule_is_hidden():
    shown = Rule.objects.create(name="shown")
    hidden = Rule.objects.create(name="hidden", domains=["client_cases"])
    for rules in ([shown], [shown, hidden]):
        RuleFinding.objects.create(
            kind="shadowed", reason="covered", rules=[r.pk for r in rules], names=[r.name for r in rules]
        )
    assert [row.names for row in RuleFinding.objects.visible_to(ANONYMOUS)] == [["shown"]]


def test_uses_counted_in_private_domains_are_hidden_although_the_rule_moved():
    rule = Rule.objects.create(name="one")
    RuleUse.objects.create(rule=rule, day=date(2020, 1, 1), domains=["client_cases"], fired=1)
    RuleUse.objects.create(rule=rule, day=date(2020, 1, 2), fired=2)
    assert [use.fired for use in RuleUse.objects.visible_to(ANONYMOUS)] == [2]
