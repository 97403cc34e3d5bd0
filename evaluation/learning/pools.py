"""What is learned from: judged topics, gathered without any that leaked from the test; each topic's candidates before
any learned order, by running the pipeline up to the reranker; and the rows, fold by fold: a topic's row is never made
from its own judgments.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import median_low
from types import MappingProxyType
from zlib import crc32

import numpy as np
from django.conf import settings
from django.db.models import QuerySet

from evaluation.measuring.measures import credited, measure_each
from evaluation.measuring.runs import Runner
from evaluation.models import Topic as TopicRow
from evaluation.topics.leaks import leaks
from evaluation.topics.library import SHIPPED, as_topics, require_domain, still_asked
from evaluation.topics.topic import SEARCHED, Topic, digest, judged_irrelevant, positive, read_topics
from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.statements import current_versions
from retrieval.engines.cross_encoders import probabilities as sigmoid
from retrieval.errors import ArfError, gettext_noop
from retrieval.indexes.terms import texts_of
from retrieval.models import Domain
from retrieval.ranking import UNSET, Candidate, Ranking, Thresholds
from retrieval.stages.reranker.artifact import Scored
from retrieval.stages.reranker.features import (
    FEATURES,
    JudgedNeighbours,
    JudgedQuestion,
    of_judgments,
    of_text,
)
from retrieval.stages.reranker.reranker import asked
from retrieval.text.normalization import normalize
from rules import published
from rules.thresholds.stages import ANY_TEXT, LEARNED


@dataclass(frozen=True, slots=True)
class Gathered:
    """Topics to learn from and to test on, and live questions set aside for being too near a test topic."""

    learned: tuple[Topic, ...]
    tested: tuple[Topic, ...]
    aside: tuple[str, ...] = ()


def gathered_for(params: dict) -> Gathered:
    """What a retrain with these parameters learns from."""
    if params.get("topics"):
        return from_file(params)
    return without_body(params["without"]) if "without" in params else from_library()


def from_library() -> Gathered:
    searched = set(public().filter(source=SEARCHED).values_list("name", flat=True))
    return set_aside(Gathered(*(tuple(library_topics(split)) for split in ("train", "test"))), searched)


def without_body(domain: str) -> Gathered:
    """The train topics of all other bodies of law, to be tested on this one's train and tune topics: how a body fares
    of which nothing was learned. What asks the same of another body, or nearly so, is left out. Raises NotFound.
    """
    require_domain(domain)
    tested = [topic for split in ("train", "tune") for topic in library_topics(split) if topic.domain == domain]
    groups = {topic.group for topic in tested} - {""}
    others = (topic for topic in library_topics("train") if topic.domain != domain)
    learned = [topic for topic in others if topic.group not in groups]
    return set_aside(Gathered(tuple(learned), tuple(tested)), {topic.id for topic in learned})


def library_topics(split: str) -> list[Topic]:
    """Topics of public domains with judgments of people; never those of models or clicks, which learn from us."""
    rows = public().filter(split=split).select_related("domain").order_by("name")
    return judged(as_topics(rows))


def public() -> QuerySet[TopicRow]:
    return still_asked(TopicRow.objects.filter(domain__in=Domain.objects.visible_to(ANONYMOUS)))


def judged(topics: Iterable[Topic]) -> list[Topic]:
    """Those with a relevant provision, or known to have none; the same question twice is merged into one."""
    same: dict[tuple[str, str], list[Topic]] = defaultdict(list)
    for topic in topics:
        if topic.relevant or not topic.answerable:
            same[topic.domain, normalize(topic.query)].append(topic)
    return [merged(group) for group in same.values()]


def merged(topics: Sequence[Topic]) -> Topic:
    """The first of them with the grades of all, the lower median where they differ."""
    if len(topics) == 1:
        return topics[0]
    grades: dict[str, list[int]] = defaultdict(list)
    for topic in topics:
        for locator, grade in topic.judged.items():
            grades[locator].append(grade)
    agreed = {locator: median_low(given) for locator, given in sorted(grades.items())}
    return replace(
        topics[0],
        relevant=positive(agreed),
        irrelevant=judged_irrelevant(agreed),
        answerable=any(topic.answerable for topic in topics),
    )


def set_aside(gathered: Gathered, unchosen: set[str]) -> Gathered:
    """Leaves out topics near a test topic whose split nobody chose, as of live questions. Any others are a leak."""
    near = {leak.learned for leak in leaks(queries(gathered.learned), queries(gathered.tested))}
    aside = {topic.id for topic in gathered.learned if topic.id in unchosen and topic.query in near}
    learned = tuple(topic for topic in gathered.learned if topic.id not in aside)
    return replace(gathered, learned=learned, aside=tuple(sorted(aside)))


def from_file(params: dict) -> Gathered:
    """Topics by their own `split`, or, with `test_from`, by the year in `term`, without what is near a later one."""
    path = Path(params["topics"])
    if not path.is_file():
        raise ArfError(f"There is no file {path}.")
    try:
        topics = read_topics(path)
    except (ValueError, ArfError) as problem:
        raise ArfError(f"{path.name} cannot be read: {problem}") from problem
    if (first := params.get("test_from")) is None:
        splits = ([topic for topic in topics if topic.split == split] for split in ("train", "test"))
        return Gathered(*(tuple(judged(split)) for split in splits))
    late = since(path, first)
    gathered = Gathered(
        learned=tuple(judged(topic for topic in topics if topic.id not in late)),
        tested=tuple(judged(topic for topic in topics if topic.id in late)),
    )
    return set_aside(gathered, {topic.id for topic in topics})


def since(path: Path, first: int) -> set[str]:
    """Ids of a file's topics from this year (`term`) on. Raises ArfError where a topic has none."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if any(type(row.get("term")) is not int for row in rows):
        raise ArfError(f"To divide {path.name} by year, each of its topics needs one in “term”.")
    return {str(row["id"]) for row in rows if row["term"] >= first}


