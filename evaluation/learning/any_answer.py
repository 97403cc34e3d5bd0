"""Fits the probability that any of several bodies of law answers, on topics that the reranker has not learned from: by
hand what ships, and as a job, after each training, what serves beside the reranker in force and the bodies loaded.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

import numpy as np

from evaluation.learning import logistic, registry
from evaluation.learning.pools import library_topics
from evaluation.learning.retraining import Checkpoints, time_for_more
from evaluation.measuring.runs import Runner, stated_language
from evaluation.topics.split_conflicts import NewTopic, not_to_learn
from evaluation.topics.topic import Topic
from retrieval import pipeline
from retrieval.errors import ArfError
from retrieval.jobs import Job, Progress
from retrieval.models import JobRun, RankerModel
from retrieval.pipeline import run_stage, searched
from retrieval.ranking import Ranking
from retrieval.text.normalization import normalize
from rules.logistic import Logistic, shipped
from rules.thresholds.each_domain import FEATURES, FILE, EachDomain, signs

FEW_DECLINED = 0.025  # of answerable topics: each body declines some more by itself
DOUBTED = 0.05  # of answerable topics, those declined among them: shown, but not quoted as an answer
FEWEST = 40  # topics with an answer, and without one: of fewer the weights that ship tell more
TOPICS = 10  # searched in one piece


def fit(topics: Iterable[Topic], *, show: Callable = iter) -> logistic.Fitted:
    """A topic's group is either learned from or held out. Raises ArfError where nothing can be told of topics."""
    runner = Runner("once")
    asked = [(topic, told) for topic in show(list(topics)) if (told := signs_of(runner, topic)) is not None]
    if len({topic.answerable for topic, _ in asked}) < 2:
        raise ArfError(
            "Both answerable topics and others are needed, asked of several bodies of law with a reranker."
        )
    return fitted([topic for topic, _ in asked], np.array([told for _, told in asked]))


def fitted(topics: Sequence[Topic], rows: np.ndarray) -> logistic.Fitted:
    answerable = np.array([topic.answerable for topic in topics])
    groups = [topic.group or topic.id for topic in topics]
    return logistic.fit(rows, answerable, FEATURES, few=FEW_DECLINED, unsure=DOUBTED, groups=groups)


def to_fit_on(found: Sequence[Topic]) -> list[Topic]:
    """Without test topics and what asks the same as one, without what the reranker learned from, and without what one
    body leaves open and another answers.
    """
    found = registry.not_learned(found)
    asked = [NewTopic(topic.query, topic.split, topic.group) for topic in found]
    kept_away = not_to_learn(asked)
    answered = {normalize(topic.query) for topic in found if topic.answerable}
    return [
        topic
        for topic, one in zip(found, asked, strict=True)
        if one not in kept_away and (topic.answerable or normalize(topic.query) not in answered)
    ]


def signs_of(runner: Runner, topic: Topic) -> np.ndarray | None:
    """What tells of a question put to every body of law. None where that is not asked."""
    ranking = Ranking(runner.query(topic.query, (), stated_language(topic.language)))
    stages = pipeline.get(runner.name).stages
    each = next(stage for stage in stages if isinstance(stage, EachDomain))
    ranking = reduce(lambda so_far, stage: run_stage(stage, so_far), stages[: stages.index(each)], ranking)
    if ranking.final or not searched(ranking) or len(ranking.query.filled) < 2:
        return None
    return signs(ranking.query, each.found(ranking))


# -- The job


class FitAnyAnswer(Job):
    """Puts every tune topic to all bodies of law, and keeps what is fitted with the reranker that serves, where it
    tells better than what ships.
    """

    def step(self, run: JobRun) -> Progress:
        kept = Checkpoints(run)
        if run.state.get("features") != list(FEATURES):  # begun now, or by a release with other features
            return begin(kept)
        return ask(run, kept) if run.position < run.total else keep(run, kept)


def begin(kept: Checkpoints) -> Progress:
    model, topics = registry.active(), to_fit_on(library_topics("tune"))
    if model is None or not topics:
        return Progress(
            1, 1, "Nothing to fit: no reranker serves, or there are no tune topics.", finished=True
        )
    kept.run.checkpoints.all().delete()  # of a reranker that serves no more
    kept.save_topics(topics)
    state = {"model": model.pk, "features": list(FEATURES)}
    return Progress(0, len(topics), f"{len(topics)} tune topics gathered", state)


def ask(run: JobRun, kept: Checkpoints) -> Progress:
    topics, position, has_time = kept.topics(), run.position, time_for_more(run)
    runner = Runner("once")
    while position < run.total:
        told = [signs_of(runner, topic) for topic in topics[position : position + TOPICS]]
        kept.save_json(f"signs {position:06}", [None if one is None else one.tolist() for one in told])
        position += len(told)
        if not has_time():
            break
    return Progress(position, run.total, f"{position} of {run.total} topics searched", run.state)


def keep(run: JobRun, kept: Checkpoints) -> Progress:
    if not (serving := RankerModel.objects.filter(pk=run.state["model"], status=RankerModel.Status.ACTIVE)):
        return begin(kept)  # another serves by now, beside which it is fitted anew
    told = zip(kept.topics(), kept.in_order("signs "), strict=True)
    asked = [(topic, np.array(signs)) for topic, signs in told if signs is not None]
    if not asked:
        message = "Nothing to fit: no question is put to several bodies of law."
    else:
        row, message = outcome(asked)
        serving.update(any_answer=row)
    return Progress(run.total, run.total, message, finished=True)


def outcome(asked: Sequence[tuple[Topic, np.ndarray]]) -> tuple[dict | None, str]:
    """What is fitted if it is better, else what ships with bounds for what is loaded, or None for its own; and why."""
    counts = [sum(topic.answerable is kind for topic, _ in asked) for kind in (True, False)]
    if min(counts) < FEWEST:
        told = f"{counts[0]} questions with an answer and {counts[1]} without one are too few"
        return None, f"What ships serves: {told}."
    topics, rows = [topic for topic, _ in asked], np.array([signs for _, signs in asked])
    ships = shipped(FILE, FEATURES)
    made, before = fitted(topics, rows), area(ships, topics, rows)
    compared = f"AUC {made.auc:.3f} held out, {before:.3f} by what ships"
    if made.auc <= before:
        row = bounded_here(ships, topics, rows)
        return row, f"What ships serves: {compared}; its minimum is {row['minimum']:.3f} here."
    return made.row, (
        f"Serves: {compared}; {made.right_below:.1%} of what is answered and {made.wrong_below:.1%} of the rest "
        "lie below its minimum."
    )


def bounded_here(weights: Logistic, topics: Sequence[Topic], rows: np.ndarray) -> dict:
    """These weights with bounds below which as few topics with an answer lie as of what is fitted."""
    answered = [weights.of(row) for topic, row in zip(topics, rows, strict=True) if topic.answerable]
    minimum, sure = np.quantile(answered, [FEW_DECLINED, DOUBTED])
    by_name = dict(zip(FEATURES, map(float, weights.weights), strict=True))
    return {"minimum": float(minimum), "sure": float(sure), "intercept": weights.intercept, "weights": by_name}


def area(weights: Logistic, topics: Sequence[Topic], rows: np.ndarray) -> float:
    """Under the curve of true and false positives (AUC)."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score([topic.answerable for topic in topics], rows @ weights.weights))
