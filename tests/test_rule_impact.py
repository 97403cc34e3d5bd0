"""What a change of rules does to answers: told before it is published, and so afterwards."""

# ruff: noqa: F401, F811 (fixtures)
from datetime import timedelta

import pytest
from django.utils import timezone

from evaluation import hiding, impact, rule_preview
from evaluation.impact import Asking, effects, judged_questions, logged_questions
from evaluation.models import Judgment, RulePreview, Topic
from retrieval import jobs
from retrieval.models import Domain, JobRun, SearchLog
from retrieval.ranking import ANONYMOUS, Caller
from retrieval.search import SearchRequest, search
from rules import proving, workflow
from rules.models import Rule, RuleFinding
from tests.builders import a_case_file
from tests.rule_sets import HIDES, SPARES, Judged, judged_sets
from tests.test_rules import ALWAYS, ann, ben, rule, section

pytestmark = pytest.mark.django_db
FIRST, FOURTH, FIFTH, EIGHTH = (f"/us/const/amendment/{n}" for n in ("I", "IV", "V", "VIII"))
WARRANT = [{"kind": "keywords", "value": ["warrant", "police"]}]
LOGGED = [
    "Can the police search my phone without a warrant?",
    "who can declare war",
    "¿Puede la policía entrar en mi casa sin orden judicial?",
    "best pizza dough hydration",
    "amendment IV",
    "police warrants for GPS tracking",
]


@pytest.fixture
def topics(db):
    """Three topics of the open splits and one of the test split."""
    Judgment.objects.all().delete()
    Topic.objects.all().delete()
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


@pytest.fixture
def logged(db):
    SearchLog.objects.all().delete()
    for question in LOGGED:
        search(SearchRequest(text=question))


def draft(*actions: dict | str, criteria=WARRANT, targets=(), **fields) -> Rule:
    made = Rule(
        name=fields.pop("name", "draft"),
        criteria=criteria,
        targets=list(targets),
        actions=[{"kind": action} if isinstance(action, str) else action for action in actions],
        **fields,
    )
    return workflow.save_draft(made, by=None)


def previewed(made: Rule) -> dict:
    return rule_preview.account(rule_preview.of_draft(made, ANONYMOUS, principal="user:1"))


def published_by(made: Rule, ann, ben) -> Rule:
    workflow.propose(made, by=ann, caller=ANONYMOUS)
    return workflow.publish(made, by=ben, caller=ANONYMOUS)


# -- What is asked


def test_the_last_different_questions_of_the_public_are_asked(logged, topics):
    search(SearchRequest(text=LOGGED[0].upper()))
    search(SearchRequest(text="of a key"), Caller(("key:1",)))
    SearchLog.objects.filter(query_text=LOGGED[1]).update(query_text="")
    found = logged_questions()
    assert sorted(question.text.lower() for question in found) == sorted(
        text.lower() for text in LOGGED if text != LOGGED[1]
    )
    assert [question.text for question in logged_questions(2)] == [LOGGED[0].upper(), LOGGED[-1]]


def test_judged_questions_are_of_the_open_splits_and_of_public_domains(topics):
    file = a_case_file("Doe", "The client confessed.")
    private = Topic.objects.create(name="secret", query="Did Doe confess?", domain=file.domain)
    Judgment.objects.create(topic=private, locator="/x", grade=3, judge="ann")
    assert [question.topic.id for question in judged_questions()] == ["t1", "t2", "t3"]
    assert judged_questions(["client_cases"]) == []


# -- What is told is what happens


def shape(answer: dict) -> dict:
    return {
        "locators": [(r["locator"], r["pin"]) for r in answer["results"]],
        "near": [r["locator"] for r in answer["near_misses"]],
        "abstained": answer["abstained"],
        "confident": answer["confident"],
        "notes": [note["text"] for note in answer["rules"]["notes"]],
        "redirect": (answer["rules"]["redirect"] or {}).get("locator"),
    }


def told_shape(page: dict) -> dict:
    return {
        "locators": [(r["locator"], r["pin"]) for r in page["results"]],
        "near": [r["locator"] for r in page["near_misses"]],
        "abstained": page["abstained"],
        "confident": page["confident"],
        "notes": page["notes"],
        "redirect": page["redirect"],
    }


def assert_comes_true(row: RulePreview, take: callable) -> None:
    """Before it is taken answers are as the preview says they are now, then as it says they will be."""
    told = {("log", c["log"]) if "log" in c else ("topic", c["topic"]): c for c in row.changes}
    asked = {tuple(rule_preview.reference(q)): q for q in (*logged_questions(), *judged_questions())}

    def answers() -> dict[tuple, dict]:
        return {
            key: shape(search(SearchRequest(q.text, q.domains, language=q.language or None), fresh=True))
            for key, q in asked.items()
        }

    before = answers()
    take()
    after = answers()
    assert {key for key in asked if before[key] != after[key]} <= told.keys()
    for key, change in told.items():
        assert told_shape(change["before"]) == before[key]
        assert told_shape(change["after"]) == after[key]
    assert told, "it changes something"


