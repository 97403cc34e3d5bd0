"""What a topic was answered with, as every measure reads it. Pure."""

from evaluation.measuring.results import TopicResult
from evaluation.topics.topic import Topic

TOPIC = Topic("t", "q", relevant={"/a": 3}, irrelevant=frozenset({"/b"}))


def result(*locators: str, abstained: bool = False) -> TopicResult:
    probabilities = (0.9, 0.4, None)[: len(locators)]
    return TopicResult(TOPIC, locators, abstained, 1.0, 0.9, (), probabilities=probabilities)


def test_what_was_declined_shows_nothing_and_measures_nothing():
    declined = result("/a", abstained=True)
    assert declined.shown == () and declined.values["nDCG@10"] == 0
    assert declined.judged is None and declined.reliability == []


def test_each_probability_on_the_page_stands_beside_what_was_judged():
    assert result("/b", "/a/1", "/c").reliability == [(0.9, False), (0.4, True)]


def test_what_nobody_judged_is_taken_out_where_that_is_asked_for():
    found = result("/c", "/a")
    assert found.values["MRR@10"] == 0.5 and found.condensed["MRR@10"] == 1 and found.judged == 0.5
