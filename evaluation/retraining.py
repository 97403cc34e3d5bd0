"""Retraining as a job: a challenger is trained on judgments of people, compared on the frozen test split, and
deployed only if the gate lets it. Steps are short, and may run again:

1. gather: merge and deduplicate judged topics; refuse if a test query, or a near-duplicate, is among them
2. pool: run the pipeline up to the reranker over all topics, some at a time
3. fold: every family on a fold of a grouped cross-validation inside the training split, a fold a step
4. train: the family that these figures choose, on all
5. compare: both models rank the test topics; refuse if a model has seen one of them
6. decide: deploy, put in shadow or keep, and say why

Steps take seconds, not moments: between two of them a worker waits for the queue.
"""

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median_low

import numpy as np
from django.utils import timezone

from evaluation import registry, training
from evaluation.gate import Decision, Paired, decide
from evaluation.leaks import leaks
from evaluation.library import as_topics
from evaluation.measures import estimate, measure_each, risk_coverage
from evaluation.models import RetrainingRun
from evaluation.models import Topic as TopicRow
from evaluation.pooled import Workfiles
from evaluation.topics import SEARCHED, Topic, digest, judged_irrelevant, positive, read_topics
from evaluation.training import Pool, Trained
from retrieval import jobs
from retrieval.errors import ArfError
from retrieval.jobs import Job, Progress
from retrieval.models import Domain, JobRun, RankerModel
from retrieval.ranking import ANONYMOUS
from retrieval.reranking import BadArtifact
from retrieval.textnorm import normalize

KEY = "retrain"  # one at a time
BATCH = 200  # topics a step: about four seconds; each later step counts as much in the job's progress
SAME = 0.999  # cosine from which two questions are one, half precision allowed for
TOLD = ("nDCG@10", "MRR@10", "P@1", "R@5")
SHOWN_LEAKS = 10

Outcome = RetrainingRun.Outcome


def request(
    *, dry_run: bool = False, shadow: bool = False, topics: str = "", test_from: int | None = None
) -> dict:
    """`topics`: a JSON lines file in place of the library; `test_from`: its topics since this term are the test."""
    params = {"dry_run": dry_run, "shadow": shadow, "topics": topics, "test_from": test_from}
    return {"kind": "retrain", "key": KEY, "params": params}


class Retrain(Job):
    """The job; its RetrainingRun is named in `state`."""

    def step(self, run: JobRun) -> Progress:
        reopen(run)
        return STEPS[run.state.get("phase", "gather")](run, Workfiles(run.pk))

    def undo(self, run: JobRun) -> None:
        Workfiles(run.pk).clear()
        close(run, "Cancelled.")

    def failed(self, run: JobRun) -> None:
        close(run, run.error)


def every_month() -> int:
    """What the schedule runs; gives the job's number, a running one's if there is one."""
    try:
        return jobs.enqueue(**request()).pk
    except jobs.AlreadyRunning as running:
        return running.run.pk


def close(run: JobRun, reason: str) -> None:
    """Says why the attempt of this job stopped; one that stopped before it was written down is so now."""
    attempt = RetrainingRun.objects.filter(pk=run.state.get("attempt")).first()
    attempt = attempt or RetrainingRun(requested_by=run.requested_by, report={"job": run.pk, **run.params})
    finish(attempt, Outcome.FAILED, reason)


def reopen(run: JobRun) -> None:
    """A failed job that was resumed goes on with its attempt."""
    stopped = RetrainingRun.objects.filter(pk=run.state.get("attempt"), outcome=Outcome.FAILED)
    stopped.update(outcome=Outcome.RUNNING, reason="", finished_at=None)


def abandon() -> None:
    """Closes attempts left open: jobs of this kind never run together, so none of them goes on."""
    open_runs = RetrainingRun.objects.filter(outcome=Outcome.RUNNING)
    reason = "Left unfinished; another was begun."
    open_runs.update(outcome=Outcome.FAILED, reason=reason, finished_at=timezone.now())


# -- 1. Gather


@dataclass(frozen=True, slots=True)
class Gathered:
    """Topics to learn from and to test on, and live questions set aside for being too near a test topic."""

    learned: tuple[Topic, ...]
    tested: tuple[Topic, ...]
    aside: tuple[str, ...] = ()