KINDS = {
    "pin": dict(actions=[{"kind": "pin", "position": 1}], targets=section(FIRST)),
    "exclude": dict(actions=["exclude"], targets=section(FOURTH)),
    "restrict": dict(actions=["restrict"], targets=section(FIRST, FIFTH)),
    "boost and note": dict(
        actions=[{"kind": "boost", "factor": 50}, {"kind": "note", "text": "See a lawyer."}],
        targets=section(EIGHTH),
    ),
    "bury": dict(actions=[{"kind": "bury", "factor": 90}], targets=section(FOURTH)),
    "alias": dict(actions=["alias"], targets=section(FIRST)),
    "rewrite": dict(actions=[{"kind": "rewrite", "text": "freedom of speech"}]),
    "synonym": dict(actions=[{"kind": "synonym", "text": "religion speech press"}]),
    "redirect": dict(actions=[{"kind": "redirect", "locator": FOURTH}]),
    "abstain": dict(actions=["abstain"]),
    "always": dict(actions=[{"kind": "pin"}], targets=section(FIRST), criteria=ALWAYS),
}


@pytest.mark.parametrize("kind", KINDS)
def test_publishing_does_what_the_preview_said(kind, topics, logged, ann, ben):
    said = dict(KINDS[kind])
    made = draft(*said.pop("actions"), **said)
    row = rule_preview.of_draft(made, ANONYMOUS, principal="user:1")
    assert_comes_true(row, lambda: published_by(made, ann, ben))


def test_an_edit_of_a_published_rule_is_previewed_against_the_version_in_force(
    topics,
    logged,
    rule,
    ann,
    ben,
):
    rule({"kind": "pin"}, targets=section(EIGHTH), criteria=ALWAYS, name="beside it")
    kept = rule({"kind": "pin"}, targets=section(FIRST), criteria=WARRANT)
    kept.criteria = [{"kind": "keywords", "value": ["war", "phone"]}]
    kept.actions = [{"kind": "pin", "position": 3}]
    workflow.save_draft(kept, by=ann)
    row = rule_preview.of_draft(kept, ANONYMOUS, principal="user:1")
    assert_comes_true(row, lambda: published_by(kept, ann, ben))


def test_retiring_does_what_the_preview_said(topics, logged, rule, ann):
    kept = rule("exclude", targets=section(FOURTH), criteria=WARRANT)
    row = rule_preview.of_retiring(kept, principal="user:1")
    assert_comes_true(row, lambda: workflow.retire(kept, by=ann))
    with pytest.raises(workflow.RuleRefused):
        rule_preview.of_retiring(Rule.objects.get(), principal="user:1")


def test_only_questions_that_fire_either_version_are_asked_again(topics, logged, rule, monkeypatch):
    kept = rule({"kind": "pin"}, targets=section(FIRST), criteria=[{"kind": "keywords", "value": ["war"]}])
    kept.criteria = [{"kind": "exact", "value": "best pizza dough hydration"}]
    workflow.save_draft(kept, by=None)
    asked = []
    answer = Asking.answer
    monkeypatch.setattr(
        Asking,
        "answer",
        lambda self, read, rules: asked.append(read.query.original) or answer(self, read, rules),
    )
    previewed(kept)
    assert sorted(asked) == sorted(["who can declare war", "best pizza dough hydration"] * 2)


def test_a_rule_of_another_day_changes_nothing_and_says_so(topics, logged):
    tomorrow = timezone.localdate() + timedelta(days=1)
    told = previewed(draft({"kind": "pin"}, targets=section(FIRST), valid_from=tomorrow))
    assert told["changes"] == [] and any("not in force today" in lack for lack in told["lacks"])


# -- What is measured


def test_the_gain_is_over_all_judged_topics_and_what_is_hidden_is_named(topics, logged):
    told = previewed(draft("exclude", targets=section(FOURTH)))
    assert told["judged"] == {"looked_at": 3, "touched": 1, "changed": 1}
    assert told["logged"]["looked_at"] == 6 and told["logged"]["touched"] == 3
    assert told["ndcg_at_10"]["topics"] == 2 and told["ndcg_at_10"]["difference"] < 0
    (hidden,) = told["hidden"]
    assert (hidden["topic"], hidden["locator"], hidden["grade"]) == ("t1", FOURTH, 3)
    assert hidden["rank_before"] == 1 and hidden["rank_after"] is None
    (change,) = (change for change in told["changes"] if change["topic"])
    assert change["gain"] / 2 == pytest.approx(told["ndcg_at_10"]["difference"])


def test_what_is_only_pushed_down_tells_its_new_rank(topics):
    told = previewed(draft({"kind": "bury", "factor": 100}, targets=section(FOURTH)))
    [hidden] = told["hidden"]
    assert hidden["locator"] == FOURTH and hidden["rank_after"] > 10


def test_words_are_told_only_as_long_as_the_log_keeps_them(topics, logged):
    row = rule_preview.of_draft(draft("exclude", targets=section(FOURTH)), ANONYMOUS, principal="user:1")
    assert not any(LOGGED[0] in str(getattr(row, field.name)) for field in RulePreview._meta.fields)
    assert LOGGED[0] in str(rule_preview.account(row))
    SearchLog.objects.update(query_text="")
    told = rule_preview.account(row)
    assert LOGGED[0] not in str(told) and told["logged"]["changed"] == 3
    assert {change["query"] for change in told["changes"] if not change["topic"]} == {None}