def put_elsewhere(topics: Sequence[Topic]) -> list[Topic]:
    """The shipped questions that no body of law here answers, put to every other body that enough shipped ones ask of,
    so that it learns what it does not answer; none that is known to have an answer there. Of law that questions of
    staff alone are asked of nobody has said that it does not answer those that ship.
    """
    shipped = [topic for topic in topics if topic.source == SHIPPED]
    asked = Counter(topic.domain for topic in shipped if topic.answerable)
    answered = {(topic.domain, normalize(topic.query)) for topic in topics if topic.answerable}
    return [
        replace(topic, domain=domain)
        for domain in sorted(domain for domain, count in asked.items() if count >= FEWEST_OF_A_BODY)
        for topic in shipped
        if not (topic.answerable or topic.domain == domain or (domain, normalize(topic.query)) in answered)
    ]


def leaks_among(gathered: Gathered, *, dry_run: bool) -> list[str]:
    """Every leak in words. What may be deployed must not have learned from the library's test topics either."""
    kept = [*queries(gathered.tested)]
    if not dry_run:
        public = TopicRow.objects.filter(domain__in=Domain.objects.visible_to(ANONYMOUS))
        kept += public.filter(split=TopicRow.Split.TEST).values_list("query", flat=True)
    return [*paraphrases(gathered), *(str(leak) for leak in leaks(queries(gathered.learned), kept))]


def paraphrases(gathered: Gathered) -> list[str]:
    """Topics of a group that is tested on, however differently they are worded."""
    groups = {topic.group: topic.query for topic in gathered.tested if topic.group}
    return [f"“{t.query}” paraphrases “{groups[t.group]}”" for t in gathered.learned if t.group in groups]


def queries(topics: Iterable[Topic]) -> list[str]:
    return [topic.query for topic in topics]


def counted(gathered: Gathered) -> dict:
    tested = [{"id": topic.id, "query": topic.query, "relevant": topic.relevant} for topic in gathered.tested]
    return {
        "learned": len(gathered.learned),
        "judgments": sum(len(topic.judged) for topic in gathered.learned),
        "tested": len(gathered.tested),
        "aside": list(gathered.aside),
        "test_digest": digest(tested),
    }


# -- Their candidates

FEWEST_OF_A_BODY = 20  # topics of each kind: a body of law with fewer declines by what all bodies teach
FEWEST = 50  # answerable topics: with fewer there is nothing to learn
HELD_OUT = "held_out.json"  # beside a cross-encoder: what models that had not seen its topics read in them
NAMELESS = 3  # one of so many questions is learned from without names
DEPTH = 60  # candidates of a topic that are learned from: what is ranked lower is hardly ever relevant
FOLDS = 5
ENCODING_FOLDS = 10


@dataclass(frozen=True)
class LearningPool:
    """A topic's candidates before any learned order. `rows`: the features that are the same whoever judged what;
    `blend`: the share that its domain gives the learned probability.
    """

    topic: Topic
    vector: np.ndarray | None
    candidates: tuple[Candidate, ...]
    rows: np.ndarray
    final: bool
    blend: float = UNSET.blend

    @cached_property
    def labels(self) -> np.ndarray:
        """1 where a candidate is relevant: it is, lies under, or closely holds a judged provision."""
        grades = self.topic.judged
        return np.array([credited(locator, grades) is not None for locator in self.locators], dtype=int)

    @property
    def locators(self) -> list[str]:
        return [candidate.locator for candidate in self.candidates]


