"""Rules that hide judged-relevant text are found, and no others."""

import pytest

from evaluation.models import Judgment, Topic
from evaluation.rule_impact import hidden_text
from retrieval import jobs
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Domain, JobRun
from rules.authoring import workflow
from rules.linting import linter
from rules.models import Rule, RuleFinding
from tests.builders import nothing_judged
from tests.rule_searches import ALWAYS, section
from tests.rule_sets import HIDES, SPARES, Judged, judged_sets

pytestmark = pytest.mark.django_db


FIRST, FOURTH, FIFTH, EIGHTH = (f"/us/const/amendment/{n}" for n in ("I", "IV", "V", "VIII"))


WARRANT = [{"kind": "keywords", "value": ["warrant", "police"]}]


@pytest.fixture
def topics(db):
    """Three topics of the open splits and one of the test split."""
    nothing_judged()
    us = Domain.objects.get(slug="us_constitution")
    said = [
        ("t1", "Do police need a warrant to search my car?", "train", {FOURTH: 3, FIFTH: 1}),
        ("t2", "Is excessive bail forbidden?", "tune", {EIGHTH: 3}),
        ("t3", "How do I renew a driver's licence?", "train", {}),
        ("t4", "May the police take my house with a warrant?", "test", {FOURTH: 3}),
    ]
    for name, query, split, grades in said:
        topic = Topic.objects.create(name=name, query=query, domain=us, split=split, answerable=bool(grades))
        for locator, grade in grades.items():
            Judgment.objects.create(topic=topic, locator=locator, grade=grade, judge="ann")


def draft(*actions: dict | str, criteria=WARRANT, targets=(), **fields) -> Rule:
    made = Rule(
        name=fields.pop("name", "draft"),
        criteria=criteria,
        targets=list(targets),
        actions=[{"kind": action} if isinstance(action, str) else action for action in actions],
        **fields,
    )
    return workflow.save_draft(made, by=None)


def test_a_rule_that_hides_judged_text_is_told_of_at_save(topics):
    (told,) = hidden_text.warnings_at_save(
        draft("exclude", targets=section(FOURTH), name="No Fourth"), ANONYMOUS
    )
    assert "No Fourth" in told and FOURTH in told and "Do police need a warrant" in told
    assert "take my house" not in told


@pytest.mark.parametrize(
    "said",
    [
        dict(actions=["exclude"], targets=section(FIRST)),
        dict(
            actions=["exclude"], targets=section(FOURTH), criteria=[{"kind": "keywords", "value": ["bail"]}]
        ),
        dict(actions=[{"kind": "pin"}], targets=section(FOURTH)),
        dict(actions=[{"kind": "note", "text": "Ask."}], criteria=ALWAYS),
        dict(actions=["restrict"], targets=section(FOURTH, FIFTH)),
    ],
)
def test_a_rule_that_hides_nothing_judged_is_not_blamed(topics, said):
    said = dict(said)
    assert hidden_text.warnings_at_save(draft(*said.pop("actions"), **said), ANONYMOUS) == []


@pytest.fixture
def topic_of(topics):
    """Makes the judged question of a seeded set the only one."""

    def make(judged: Judged) -> None:
        Judgment.objects.all().delete()
        us = Domain.objects.get(slug="us_constitution")
        topic = Topic.objects.create(name="the one", query=judged.question, domain=us)
        Judgment.objects.create(topic=topic, locator=judged.here, grade=3, judge="ann")

    return make


def in_force(rules: list[dict]) -> list[str]:
    """Puts them in force and gives the names of those found to hide judged text."""
    Rule.objects.bulk_create(Rule(live=content, **content) for content in rules)
    return [name for found in hidden_text.all_findings() for name in found.names]


@pytest.mark.parametrize(("name", "judged", "rules"), judged_sets(HIDES))
def test_what_hides_judged_text_in_a_seeded_set_is_found(name, judged, rules, topic_of):
    topic_of(judged)
    assert in_force(rules) == ["a"]


@pytest.mark.parametrize(("name", "judged", "rules"), judged_sets(SPARES))
def test_nothing_is_found_in_a_seeded_set_that_hides_nothing_judged(name, judged, rules, topic_of):
    topic_of(judged)
    assert in_force(rules) == []


def test_every_night_findings_of_this_kind_alone_are_put_anew(topics, rule, monkeypatch):
    monkeypatch.setattr(hidden_text, "ANSWERS", 1)
    rule("exclude", targets=section(FOURTH), criteria=ALWAYS, name="hides")
    rule({"kind": "pin"}, targets=section(FIRST), criteria=ALWAYS, name="spared")
    linter.check_all()
    others = RuleFinding.objects.count()
    for _night in range(2):
        *_steps, last = jobs.run_here(JobRun.objects.get(pk=hidden_text.find_hidden()))
        assert last.status == JobRun.Status.DONE
    (row,) = RuleFinding.objects.filter(kind=hidden_text.KIND)
    assert row.names == ["hides"] and FOURTH in row.detail
    assert RuleFinding.objects.count() == others + 1
    linter.check_all()
    assert RuleFinding.objects.filter(kind=hidden_text.KIND).count() == 1
    assert [one.names for one in hidden_text.all_findings()] == [("hides",)]
