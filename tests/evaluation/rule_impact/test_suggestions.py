"""Phrases that tell a provision from the others."""

import json
from functools import cache
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from evaluation.models import Judgment, RuleSuggestion, Topic
from evaluation.rule_impact import impact, suggestions
from evaluation.rule_impact.impact import PublicSearch
from evaluation.rule_impact.suggestions import Contrast, Text, phrases_of
from retrieval import jobs
from retrieval.access.caller import ANONYMOUS
from retrieval.access.row_security import as_caller
from retrieval.models import Domain
from rules.authoring import workflow
from rules.models import Rule
from tests.builders import nothing_judged
from tests.rule_searches import FIRST, THIRD, section

FOURTH = "/us/const/amendment/IV"


def test_a_phrase_neither_begins_nor_ends_with_words_of_asking():
    assert phrases_of("What is the right of way?", "en") == {}
    assert set(phrases_of("Can soldiers stay at home?", "en").values()) == {
        "soldiers", "soldiers stay", "stay", "stay at home", "home",
    }  # fmt: skip
    assert "kennel be taxed" not in phrases_of("May the kennel be taxed?", "en").values()
    assert "qué" not in phrases_of("¿Qué soldados duermen?", "es").values()


def test_the_phrase_that_stands_in_texts_about_the_place_alone_tells_it_best():
    about_third = frozenset((THIRD,))
    contrast = Contrast(
        [
            Text("Must I house troops?", "en", about_third),
            Text("housing troops in peace", "en", about_third),
            Text("May police enter my house?", "en", frozenset((FOURTH,))),
            Text("a house search", "en", frozenset((FOURTH,))),
        ]
    )
    best = contrast.best("Must I house troops?", "en", [THIRD], 3)
    assert [(phrase.words, phrase.about, phrase.texts) for phrase in best] == [
        ("troops", 2, 2), ("house troops", 2, 2), ("house", 2, 4),
    ]  # fmt: skip


# -- Suggestions


@pytest.fixture(autouse=True, scope="module")
def phrases_are_read_once():
    """Every look for suggestions reads those of the 9,275 names that ship."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suggestions, "phrases_of", cache(phrases_of))
        yield


@pytest.fixture
def topics(db):
    """Two that the Constitution answers by its words, none shipped."""
    nothing_judged()
    a_topic("guards", "Can soldiers be quartered in my house?", THIRD)
    a_topic("press", "Does the Constitution protect freedom of the press?", FIRST)


def a_topic(name: str, query: str, relevant: str = "", **fields) -> Topic:
    domain = fields.pop("domain", None) or Domain.objects.get(slug="us_constitution")
    topic = Topic.objects.create(name=name, query=query, domain=domain, answerable=bool(relevant), **fields)
    if relevant:
        Judgment.objects.create(topic=topic, locator=relevant, grade=3, judge="ann")
    return topic


def suggested() -> dict[str, RuleSuggestion]:
    for _ in jobs.run_here(jobs.create(**suggestions.request())):
        pass
    return {row.topic.name: row for row in RuleSuggestion.objects.filter(status="open")}


def failing(**fields) -> Topic:
    return a_topic("dogs", "May the zorblax kennel be taxed twice?", THIRD, **fields)


def answers() -> dict[str, tuple]:
    """Each judged question's nDCG@10 and failure under the rules in force."""
    public = PublicSearch()
    with as_caller(ANONYMOUS):
        found = [(q.topic, public.answer(public.read(q), public.in_force)) for q in impact.judged_questions()]
    return {
        topic.id: (impact.ndcg(topic, answer), suggestions.failure_of(topic, answer))
        for topic, answer in found
    }


def published(rule: Rule) -> None:
    ann, ben = (User.objects.create_superuser(name) for name in ("pat", "kim"))
    workflow.propose(rule, by=ann, caller=ANONYMOUS)
    workflow.publish(rule, by=ben, caller=ANONYMOUS)


def test_topics_that_do_not_fail_get_no_rule(topics):
    assert suggested() == {}


def test_without_topics_nothing_is_suggested(topics):
    nothing_judged()
    assert suggested() == {}


def test_a_failing_topic_gets_a_rule_by_a_phrase_of_its_own(topics):
    failing()
    row = suggested()["dogs"]
    (criterion,) = row.content["criteria"]
    assert criterion["kind"] == "keywords" and "zorblax" in criterion["value"][0]
    assert row.content["targets"] == section(THIRD) and row.content["domains"] == ["us_constitution"]
    assert row.mended == ["dogs"] and row.hurt == [] and row.topics == 3
    assert row.gain > 0 and row.gain_low <= row.gain <= row.gain_high