def pools_of(
    topics: Iterable[Topic],
    *,
    name: str = "pool",
    show: Callable = iter,
    nameless: Mapping[str, frozenset[str]] = MappingProxyType({}),
) -> list[LearningPool]:
    """Runs the pipeline up to the reranker over topics of any domains. `nameless`: locators whose curated names are
    passed over, by topic id.
    """
    runner, unseen = Runner(name), held_out_readings()
    ranked = (
        (topic, runner.topic(topic, nameless=nameless.get(topic.id, frozenset()))) for topic in show(list(topics))
    )
    return [pool_of(topic, as_unseen(ranking, unseen.get(topic.id, {}))) for topic, ranking in ranked]


def without_names(topics: Sequence[Topic]) -> dict[str, frozenset[str]]:
    """What is right for some topics, by their ids, which are learned from as if it had no curated names. What is asked
    of most is what is named and judged most, so nothing else would teach the reranker to find what has no names in a
    body of law where few provisions have some.
    """
    versions = current_versions()
    asked_of = Domain.objects.filter(slug__in={topic.domain for topic in topics})
    partly = {domain.slug for domain in asked_of if not published.names_most(domain.pk, versions)}
    return {
        topic.id: frozenset(topic.relevant)
        for topic in topics
        if topic.domain in partly and crc32(topic.id.encode()) % NAMELESS == 0
    }


def held_out_readings() -> dict[str, dict[str, float]]:
    """Logits by topic and locator which lie beside the configured cross-encoder, if it learned from judgments here."""
    folder = settings.ARF_CROSS_ENCODER["model_dir"]
    file = Path(folder, HELD_OUT)
    return json.loads(file.read_text(encoding="utf-8")) if folder and file.is_file() else {}


def as_unseen(ranking: Ranking, logits: Mapping[str, float]) -> Ranking:
    """With these in place of what the cross-encoder says of a question that it learned from."""
    read = [
        each.but(scores={**each.scores, "cross_encoder": float(sigmoid(logits[each.locator]))})
        if each.locator in logits and "cross_encoder" in each.scores
        else each
        for each in ranking.candidates
    ]
    return ranking.with_candidates(read)


def pool_of(topic: Topic, ranking: Ranking) -> LearningPool:
    query, candidates = ranking.query, ranking.candidates[:100]
    return LearningPool(
        topic=topic,
        vector=query.vector,
        candidates=candidates,
        rows=of_text(asked(query), candidates, texts_of(query, candidates)),
        final=ranking.final,
        blend=blend_learned(query.thresholds.get(query.domains[0].id, UNSET)),
    )


def unlearned(pools: Sequence[LearningPool]) -> list[LearningPool]:
    """As those of a body of law are ordered of which nothing was learned and nothing published."""
    return [replace(pool, blend=ANY_TEXT.blend) if pool.blend == LEARNED.blend else pool for pool in pools]


def blend_learned(thresholds: Thresholds) -> float:
    """The blend once a reranker has learned from these pools."""
    return (LEARNED if thresholds is ANY_TEXT else thresholds).blend


def learnable(pools: Sequence[LearningPool]) -> list[LearningPool]:
    """What there is to learn from. Raises ArfError for too few topics."""
    usable = [pool for pool in pools if not pool.final and pool.candidates]
    answerable = [pool for pool in usable if pool.topic.answerable]
    if len(answerable) < FEWEST:
        raise ArfError(
            gettext_noop("%(count)s answerable topics are too few to learn from: %(fewest)s are needed."),
            count=len(answerable),
            fewest=FEWEST,
        )
    return usable


def ndcg_of(orders: Sequence[Sequence[str]], pools: Sequence[LearningPool]) -> np.ndarray:
    """nDCG@10 of the answerable topics, in the order of the pools."""
    answerable = [
        (order, pool.topic.judged)
        for order, pool in zip(orders, pools, strict=True)
        if pool.topic.answerable
    ]
    return np.array([values["nDCG@10"] for values in measure_each(answerable, ["nDCG@10"])])


def ranked(pool: LearningPool, scored: Scored) -> list[str]:
    """Locators in the order that serving would show."""
    return [pool.locators[n] for n in places(pool, scored)]