def gather(run: JobRun, files: Workfiles) -> Progress:
    abandon()
    gathered = from_file(run.params) if run.params.get("topics") else from_library()
    attempt = RetrainingRun.objects.create(
        champion=registry.active(),
        requested_by=run.requested_by,
        report={"job": run.pk, **run.params, "gathered": counted(gathered)},
    )
    if found := leaks_among(gathered, dry_run=run.params.get("dry_run", False)):
        return refuse(run, files, attempt, found)
    if not gathered.tested:
        raise ArfError("There is no judged topic to test on.")
    topics = [*gathered.learned, *gathered.tested]
    files.clear()
    files.save_topics(topics)
    state = {"phase": "pool", "attempt": attempt.pk, "learned": len(gathered.learned)}
    total = len(topics) + BATCH * (training.FOLDS + 3)
    return Progress(0, total, f"{len(topics)} judged topics gathered", state)


def from_library() -> Gathered:
    """Topics of public domains with judgments of people; never those of models or clicks, which learn from us."""
    rows = TopicRow.objects.filter(domain__in=Domain.objects.visible_to(ANONYMOUS))
    by_split = {
        split: judged(as_topics(rows.filter(split=split).select_related("domain").order_by("name")))
        for split in ("train", "test")
    }
    searched = set(rows.filter(source=SEARCHED).values_list("name", flat=True))
    return set_aside(Gathered(tuple(by_split["train"]), tuple(by_split["test"])), searched)


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
    first = params.get("test_from")
    try:
        topics = read_topics(path)
        late = set() if first is None else since(path, first)
    except ValueError as problem:
        raise ArfError(f"{path.name} cannot be read: {problem}") from problem
    if first is None:
        splits = ([topic for topic in topics if topic.split == split] for split in ("train", "test"))
        return Gathered(*(tuple(judged(split)) for split in splits))
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


def refuse(run: JobRun, files: Workfiles, attempt: RetrainingRun, found: Sequence[str]) -> Progress:
    """Nothing is reported of a model that knows the answers."""
    more = f" … and {len(found) - SHOWN_LEAKS} more" if len(found) > SHOWN_LEAKS else ""
    reason = f"Test topics are in training: {'; '.join(found[:SHOWN_LEAKS])}{more}"
    attempt.challenger = None
    finish(attempt, Outcome.REFUSED, reason)
    files.clear()
    return done(run, attempt)


def finish(attempt: RetrainingRun, outcome: str, reason: str) -> None:
    attempt.outcome, attempt.reason, attempt.finished_at = outcome, reason, timezone.now()
    attempt.save()


def done(run: JobRun, attempt: RetrainingRun) -> Progress:
    message = f"{attempt.get_outcome_display()}: {attempt.reason}"
    total = run.total or 1
    return Progress(total, total, message, {"attempt": attempt.pk}, finished=True)


# -- 2. Pool


def pool(run: JobRun, files: Workfiles) -> Progress:
    topics = files.topics()
    batch = topics[run.position : run.position + BATCH]
    files.save_pools(run.position, training.pools_of(batch))
    position = run.position + len(batch)
    phase = "fold" if position >= len(topics) else "pool"
    message = f"{position} of {len(topics)} topics searched"
    return Progress(position, run.total, message, run.state | {"phase": phase, "fold": 0})


# -- 3. Fold, 4. train


def fold(run: JobRun, files: Workfiles) -> Progress:
    number = run.state["fold"]
    files.save_scored(number, training.scored(learnable(run, files), number))
    phase = "fold" if number + 1 < training.FOLDS else "train"
    message = f"{number + 1} of {training.FOLDS} folds cross-validated"
    state = run.state | {"phase": phase, "fold": number + 1}
    return Progress(run.position + BATCH, run.total, message, state)


def train(run: JobRun, files: Workfiles) -> Progress:
    held_out = [files.scored(number) for number in range(training.FOLDS)]
    trained = training.finished(learnable(run, files), held_out)
    files.save_artifact(trained.artifact, trained.manifest)
    message = f"{trained.manifest['family']} trained"
    return Progress(run.position + BATCH, run.total, message, run.state | {"phase": "compare"})


def learnable(run: JobRun, files: Workfiles) -> list[Pool]:
    return training.learnable(files.pools()[: run.state["learned"]])


# -- 5. Compare