@pytest.mark.parametrize("unanswerable", [False, True])
def test_a_suggested_rule_does_what_was_predicted_once_it_is_published(topics, unanswerable):
    if unanswerable:
        Judgment.objects.filter(topic__name="press").delete()
        Topic.objects.filter(name="press").update(answerable=False)
        row = suggested()["press"]
        assert row.failure == "answered" and row.content["actions"] == [{"kind": "abstain"}]
    else:
        failing()
        row = suggested()["dogs"]
    before = answers()
    published(suggestions.make_draft(row, by=None))
    after = answers()
    measurable = [name for name in before if Judgment.objects.filter(topic__name=name).exists()]
    gains = [after[name][0] - before[name][0] for name in measurable]
    assert sum(gains) / len(gains) == pytest.approx(row.gain, abs=1e-12) and len(gains) == row.topics
    assert row.mended == [name for name in before if before[name][1] and not after[name][1]]
    assert row.hurt == [name for name in before if after[name][0] < before[name][0]]


def test_a_rule_that_harms_others_says_so_in_its_gain(topics):
    failing()
    judged = suggestions.Judged()
    content = {
        "name": "wide", "domains": [], "criteria": [{"kind": "always"}], "targets": section(THIRD),
        "actions": [{"kind": "pin", "position": 1}], "priority": 100, "valid_from": None, "valid_to": None,
    }  # fmt: skip
    trial = judged.trial(content)
    assert trial.hurt == ("press",) and trial.mended == ("dogs",) and len(trial.effects) == 3


def test_a_rule_for_the_whole_question_is_suggested_only_where_no_phrase_tells(topics):
    a_topic("it", "What can they do about it then?", THIRD)
    row = suggested()["it"]
    assert row.content["criteria"] == [{"kind": "exact", "value": "What can they do about it then?"}]


def test_topics_of_the_test_split_are_never_looked_at(topics):
    failing(split="test")
    assert suggested() == {}


def test_a_new_look_replaces_open_suggestions_and_leaves_settled_ones(topics):
    failing()
    first = suggested()["dogs"]
    suggestions.dismiss(first, by=None)
    second = suggested()["dogs"]
    assert second.content != first.content
    rule = suggestions.make_draft(second, by=None)
    assert suggested() == {} and (rule.status, rule.live) == ("draft", None)
    with pytest.raises(suggestions.SuggestionSettled):
        suggestions.make_draft(second, by=None)


def test_steps_end_by_the_clock_after_one_failure_at_least(topics, monkeypatch):
    failing()
    a_topic("cats", "May the quibblet cattery be taxed twice?", THIRD)
    monkeypatch.setattr(suggestions, "time_for_more", lambda run: lambda: False)
    steps = list(jobs.run_here(jobs.create(**suggestions.request())))
    assert [run.state["done"] for run in steps] == [0, 1, 2] and steps[-1].is_finished


def test_a_look_that_breaks_off_loses_no_suggestion_but_of_what_no_longer_fails(topics, monkeypatch):
    kept = a_suggestion(failing())
    a_suggestion(Topic.objects.get(name="press"))
    with monkeypatch.context() as broken:
        broken.setattr(suggestions, "best_rule", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            suggested()
    assert RuleSuggestion.objects.get() == kept
    assert suggested()["dogs"] != kept and RuleSuggestion.objects.count() == 1


def test_while_a_part_of_the_search_does_not_run_nothing_is_called_a_failure(topics, settings, tmp_path):
    kept = a_suggestion(failing())
    settings.ARF_LEXICAL_DIR = tmp_path  # no index lies there
    run = jobs.create(**suggestions.request())
    for _ in jobs.run_here(run):
        pass
    run.refresh_from_db()
    assert run.status == "failed" and "without LexicalRetriever" in run.error
    assert RuleSuggestion.objects.get() == kept


def test_the_command_prints_what_it_found(topics):
    failing()
    out = StringIO()
    call_command("suggest_rules", "--json", stdout=out)
    (told,) = json.loads(out.getvalue()[out.getvalue().index("[") :])
    assert told["topic"] == "dogs" and told["mended"] == ["dogs"] and told["gain"]["topics"] == 3


# -- In the admin


def a_suggestion(topic: Topic) -> RuleSuggestion:
    content = suggestions.very_rule(impact.library.as_topics(Topic.objects.filter(pk=topic.pk))[0])
    numbers = {"gain": 0.1, "gain_low": 0.0, "gain_high": 0.2, "topics": 3, "touched": 1, "rules_version": 1}
    return RuleSuggestion.objects.create(topic=topic, failure="unfound", content=content, **numbers)
