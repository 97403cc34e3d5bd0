"""Fits the probability that what was found answers, on topics that the reranker has not learned from and on questions
spoiled on purpose; and measures what looking again recovers of these, and what it costs all others.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from evaluation.learning import logistic, registry
from evaluation.measuring.measures import credited, measure_topic
from evaluation.measuring.runs import Runner, stated_language
from evaluation.topics.topic import Topic, read_topics
from retrieval.errors import ArfError
from retrieval.ranking import Ranking
from rules.sufficiency.stage import FEATURES, UntilSufficient, features

SPOILED = Path(__file__).parents[1] / "measuring" / "spoiled_questions.jsonl"
STATED_ENGLISH = "stated en"  # a tag: the caller says that the question is English, and it is not
RIGHT_AMONG = 3  # first results, one of which is relevant where a question is answered
FEW_NEEDLESS = 0.03  # of questions answered rightly at once, those that may be looked up again
STRENGTH = 0.5  # C of the logistic


def spoiled(split: str) -> list[Topic]:
    """Train topics with typos, a wrong citation or a wrong body of law; Spanish idiom; vague questions."""
    return read_topics(SPOILED, split=split)


def asked(runner: Runner, topic: Topic) -> Ranking:
    language = "en" if STATED_ENGLISH in topic.tags else stated_language(topic.language)
    return runner.ranking(topic.query, (topic.domain,), language)


def is_right(topic: Topic, ranking: Ranking) -> bool:
    """Whether an answer is shown, and one of its first results is relevant."""
    first = [] if ranking.abstained else ranking.candidates[:RIGHT_AMONG]
    return any(credited(candidate.locator, topic.judged) for candidate in first)


def fit(topics: Iterable[Topic], *, show: Callable = iter) -> logistic.Fitted:
    """Learns from the pipeline that looks once. Right answers are examples; wrong ones and topics without an answer are
    counterexamples, whether they were declined or not. Raises ArfError where nothing can be told of topics.
    """
    if not registry.serves():  # asked before hundreds of searches are made
        raise ArfError("Nothing can be learned: no reranker serves.")
    runner = Runner("once")
    told = [
        (features(ranking), is_right(topic, ranking))
        for topic in show(list(topics))
        if not (ranking := asked(runner, topic)).final and ranking.answer is not None
    ]
    if not told:
        raise ArfError("Nothing can be learned: a citation answers every question.")
    rows, right = (np.array(column) for column in zip(*told, strict=True))
    return logistic.fit(rows, right, FEATURES, few=FEW_NEEDLESS, strength=STRENGTH)


def recovery(topics: Sequence[Topic], *, show: Callable = iter) -> dict:
    """What looking again makes of these questions: of those wrong at once how many became right, of those right at once
    how many were looked up again and how many became wrong, and nDCG@10 before and after.
    """
    once, again = Runner("once"), Runner("default")
    told: Counter = Counter()
    values = {"once": [], "default": []}
    for topic in show(list(topics)):
        before, after = asked(once, topic), asked(again, topic)
        was, now, tried = is_right(topic, before), is_right(topic, after), tries(after) > 0
        told["right at once" if was else "wrong at once"] += topic.answerable
        told["recovered"] += topic.answerable and now and not was
        told["spoilt"] += topic.answerable and was and not now
        told["needless"] += topic.answerable and was and tried
        told["looked again"] += tried
        told["unanswerable"] += not topic.answerable
        told["declined at once"] += not topic.answerable and before.abstained
        told["declined"] += not topic.answerable and after.abstained
        if after.corrected:
            told["corrected by " + ", ".join(after.corrected)] += 1
        if topic.answerable:
            for name, ranking in (("once", before), ("default", after)):
                shown = [] if ranking.abstained else [c.locator for c in ranking.candidates]
                values[name].append(measure_topic(shown, topic.judged)["nDCG@10"])
    return dict(told) | {f"nDCG@10 {name}": round(float(np.mean(v)), 4) for name, v in values.items() if v}


def tries(ranking: Ranking) -> int:
    return sum(
        int(report.details.get("tries", 0)) for report in ranking.reports if report.name == UntilSufficient.__name__
    )
