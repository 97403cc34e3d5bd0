"""What tells whether evidence suffices is learned from questions that were answered and from spoiled ones."""

import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluation.learning import registry, sufficiency
from evaluation.learning.sufficiency import STATED_ENGLISH, Topic, fit, is_right, recovery, spoiled
from evaluation.learning.training import Trained
from evaluation.topics.topic import read_topics
from retrieval.errors import ArfError
from retrieval.models import Section
from retrieval.ranking import Candidate, Query, Ranking
from retrieval.stages.reranker.artifact import pack
from tests.conftest import ROOT
from tests.evaluation.learning.conftest import topic
from tests.rerankers import some_reranker

pytestmark = pytest.mark.django_db
KINDS = {"typos": 60, "wrong act": 40, "wrong domain": 40, "spanish idiom": 30, "vague": 30}


def test_the_spoiled_questions_are_whole_and_of_no_test_topic():
    rows = [*spoiled("train"), *spoiled("test")]
    assert Counter(topic.kind for topic in rows) == KINDS
    known = set(Section.objects.live().values_list("locator", flat=True))
    assert all(topic.relevant and set(topic.relevant) <= known for topic in (*rows, *spoiled("tune")))
    assert len(spoiled_of(rows)) == 140 and spoiled_of(rows) <= shipped("train")
    assert len(spoiled_of(spoiled("tune"))) == 70 and spoiled_of(spoiled("tune")) <= shipped("tune")


def spoiled_of(rows) -> set[str]:
    return {topic.narrative.removeprefix("spoils ") for topic in rows if topic.narrative}


def shipped(split: str) -> set[str]:
    data = ROOT / "evaluation/topics/data"
    names = ("us_constitution", "us_constitution_lay")
    return {topic.id for name in names for topic in read_topics(data / f"{name}.jsonl", split=split)}


def ranking(*locators: str, **changes) -> Ranking:
    found = tuple(Candidate(n, locator=locator) for n, locator in enumerate(locators))
    return Ranking(Query("q", "q", "q", "en", ()), found, **changes)


def test_right_is_what_is_shown_and_relevant_among_the_first_three():
    topic = Topic("t", "q", relevant={"/a": 3})
    assert is_right(topic, ranking("/b", "/c", "/a"))
    assert not is_right(topic, ranking("/b", "/c", "/d", "/a"))
    assert not is_right(topic, ranking("/a", abstained=True))


def test_without_a_reranker_there_is_nothing_to_learn_and_the_command_says_so():
    with pytest.raises(CommandError, match="no reranker serves"):
        call_command("train_sufficiency")


def test_where_citations_answer_every_question_there_is_nothing_to_learn(db):
    registry.deploy(registry.save(Trained(pack(some_reranker(), seed=1), {"family": "a test"})))
    with pytest.raises(ArfError, match="a citation answers"):
        fit([Topic("c", "U.S. Const. amend. IV")])


def measured(split: str) -> dict:
    told = StringIO()
    call_command("train_sufficiency", measure=split, stdout=told)
    return json.loads(told.getvalue())


def test_a_question_that_nobody_judged_yet_is_neither_right_nor_wrong(library, monkeypatch):
    monkeypatch.setattr(sufficiency, "spoiled", lambda split: [])
    topic("judged", "can the police search my phone", split="tune")
    topic("unjudged", "what is a bill of attainder", grade=None, split="tune")
    told = measured("tune")["topics"]
    assert sum(told.get(f"{kind} at once", 0) for kind in ("right", "wrong")) == 1


def test_of_a_body_of_law_without_topics_nothing_is_learned():
    with pytest.raises(CommandError, match="no tune topics for us_cod"):
        call_command("train_sufficiency", "us_cod")


def test_a_question_asked_of_the_wrong_body_of_law_is_recovered_and_one_that_is_well_is_asked_once():
    topics = [
        Topic(
            "w", "can the police search my phone", domain="us_code", relevant={"/us/const/amendment/IV": 3}
        ),
        Topic("r", "can the police search my phone", relevant={"/us/const/amendment/IV": 3}),
        Topic("s", "me catearon la casa", tags=(STATED_ENGLISH,), relevant={"/us/const/amendment/IV": 3}),
    ]
    told = recovery(topics)
    assert "corrected by " not in told
    assert told["recovered"] >= 1 and told["spoilt"] == told["needless"] == 0
    assert told["corrected by SearchEverywhere"] >= 1
    assert told["nDCG@10 default"] > told["nDCG@10 once"]