def test_what_the_log_lacks_is_told(topics, logged):
    SearchLog.objects.filter(query_text=LOGGED[1]).update(query_text="")
    told = " ".join(previewed(draft("exclude", targets=section(FOURTH)))["lacks"])
    assert "holds 5 public questions" in told and "1 search is older" in told
    assert "private domains" in told and "test split" in told


# -- Many questions: a job


def test_many_questions_are_asked_by_a_job_in_steps(topics, logged, monkeypatch):
    monkeypatch.setattr(rule_preview, "AT_ONCE", 2)
    monkeypatch.setattr(rule_preview, "BATCH", 3)
    made = draft({"kind": "pin"}, targets=section(FIRST), criteria=ALWAYS)
    row = rule_preview.of_draft(made, ANONYMOUS, principal="user:1")
    assert row.finished_at is None and rule_preview.account(row)["status"] == "running"
    stepped = [(run.position, run.total) for run in jobs.run_here(row.job)]
    assert stepped == [(3, 9), (6, 9), (9, 9)]
    by_job = rule_preview.account(RulePreview.objects.get(pk=row.pk))
    monkeypatch.setattr(rule_preview, "AT_ONCE", 100)
    at_once = previewed(made)
    volatile = ("id", "created_at")
    assert {k: v for k, v in by_job.items() if k not in volatile} == {
        k: v for k, v in at_once.items() if k not in volatile
    }


def test_a_preview_begins_anew_where_rules_are_published_between_its_steps(
    topics,
    logged,
    rule,
    monkeypatch,
):
    monkeypatch.setattr(rule_preview, "AT_ONCE", 2)
    monkeypatch.setattr(rule_preview, "BATCH", 5)
    made = draft({"kind": "pin"}, targets=section(FIRST), criteria=ALWAYS)
    row = rule_preview.of_draft(made, ANONYMOUS, principal="user:1")
    steps = jobs.run_here(row.job)
    next(steps)
    rule({"kind": "pin"}, targets=section(EIGHTH), criteria=ALWAYS, name="meanwhile")
    assert [run.position for run in steps] == [5, 9]
    row = RulePreview.objects.get(pk=row.pk)
    assert all(EIGHTH in str(change["before"]) for change in row.changes)
    assert not rule_preview.account(row)["outdated"]


def test_old_previews_are_deleted(topics):
    row = rule_preview.of_draft(draft({"kind": "pin"}, targets=section(FIRST)), ANONYMOUS, principal="user:1")
    assert rule_preview.prune() == 0
    RulePreview.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(days=8))
    assert rule_preview.prune() == 1


# -- The prover's word


def test_a_rule_that_hides_judged_text_is_told_of_at_save(topics):
    (told,) = hiding.told_at_save(draft("exclude", targets=section(FOURTH), name="No Fourth"), ANONYMOUS)
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
    assert hiding.told_at_save(draft(*said.pop("actions"), **said), ANONYMOUS) == []


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
    return [name for found in hiding.findings_of_all() for name in found.names]


@pytest.mark.parametrize(("name", "judged", "rules"), judged_sets(HIDES))
def test_what_hides_judged_text_in_a_seeded_set_is_found(name, judged, rules, topic_of):
    topic_of(judged)
    assert in_force(rules) == ["a"]


@pytest.mark.parametrize(("name", "judged", "rules"), judged_sets(SPARES))
def test_nothing_is_found_in_a_seeded_set_that_hides_nothing_judged(name, judged, rules, topic_of):
    topic_of(judged)
    assert in_force(rules) == []


def test_every_night_findings_of_this_kind_alone_are_put_anew(topics, rule, monkeypatch):
    monkeypatch.setattr(hiding, "ANSWERS", 1)
    rule("exclude", targets=section(FOURTH), criteria=ALWAYS, name="hides")
    rule({"kind": "pin"}, targets=section(FIRST), criteria=ALWAYS, name="spared")
    proving.check_all()
    others = RuleFinding.objects.count()
    for _night in range(2):
        *_steps, last = jobs.run_here(hiding.find_hidden())
        assert last.status == JobRun.Status.DONE
    (row,) = RuleFinding.objects.filter(kind=hiding.KIND)
    assert row.names == ["hides"] and FOURTH in row.detail
    assert RuleFinding.objects.count() == others + 1
    proving.check_all()
    assert RuleFinding.objects.filter(kind=hiding.KIND).count() == 1
    assert [one.names for one in hiding.findings_of_all()] == [("hides",)]


def test_the_gain_that_others_ask_for_counts_topics_the_change_cannot_touch(topics):
    made = draft("exclude", targets=section(FOURTH))
    asking = Asking()
    change = impact.publishing(made.draft, asking.in_force)
    gained = impact.gain(change, judged_questions(), asking)
    (effect,) = effects(change, judged_questions())
    assert gained.mean == pytest.approx(effect.gain / 2) and gained.mean < 0