def places(pool: LearningPool, scored: Scored) -> np.ndarray:
    """The candidates' numbers in that order."""
    order = scored.order(np.array([c.score for c in pool.candidates]), pool.blend)
    ids = np.array([c.section_id for c in pool.candidates])
    return np.lexsort((ids, -order))


def unjudged(raw: np.ndarray) -> Scored:
    """Of a question that nobody judged, before any calibration."""
    return Scored(raw, raw, np.zeros_like(raw))


# -- Folds


@dataclass(frozen=True, slots=True)
class Division:
    """Rows and labels to learn from, and the rows of the topics held out (`sizes` of them a topic)."""

    learned: np.ndarray
    labels: np.ndarray
    unseen: np.ndarray
    sizes: np.ndarray

    @property
    def unseen_by_topic(self) -> list[np.ndarray]:
        return np.split(self.unseen, np.cumsum(self.sizes)[:-1])


def division(usable: Sequence[LearningPool], number: int) -> Division:
    """A fold of the cross-validation, whose rows saw only its inside; the last, FOLDS, learns from all."""
    inside, outside = folds_of(usable)[number]
    learned, held_out = [usable[n] for n in inside], [usable[n] for n in outside]
    voters = neighbours(learned)
    unseen = [row_of(pool, voters) for pool in held_out]
    return Division(
        learned=np.vstack([rows[:DEPTH] for rows in encoded(learned)]),
        labels=np.concatenate([pool.labels[:DEPTH] for pool in learned]),
        unseen=np.vstack(unseen) if unseen else np.zeros((0, len(FEATURES)), dtype=np.float32),
        sizes=np.array([len(rows) for rows in unseen], dtype=int),
    )


def folds_of(usable: Sequence[LearningPool]) -> list[tuple[np.ndarray, np.ndarray]]:
    everything = np.arange(len(usable)), np.zeros(0, dtype=int)
    return [*grouped(usable, FOLDS), everything]


def grouped(pools: Sequence[LearningPool], folds: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(inside, outside) indices; paraphrases of one question are on the same side."""
    from sklearn.model_selection import GroupKFold

    return GroupKFold(folds).split(pools, groups=[pool.topic.group or pool.topic.id for pool in pools])


def encoded(pools: Sequence[LearningPool]) -> list[np.ndarray]:
    """The rows to learn from. Votes and priors of each topic come from topics of other folds, as at serving they
    come from other people's questions. (Leaving out the topic alone would give its own answers the lower prior,
    and the model would learn that from it.)
    """
    rows: list[np.ndarray] = [np.zeros(0)] * len(pools)
    for inside, outside in grouped(pools, ENCODING_FOLDS):
        voters = neighbours([pools[n] for n in inside])
        for n in outside:
            rows[n] = row_of(pools[n], voters)
    return rows


def row_of(pool: LearningPool, voters: JudgedNeighbours) -> np.ndarray:
    return np.hstack([pool.rows, of_judgments(pool.vector, pool.locators, voters)])


def neighbours(pools: Sequence[LearningPool]) -> JudgedNeighbours:
    """The judged topics as voters, and how often each provision was relevant."""
    known = [pool for pool in pools if pool.vector is not None]
    voting = [pool for pool in known if pool.topic.relevant]
    prior = Counter(locator for pool in voting for locator in pool.topic.relevant)
    return JudgedNeighbours(
        vectors=as_kept(voting),
        relevant=tuple(dict(pool.topic.relevant) for pool in voting),
        prior=dict(prior),
        questions=tuple(question_of(pool.topic) for pool in voting),
        unanswerable=as_kept(list({p.topic.id: p for p in known if not p.topic.answerable}.values())),
    )


def as_kept(pools: Sequence[LearningPool]) -> np.ndarray:
    """(pools, dims) float32: the questions' vectors with as many bits as an artifact keeps."""
    return np.array([pool.vector for pool in pools], dtype=np.float32).astype(np.float16).astype(np.float32)


def question_of(topic: Topic) -> JudgedQuestion:
    return JudgedQuestion(topic.domain, topic.language, "" if topic.source == SEARCHED else topic.query)


def in_order_of_pools(usable: Sequence[LearningPool], by_fold: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Held-out probabilities a pool, from those of each fold in turn, topic after topic."""
    held_out: list[np.ndarray] = [np.zeros(0)] * len(usable)
    for (_inside, outside), given in zip(folds_of(usable), by_fold, strict=False):
        ends = np.cumsum([len(usable[n].candidates) for n in outside])
        for n, probabilities in zip(outside, np.split(given, ends[:-1]), strict=True):
            held_out[n] = probabilities
    return held_out
