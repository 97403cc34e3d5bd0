"""Which pair a judge grades next."""

import pytest
from django.contrib.auth.models import Group, User

from evaluation.judging import assignment, grading
from evaluation.judging.implicit_feedback import (
    searches_to_topics,
)
from evaluation.learning import registry
from evaluation.learning.training import Trained
from evaluation.models import Judgment, Measurement, Run, Topic
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Domain, SearchLog, Section, Trace
from retrieval.models.access import caller_for
from retrieval.request import SearchRequest
from retrieval.search.service import search
from retrieval.stages.reranker.artifact import pack
from tests.builders import nothing_judged
from tests.rerankers import publish_limits, some_reranker

pytestmark = pytest.mark.django_db
FIFTH, FOURTH = "/us/const/amendment/V", "/us/const/amendment/IV"
TWICE = "Can I be tried twice for the same crime?"


def staff(name: str, group: str = "Judge") -> User:
    user = User.objects.create_user(name, password="a long password", is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    return user


@pytest.fixture(autouse=True)
def empty_library(db):
    """Without the topics that ship."""
    nothing_judged()


@pytest.fixture
def ann():
    return staff("ann")


@pytest.fixture
def ben():
    return staff("ben")


@pytest.fixture
def chief(client):
    user = staff("chief", "Curator")
    client.force_login(user)
    return user


def topic(query: str = TWICE, **fields) -> Topic:
    domain = Domain.objects.get(slug="us_constitution")
    fields = {"name": f"t{Topic.objects.count()}", "domain": domain} | fields
    return Topic.objects.create(query=query, **fields)


def section(locator: str) -> Section:
    return Section.objects.get(locator=locator, live=True, valid_to=None)


def grade(asked: Topic, locator: str, grade: int, user: User, explanation: str = "") -> Judgment:
    return grading.judge(asked, section(locator), None, grade, user, explanation)


def test_without_anything_else_unjudged_pairs_of_a_first_page_come(ann):
    asked = topic()
    pair = assignment.next_pair(ann)
    assert (pair.topic, pair.why) == (asked, "first page")
    assert pair.locator in assignment.pool(asked, ANONYMOUS).first


def test_every_pair_of_a_pool_is_offered_once_and_then_none(ann, monkeypatch):
    monkeypatch.setattr(assignment, "_found", assignment._found.__wrapped__)  # what it keeps has another depth
    monkeypatch.setattr(assignment, "DEPTH", 4)
    monkeypatch.setattr(assignment, "FIRST", 2)
    asked, seen = topic(), []
    while pair := assignment.next_pair(ann):
        seen.append(pair.locator)
        grade(asked, pair.locator, 0, ann)
    found = assignment.pool(asked, ANONYMOUS)
    assert sorted(seen) == sorted(found.locators)
    assert set(seen[:2]) == set(found.first)


def test_the_topic_with_the_least_judged_at_10_comes_first(ann, ben, settings):
    settings.ARF_DOUBLE_JUDGED_PERCENT = 0
    well, badly = topic(name="a"), topic("Who becomes president?", name="b")
    grade(badly, FIFTH, 0, ben)
    grade(badly, FOURTH, 0, ben)
    assert assignment.next_pair(ann).topic == well  # nothing measured: the fewest judgments
    run = Run.objects.create(pipeline="default", stages="", topics="all")
    shown = [FIFTH, FOURTH]
    grade(well, FIFTH, 3, ben)
    Measurement.objects.create(run=run, topic="a", locators=shown)
    Measurement.objects.create(run=run, topic="b", locators=["/us/const/preamble", *shown])
    badly_share = assignment.judged_shares([well, badly])
    assert badly_share == {"a": 0.5, "b": pytest.approx(2 / 3)}
    assert assignment.next_pair(ann).topic == well
    assert assignment.next_pair(ann, prefer=badly).topic == badly


def test_skipped_pairs_do_not_come_again(ann):
    asked = topic()
    pair = assignment.next_pair(ann)
    assert assignment.next_pair(ann, skipped=[(asked.pk, pair.locator)]).locator != pair.locator


def test_a_share_of_what_one_person_judged_is_offered_to_a_second(ann, ben, settings):
    asked = topic()
    settings.ARF_DOUBLE_JUDGED_PERCENT = 100
    grade(asked, FIFTH, 3, ann)
    assert (assignment.next_pair(ben).locator, assignment.next_pair(ben).why) == (FIFTH, "twice")
    assert assignment.next_pair(ann).why == "first page"
    settings.ARF_DOUBLE_JUDGED_PERCENT = 0
    assert assignment.next_pair(ben).why == "first page"


def test_about_a_fifth_is_judged_twice(settings):
    share = sum(assignment.is_judged_twice(number, FIFTH) for number in range(2000)) / 2000
    assert share == pytest.approx(0.2, abs=0.03)


def test_pairs_two_judges_disagree_on_go_to_a_third(ann, ben, chief):
    asked = topic()
    grade(asked, FIFTH, 3, ann, "it says so")
    grade(asked, FIFTH, 1, ben)
    grade(asked, FOURTH, 1, ann)
    grade(asked, FOURTH, 0, ben)
    pair = assignment.next_pair(chief)
    assert (pair.locator, pair.why) == (FIFTH, "disagreement")
    [row] = grading.disagreements(caller_for(chief))
    assert [judgment.judge for judgment in row.judgments] == ["ann", "ben"]
    with pytest.raises(grading.CannotJudge):
        grading.adjudicate(row, 2, ann, "")
    grading.adjudicate(row, 3, chief, "plainly")
    assert grading.disagreements(caller_for(chief)) == []
    [settled] = grading.disagreements(caller_for(chief), settled=True)
    assert settled.decision.grade == 3


def asked_by_a_reader(text: str = TWICE) -> SearchLog:
    answer = search(SearchRequest(text), ANONYMOUS, channel="page", fresh=True)
    return SearchLog.objects.get(pk=answer["trace_id"])


def make_unsure(log: SearchLog, locator: str) -> None:
    trace = Trace.objects.get(log=log)
    for candidate in trace.detail["candidates"]:
        candidate["zone"] = "uncertain" if candidate["locator"] == locator else "accepted"
    trace.save()


def test_uncertain_candidates_of_real_searches_come_first(ann):
    topic(name="a")
    log = asked_by_a_reader("Can the police search my phone? Mail me at ann@example.org")
    make_unsure(log, FIFTH if FIFTH in log.top_locators else log.top_locators[3])
    assert searches_to_topics() == 1
    made = Topic.objects.get(source="search")
    assert (made.split, made.kind, made.name) == ("train", "search", f"search-{log.query_hash}")
    assert "ann@example.org" not in made.query
    pair = assignment.next_pair(ann)
    assert (pair.topic, pair.why) == (made, "uncertain")
    assert [pair.locator] == assignment.uncertain_locators(made)
    assert searches_to_topics() == 0


def test_what_the_reranker_was_unsure_of_by_its_domains_limits_is_judged():
    registry.deploy(registry.save(Trained(pack(some_reranker(), seed=1), {"family": "a test"})))
    unsure = publish_limits(mlp_low=0.3, mlp_high=0.7)
    log = asked_by_a_reader()
    weighed = {c["locator"]: c["probability"] for c in Trace.objects.get(log=log).detail["candidates"][:20]}
    assert searches_to_topics() == 1
    assert assignment.uncertain_locators(Topic.objects.get()) == [
        locator for locator, p in weighed.items() if unsure.mlp_low < p < unsure.mlp_high
    ]


def test_before_there_is_a_reranker_the_gates_say_what_is_to_be_verified():
    publish_limits(verify=0.0, accept=1.0, confident=1.0)
    log = asked_by_a_reader()
    gates = {c["locator"]: c["gate"] for c in Trace.objects.get(log=log).detail["candidates"][:20]}
    assert "B" in gates.values()
    assert searches_to_topics() == 1
    assert assignment.uncertain_locators(Topic.objects.get()) == [
        name for name, gate in gates.items() if gate == "B"
    ]


def test_what_a_declined_search_nearly_found_waits_for_questions_with_an_answer(ann):
    log = asked_by_a_reader("how do I repot a cactus")
    assert log.abstained
    assert searches_to_topics() == 1
    made = Topic.objects.get()
    assert assignment.uncertain_locators(made) == []
    answered = topic()
    assert assignment.next_pair(ann).topic == answered
    assert assignment.next_pair(ann, prefer=made).topic == made


def test_a_pool_joins_what_pipelines_find_and_what_was_judged(ann, ben):
    asked = topic()
    before = assignment.pool(asked, caller_for(ann))
    outside = Section.objects.readable(ANONYMOUS).results().exclude(locator__in=before.locators).first()
    grade(asked, outside.locator, 0, ben)
    after = assignment.pool(asked, caller_for(ann))
    assert 20 <= len(before.locators) <= 60
    assert FIFTH in before.first
    assert set(after.locators) == {*before.locators, outside.locator}


def test_each_judge_has_an_order_of_their_own_and_keeps_it(ann, ben):
    asked = topic()
    candidates = assignment.pool(asked, ANONYMOUS)
    assert candidates.shuffled(asked, ann) == candidates.shuffled(asked, ann)
    assert candidates.shuffled(asked, ann) != candidates.shuffled(asked, ben)
    assert candidates.shuffled(asked, ann) != list(candidates.locators)


def order_of_turns(user: User, times: int) -> list[tuple[str, str]]:
    """The topic and the cause of so many pairs, each skipped for the next."""
    seen: list[assignment.Pair] = []
    while len(seen) < times and (
        pair := assignment.next_pair(
            user,
            prefer=seen[-1].topic if seen else None,
            skipped=[(old.topic.pk, old.locator) for old in seen],
        )
    ):
        seen.append(pair)
    return [(pair.topic.name, pair.why) for pair in seen]


def test_a_few_candidates_of_an_unanswerable_question_come_after_what_has_an_answer(ann):
    topic("how do I repot a cactus", name="a")
    topic(name="b")
    turns = order_of_turns(ann, 16)
    assert turns == [("b", "first page")] * 10 + [("a", "first page")] * 5 + [("b", "pool")]


def test_the_few_are_the_likeliest_and_head_the_judges_order(ann):
    asked = topic("how do I repot a cactus")
    found = assignment.pool(asked, ANONYMOUS)
    assert found.doubtful and len(found.first) == assignment.FEW
    assert set(found.shuffled(asked, ann)[: assignment.FEW]) == set(found.first)
    assert len(found.locators) > assignment.FEW


def test_what_was_declined_when_measured_comes_last_though_nothing_of_it_is_judged(ann, monkeypatch):
    monkeypatch.setattr(assignment, "PASSED_OVER", 0)  # only what is known before a search orders
    topic("how do I repot a cactus", name="a")
    topic(name="b")
    run = Run.objects.create(pipeline="default", stages="", topics="all")
    Measurement.objects.create(run=run, topic="a", abstained=True)
    Measurement.objects.create(run=run, topic="b", locators=["/us/const/preamble"])
    assert assignment.next_pair(ann).topic.name == "b"


def test_what_a_judge_calls_unanswered_is_not_offered_to_them_and_late_to_others(ann, ben, settings):
    settings.ARF_DOUBLE_JUDGED_PERCENT = 0
    doubted, other = topic(name="a"), topic("Who becomes president?", name="b")
    grading.nothing_answers(doubted, {section(FOURTH): None}, ann)
    assert {name for name, _why in order_of_turns(ann, 12)} == {other.name}
    assert assignment.next_pair(ben).topic == other
    assert len(assignment.pool(doubted, ANONYMOUS).first) == assignment.FEW


def test_a_judge_may_keep_to_one_domain(ann):
    topic(name="a")
    elsewhere = topic("What is a ship?", name="b", domain=Domain.objects.get(slug="us_code"))
    assert assignment.next_pair(ann, domain="us_constitution").topic.name == "a"
    assert assignment.next_pair(ann, domain="us_constitution", prefer=elsewhere).topic.name == "a"


def test_a_spanish_topic_is_shown_in_english_too(ann):
    asked = topic("¿Qué edad debe tener el presidente?", language="es")
    assert "president" in assignment.pool(asked, ANONYMOUS).translated.lower()
