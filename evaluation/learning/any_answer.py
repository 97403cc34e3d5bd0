"""Fits the probability that any of several bodies of law answers, on topics that the reranker has not learned from: by
hand what ships, and as a job, after each training, what serves beside the reranker in force and the bodies loaded. The
job also counts which body each question was told to be about before any was searched.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import reduce

import numpy as np
from django.utils import timezone

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
from rules.thresholds.likely import likeliest

FEW_DECLINED = 0.025  # of answerable topics: each body declines some more by itself
DOUBTED = 0.05  # of answerable topics, those declined among them: shown, but not quoted as an answer
FEWEST = 40  # topics with an answer, and without one: of fewer the weights that ship tell more
TOPICS = 10  # searched in one piece
PIPELINE = "once"
KEY = "any_answer"  # also of the job before it, which fits what tells the bodies apart: one at a time


def fit(topics: Iterable[Topic], *, show: Callable = iter) -> logistic.Fitted:
    """A topic's group is either learned from or held out. Raises ArfError where nothing can be told of topics."""
    runner = Runner(PIPELINE)
    told_of = ((topic, signs_of(placed(runner, topic))) for topic in show(list(topics)))
    asked = [(topic, told) for topic, told in told_of if told is not None]
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
    """Without what the reranker learned from, and what `untested` leaves out."""
    return untested(registry.not_learned(found))


def untested(found: Sequence[Topic]) -> list[Topic]:
    """Without test topics and what asks the same as one, and without what one body leaves open and another answers."""
    asked = [NewTopic(topic.query, topic.split, topic.group) for topic in found]
    kept_away = not_to_learn(asked)
    answered = {normalize(topic.query) for topic in found if topic.answerable}
    return [
        topic
        for topic, one in zip(found, asked, strict=True)
        if one not in kept_away and (topic.answerable or normalize(topic.query) not in answered)
    ]


def placed(runner: Runner, topic: Topic) -> Ranking | None:
    """A question put to every body of law, with what is known of it before any is searched. None where it is not asked
    of several.
    """
    stages = pipeline.get(runner.name).stages
    before = stages[: stages.index(search_of(runner.name))]
    ranking = Ranking(runner.query(topic.query, (), stated_language(topic.language)))
    ranking = reduce(lambda so_far, stage: run_stage(stage, so_far), before, ranking)
    is_asked = not ranking.final and searched(ranking) and len(ranking.query.filled) > 1
    return ranking if is_asked else None


def search_of(name: str) -> EachDomain:
    return next(stage for stage in pipeline.get(name).stages if isinstance(stage, EachDomain))


def signs_of(ranking: Ranking | None) -> np.ndarray | None:
    """What tells of it whether any body answers. None where that is not asked."""
    return None if ranking is None else signs(ranking.query, search_of(PIPELINE).found(ranking))


def pair_of(topic: Topic, ranking: Ranking | None) -> tuple[str, str] | None:
    """The public body that answers and the one that was told likeliest, by their slugs; None where neither is known."""
    found = likeliest(ranking.query) if ranking and topic.answerable else None
    is_public = found and any(d.slug == topic.domain and not d.private for d in ranking.query.filled)
    return (topic.domain, found.slug) if is_public else None


def counted(pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """A confusion matrix: of the questions that each body answers, how many were told to be about each."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for answers, told in pairs:
        counts[answers][told] += 1
    return {answers: dict(its) for answers, its in counts.items()}


# -- The job


class FitAnyAnswer(Job):
    """Puts every tune topic to all bodies of law, and keeps what is fitted with the reranker that serves, where it
    tells better than what ships. In its manifest it keeps which body each topic was told to be about.
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
    runner = Runner(PIPELINE)
    while position < run.total:
        asked = [(topic, placed(runner, topic)) for topic in topics[position : position + TOPICS]]
        told = [signs_of(ranking) for _, ranking in asked]
        pairs = filter(None, (pair_of(topic, ranking) for topic, ranking in asked))
        kept.save_json(f"pairs {position:06}", list(pairs))
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
    keep_confusion(serving.get(), counted(kept.in_order("pairs ")))
    return Progress(run.total, run.total, message, finished=True)


def keep_confusion(model: RankerModel, counts: dict[str, dict[str, int]]) -> None:
    model.manifest["confusion"] = {"measured_at": timezone.now().isoformat(), "counts": counts}
    model.save(update_fields=["manifest"])


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
