"""What is gathered to learn from and to test on, and which leaks are found."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.learning.pools import (
    FEWEST_OF_A_BODY,
    Gathered,
    LearningPool,
    encoded,
    from_library,
    gathered_for,
    grouped,
    leaks_among,
    learnable,
    neighbours,
    pools_of,
    put_elsewhere,
    row_of,
    unlearned,
    without_names,
)
from evaluation.learning.retraining import request
from evaluation.learning.training import rankings
from evaluation.topics.topic import Topic, read_topics
from retrieval.errors import ArfError, NotFound
from retrieval.models import Domain, Version
from retrieval.stages.reranker.artifact import pack
from retrieval.stages.reranker.features import FEATURES
from rules import published
from rules.models import DomainThreshold
from rules.thresholds.stages import ANY_TEXT, LEARNED
from tests.builders import a_domain
from tests.evaluation.learning.conftest import TOPICS, topic
from tests.rerankers import publish_limits, some_reranker

pytestmark = pytest.mark.django_db


def test_only_what_people_judged_is_learned_from(library):
    topic("t1", "who may vote")
    topic("t2", "who may print money", kind="llm")
    topic("t3", "who may coin money", kind="click")
    topic("t4", "who may declare war", grade=None)
    topic("t5", "who may drive", grade=None, answerable=False)
    topic("t6", "what is free speech", split="tune")
    assert [each.id for each in from_library().learned] == ["t1", "t5"]


def test_the_same_question_twice_is_learned_once_with_the_grades_of_all(library):
    topic("t1", "Who may vote?", grade=1)
    topic("t2", "who may  vote?", grade=3)
    [only] = from_library().learned
    assert (only.id, only.relevant) == ("t1", {"/us/const/amendment/I": 1})


def test_topics_of_private_domains_are_not_gathered(library):
    topic("t1", "who may vote", domain=Domain.objects.get(slug="client_cases"))
    assert from_library() == Gathered((), ())


def asked_of(*domains: str, source: str = "shipped") -> list[Topic]:
    return [
        Topic(f"{domain} {n}", f"question {n}", domain=domain, source=source)
        for domain in domains
        for n in range(FEWEST_OF_A_BODY)
    ]


def test_what_ships_as_unanswerable_is_put_to_every_body_that_enough_was_asked_of():
    few = [Topic("few", "q", domain="cases", source="shipped")]
    pie = Topic("pie", "apple pie", domain="laws", answerable=False, source="shipped")
    staffs = Topic("theirs", "apple tart", domain="laws", answerable=False, source="staff")
    theirs = asked_of("state law", source="staff")
    assert put_elsewhere([*asked_of("laws", "rules"), *few, *theirs, pie, staffs]) == [replace(pie, domain="rules")]


def test_what_has_an_answer_in_a_body_is_not_put_to_it_as_unanswerable():
    pie = Topic("pie", "Apple pie?", domain="laws", answerable=False, source="shipped")
    found = Topic("found", "apple pie", domain="rules", source="staff")
    assert put_elsewhere([*asked_of("laws", "rules"), pie, found]) == []


def test_an_unanswerable_question_put_to_many_bodies_is_known_once():
    pie = Topic("pie", "apple pie", domain="laws", answerable=False)
    vector = np.eye(1, 3, dtype=np.float32)[0]
    none = np.zeros((0, 0), np.float32)
    pools = [LearningPool(t, vector, (), none, False) for t in (pie, replace(pie, domain="rules"))]
    assert neighbours(pools).unanswerable.shape == (1, 3)


def test_a_live_question_near_a_test_topic_is_set_aside(library):
    topic("kept", "Can the police search my phone?", split="test")
    topic("asked", "can police search my phone", source="search")
    topic("other", "who may vote", source="search")
    gathered = from_library()
    assert ([each.id for each in gathered.learned], gathered.aside) == (["other"], ("asked",))


def test_nothing_is_learned_of_a_body_that_is_tested_on_though_others_ask_nearly_the_same(library):
    leases = {"domain": a_domain(slug="leases")}
    topic("roof", "who repairs the roof", split="train", group="repairs", **leases)
    topic("other words", "must he mend what leaks", split="train", group="repairs")
    topic("heating", "who repairs the heating", split="tune", **leases)
    topic("frozen", "who pays for the repairs", split="test", **leases)
    topic("near", "Who repairs the roof?", split="train")
    topic("other", "who may vote", split="train")
    gathered = gathered_for(request(without="leases")["params"])
    assert ([each.id for each in gathered.learned], gathered.aside) == (["other"], ("near",))
    assert {each.id for each in gathered.tested} == {"roof", "heating"}
    with pytest.raises(NotFound, match="no domain lease"):
        gathered_for({"without": "lease"})


def test_a_body_of_which_nothing_was_learned_is_ordered_as_any_text():
    pools = [LearningPool(Topic("t", "q"), None, (), np.zeros((0, 0)), False, blend) for blend in (0.9, 0.6)]
    assert [pool.blend for pool in unlearned(pools)] == [ANY_TEXT.blend, 0.6]


def test_the_shipped_topics_leak_nothing():
    gathered = from_library()
    assert len(gathered.learned) >= 500 and len(gathered.tested) >= 330
    assert leaks_among(gathered, dry_run=False) == []


@pytest.mark.django_db
def test_a_challenger_is_compared_in_the_order_that_its_domain_would_show():
    publish_limits(blend=0.0)
    [topic] = [t for t in read_topics(TOPICS, split="train") if t.answerable][:1]
    [pool] = pools_of([topic])
    assert pool.blend == 0.0
    fused = [pool.locators[n] for n in np.argsort([-c.score for c in pool.candidates], kind="stable")]
    assert rankings(pack(some_reranker(), seed=1), [pool]) == [fused]


@pytest.mark.django_db
def test_a_first_training_orders_as_will_be_served_once_it_is_learned_from():
    DomainThreshold.objects.update(active=False)
    Version.count_up("thresholds")
    assert pools_of(read_topics(TOPICS, split="train")[:1])[0].blend == LEARNED.blend == 0.9


def test_too_few_topics_are_refused(pools):
    with pytest.raises(ArfError, match="too few to learn from"):
        learnable(pools[:20])


def test_topics_of_one_group_are_never_on_both_sides(pools):
    for inside, outside in grouped(pools, 5):
        assert not {pools[n].topic.group for n in inside} & {pools[n].topic.group for n in outside}


def test_no_topic_votes_for_itself_in_training(pools):
    column = FEATURES.index("votes_best_neighbour")
    alone = [pool for pool in pools if pool.topic.relevant and pool.vector is not None][:60]
    served = [row_of(pool, neighbours(alone))[:, column].max() for pool in alone]
    learned = [rows[:, column].max() for rows in encoded(alone)]
    assert np.mean(served) > 0.99
    assert np.mean(learned) < 0.9


def test_questions_without_an_answer_are_known_and_have_no_vote(pools):
    known = neighbours(pools)
    declined = [pool for pool in pools if not pool.topic.answerable and pool.vector is not None]
    assert declined and len(known.unanswerable) == len(declined) and all(known.relevant)
    assert known.likeness(declined[0].vector) < 0


def test_where_few_provisions_have_names_some_questions_are_learned_from_without(monkeypatch):
    topics = [topic for topic in read_topics(TOPICS, split="train") if topic.answerable][:60]
    assert without_names(topics) == {}
    monkeypatch.setattr(published, "names_most", lambda *_: False)
    nameless = without_names(topics)
    assert 10 < len(nameless) < 30
    asked = next(topic for topic in topics if topic.id in nameless)
    assert nameless[asked.id] == frozenset(asked.relevant)
    near = FEATURES.index("alias_near_score")
    for hidden, has_names in (({}, True), (nameless, False)):
        [pool] = pools_of([asked], nameless=hidden)
        right = [row[near] for row, locator in zip(pool.rows, pool.locators, strict=True) if locator in asked.relevant]
        assert (max(right, default=0.0) > 0) == has_names