@dataclass(frozen=True, slots=True)
class Compared:
    """The test topics' measures by system: "fused" is the order that the reranker is given."""

    pools: tuple[Pool, ...]
    measures: dict[str, list[dict[str, float]]]
    decision: Decision
    ece: float
    ms: float
    reliability: list[dict]
    risk_coverage: list[tuple[float, float]]


def compare(run: JobRun, files: Workfiles) -> Progress:
    attempt = RetrainingRun.objects.get(pk=run.state["attempt"])
    tested = files.pools()[run.state["learned"] :]
    artifact, manifest = files.artifact()
    champion = attempt.champion
    known = {"challenger": (artifact, manifest)}
    if champion:
        known["champion"] = (bytes(champion.artifact), champion.manifest)
    found = [f"{name}: {leak}" for name, model in known.items() for leak in leaks_into(*model, tested)]
    if found:
        return refuse(run, files, attempt, found)
    compared = measured(tested, artifact, known.get("champion", (None,))[0])
    attempt.report |= {"manifest": manifest, "sha256": sha256(artifact), **told(compared)}
    attempt.save(update_fields=["report"])
    message = compared.decision.reasons[0]
    return Progress(run.position + BATCH, run.total, message, run.state | {"phase": "decide"})


def leaks_into(artifact: bytes, manifest: dict, tested: Sequence[Pool]) -> list[str]:
    """Test topics that an artifact carries or was trained on, and priors that no judged neighbour accounts for."""
    names = {pool.topic.id: pool.topic.query for pool in tested}
    try:
        judged_by = training.opened(artifact).judged
    except BadArtifact:
        judged_by = None  # of another code's features: it cannot serve, and is not compared
    seen = sorted({*manifest.get("topics", ())} & set(names))
    found = [f"“{names[name]}” by its name {name}" for name in seen]
    if judged_by is not None:
        found += [
            f"“{query}” among the judged neighbours" for query in neighbouring(judged_by.vectors, tested)
        ]
        if not accounted_for(judged_by.prior, judged_by.relevant):
            found.append("priors that its judged neighbours do not account for")
    return found


def neighbouring(vectors: np.ndarray, tested: Sequence[Pool]) -> list[str]:
    asked = [pool for pool in tested if pool.vector is not None]
    if not asked or not len(vectors):
        return []
    cosines = np.array([pool.vector for pool in asked]) @ vectors.T
    return [pool.topic.query for pool, best in zip(asked, cosines.max(axis=1), strict=True) if best >= SAME]


def accounted_for(prior: dict[str, int], relevant: Sequence[dict[str, int]]) -> bool:
    counts: dict[str, int] = defaultdict(int)
    for grades in relevant:
        for locator in grades:
            counts[locator] += 1
    return dict(prior) == dict(counts)


def measured(tested: Sequence[Pool], challenger: bytes, champion: bytes | None) -> Compared:
    """Both models on the same pools; without a champion that can serve, what is served is the fused order. The time is
    the processor's, so that a busy machine does not speak against a model.
    """
    answerable = tuple(pool for pool in tested if pool.topic.answerable)
    started = time.thread_time()
    orders = {"challenger": training.rankings(challenger, answerable)}
    ms = (time.thread_time() - started) * 1000 / max(len(answerable), 1)
    orders["fused"] = [pool.locators for pool in answerable]
    orders["champion"] = served(champion, answerable)
    relevant = [pool.topic.relevant for pool in answerable]
    measures = {name: measure_each(zip(given, relevant, strict=True)) for name, given in orders.items()}
    scored = [pool for pool in tested if pool.candidates and not pool.settled]
    probabilities = training.probabilities(challenger, scored)
    ece = training.expected_calibration_error(scored, probabilities)
    return Compared(
        pools=answerable,
        measures=measures,
        decision=decide(paired(answerable, measures), ece=ece, ms=ms),
        ece=ece,
        ms=ms,
        reliability=training.reliability(scored, probabilities),
        risk_coverage=risk_coverage(training.answers(challenger, scored)),
    )


def served(champion: bytes | None, pools: Sequence[Pool]) -> list[list[str]]:
    if champion is not None:
        try:
            return training.rankings(champion, pools)
        except BadArtifact:
            pass  # it reads other features than this code gives, so searches are served without it
    return [pool.locators for pool in pools]


def paired(pools: Sequence[Pool], measures: dict[str, list[dict[str, float]]]) -> list[Paired]:
    rows = zip(pools, measures["champion"], measures["challenger"], strict=True)
    return [
        Paired(p.topic.id, ours["nDCG@10"], theirs["nDCG@10"], slices_of(p.topic), p.topic.tags)
        for p, ours, theirs in rows
    ]


def slices_of(topic: Topic) -> tuple[str, ...]:
    """What may veto: kind, language, domain."""
    return tuple(name for name in (topic.kind, topic.language, topic.domain) if name)


def told(compared: Compared) -> dict:
    """The comparison as the run's page shows it."""
    means = {
        system: {name: asdict(estimate([row[name] for row in rows])) for name in TOLD}
        for system, rows in compared.measures.items()
    }
    return {
        "decision": asdict(compared.decision),
        "measures": means,
        "reciprocal_ranks": by_slice(compared, "MRR@10"),
        "per_topic": {
            row.topic: [round(row.champion, 4), round(row.challenger, 4)]
            for row in paired(compared.pools, compared.measures)
        },
        "ece": compared.ece,
        "reliability": compared.reliability,
        "risk_coverage": compared.risk_coverage,
        "ms": round(compared.ms, 3),
    }


def by_slice(compared: Compared, measure: str) -> dict[str, dict[str, float]]:
    groups: dict[str, list[int]] = defaultdict(list)
    for n, pool_ in enumerate(compared.pools):
        for name in (*slices_of(pool_.topic), *pool_.topic.tags):
            groups[name].append(n)
    return {
        name: {
            system: round(float(np.mean([rows[n][measure] for n in numbers])), 4)
            for system, rows in compared.measures.items()
        }
        for name, numbers in sorted(groups.items())
    }


def sha256(artifact: bytes) -> str:
    return hashlib.sha256(artifact).hexdigest()


# -- 6. Decide


def decide_on(run: JobRun, files: Workfiles) -> Progress:
    """A dry run registers nothing. A champion changed meanwhile by a person is never replaced."""
    attempt = RetrainingRun.objects.get(pk=run.state["attempt"])
    deploy, reasons = attempt.report["decision"]["deploy"], " ".join(attempt.report["decision"]["reasons"])
    if run.params.get("dry_run"):
        verdict = "it would be deployed" if deploy else "it would not be deployed"
        finish(attempt, Outcome.KEPT, f"Dry run, {verdict}. {reasons}")
    else:
        attempt.challenger = registry.save(Trained(*files.artifact()))
        finish(attempt, *carried_out(attempt, deploy, reasons, shadow=run.params.get("shadow", False)))
    files.clear()
    return done(run, attempt)


def carried_out(attempt: RetrainingRun, deploy: bool, reasons: str, *, shadow: bool) -> tuple[str, str]:
    """Does what was decided; the outcome and why."""
    champion: RankerModel | None = registry.active()
    if attempt.challenger == champion:
        return Outcome.KEPT, "Nothing new: training gave the model that serves already."
    if champion != attempt.champion:
        return Outcome.KEPT, f"The champion changed meanwhile: retrain again. {reasons}"
    if not deploy:
        return Outcome.KEPT, reasons
    if shadow:
        registry.shadow(attempt.challenger)
        return Outcome.SHADOW, reasons
    if attempt.challenger.deployed_at:  # somebody may have rolled it back: a schedule must not undo that
        return Outcome.KEPT, f"This very model served before: deploy it by hand if it shall again. {reasons}"
    registry.deploy(attempt.challenger)
    return Outcome.DEPLOYED, reasons


STEPS: dict[str, Callable[[JobRun, Workfiles], Progress]] = {
    "gather": gather,
    "pool": pool,
    "fold": fold,
    "train": train,
    "compare": compare,
    "decide": decide_on,
}


def last_comparison() -> list[Paired]:
    """The library's test topics in the last finished comparison on them, as the model that serves since measured."""
    attempt = RetrainingRun.objects.filter(report__has_key="per_topic", report__topics="").first()
    if attempt is None:
        raise ArfError("Nothing has been compared yet: run `manage.py retrain` first.")
    rows = TopicRow.objects.filter(name__in=attempt.report["per_topic"]).select_related("domain")
    slices = {row.name: (row.kind, row.language, row.domain.slug) for row in rows}
    which = 1 if attempt.outcome == Outcome.DEPLOYED else 0
    return [
        Paired(name, values[which], values[which], slices.get(name, ()))
        for name, values in attempt.report["per_topic"].items()
    ]
