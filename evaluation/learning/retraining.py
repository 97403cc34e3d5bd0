"""Retraining as a job: a challenger is trained on judgments of people, compared on the frozen test split, and
deployed only if the gate lets it. Each step may run again, and on another node:

1. gather: load shipped topics and names whose law has come, and embed these batch by batch; merge and
   deduplicate judged topics; refuse if a test query, or a near-duplicate, is among the training queries
2. pool: run the pipeline up to the reranker over all topics
3. fold: fit every family on every fold of a grouped cross-validation inside the training split
4. choose: the family that ranks the held-out topics best
5. train: that family on all topics
6. compare: both models rank the test topics; refuse if a model has seen one of them
7. decide: deploy, put in shadow or keep, and say why

Steps 2, 3 and 5 are done in pieces of about a second, as many as a step has time for.
"""

import base64
import io
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef
from django.utils import timezone

from evaluation.learning import registry, training
from evaluation.learning.model_comparison import leaks_into, measured
from evaluation.learning.pools import (
    FOLDS,
    Division,
    LearningPool,
    counted,
    division,
    gathered_for,
    leaks_among,
    learnable,
    pools_of,
    put_elsewhere,
    unlearned,
    without_names,
)
from evaluation.learning.training import FAMILIES, Fitting, Trained
from evaluation.models import RetrainingRun, Run
from evaluation.topics.library import load_arrived
from evaluation.topics.topic import Topic
from retrieval import jobs
from retrieval.access.caller import ANONYMOUS
from retrieval.engines import loaded
from retrieval.errors import ArfError, gettext_noop
from retrieval.indexes import lexical_sync
from retrieval.jobs import CORPUS, HasTime, Job, Progress
from retrieval.models import Checkpoint, Domain, EmbeddingModel, JobRun, RankerModel, Section, Version
from retrieval.models.packed import pack, unpack
from retrieval.ranking import Candidate
from retrieval.stages.reranker.features import FEATURES, OF_TEXT
from rules import defaults
from rules.aliases.embedding import embed_all

MOST_BYTES = 64 * 2**20  # of one checkpoint; the largest seen is 1 MB
KEPT = ("section_id", "domain_id", "locator", "score", "chunk_id")  # of a candidate
KEY = "retrain"  # one at a time
TOPICS = 20  # searched in one piece
WEIGHT = 50  # of a model fitted, in the job's progress; a topic searched has 1
UNITS = tuple((fold, family) for fold in range(FOLDS) for family in FAMILIES)
SHOWN_LEAKS = 10
MOST_BEHIND = 10_000  # changes of texts that the index of words may lack: else what is learned is not what will serve
LOOKED_AFTER = 2.0  # seconds until it is looked whether it has caught up
PATIENCE = 20 * 60  # seconds for which it may stay as it is: as long as an index of everything takes
RESUMED = 120  # seconds after the last look: a training that was resumed, or whose workers were off, waits anew
SHORTEST_PAUSE = timedelta(minutes=10)  # before a training that was given up goes on
Outcome = RetrainingRun.Outcome


class Checkpoints:
    """The checkpoints of one job, each by its name. A step that runs again writes the same again."""

    def __init__(self, run: JobRun):
        self.run = run

    def save(self, name: str, content: bytes) -> None:
        if len(content) > MOST_BYTES:
            raise ArfError(
                gettext_noop("Checkpoint “%(name)s” has %(bytes)s bytes; at most %(most)s are kept."),
                name=name,
                bytes=len(content),
                most=MOST_BYTES,
            )
        self.run.checkpoints.update_or_create(name=name, defaults={"content": content})

    def content(self, name: str) -> bytes:
        """Raises ArfError for one that is not kept any more."""
        try:
            return bytes(self.run.checkpoints.get(name=name).content)
        except Checkpoint.DoesNotExist:
            raise ArfError(
                gettext_noop("Checkpoint “%(name)s” is not kept any more: begin again."), name=name
            ) from None

    def delete(self, name: str) -> None:
        self.run.checkpoints.filter(name=name).delete()

    def has(self, name: str) -> bool:
        return self.run.checkpoints.filter(name=name).exists()

    def save_json(self, name: str, value: Any) -> None:
        self.save(name, pack(value))

    def json(self, name: str) -> Any:
        return unpack(self.content(name))

    def save_arrays(self, name: str, arrays: Mapping[str, np.ndarray]) -> None:
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        self.save(name, buffer.getvalue())

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        with np.load(io.BytesIO(self.content(name)), allow_pickle=False) as file:
            return dict(file)

    def save_topics(self, topics: Iterable[Topic]) -> None:
        self.save_json("topics", [topic_as_json(topic) for topic in topics])

    def topics(self) -> list[Topic]:
        return [topic_from(stored) for stored in self.json("topics")]

    def save_pools(self, position: int, pools: Iterable[LearningPool]) -> None:
        """Pools of the topics from this position on."""
        self.save_json(f"pools {position:06}", [pool_as_json(pool) for pool in pools])

    def pools(self) -> list[LearningPool]:
        return [pool_from(stored) for stored in self.in_order("pools ")]

    def in_order(self, prefix: str) -> Iterator[Any]:
        """What all lists hold whose names begin so."""
        rows = self.run.checkpoints.filter(name__startswith=prefix).order_by("name")
        for row in rows.iterator(chunk_size=1):
            yield from unpack(bytes(row.content))


def topic_as_json(topic: Topic) -> dict:
    return asdict(topic) | {"irrelevant": sorted(topic.irrelevant)}


def topic_from(stored: dict) -> Topic:
    return Topic(**stored | {"tags": tuple(stored["tags"]), "irrelevant": frozenset(stored["irrelevant"])})


def pool_as_json(pool: LearningPool) -> dict:
    """Floats keep every bit: what is trained from checkpoints is what would be trained without. Of a candidate it keeps
    what orders and measures read: the features are in the rows, reasons are for people.
    """
    return {
        "topic": topic_as_json(pool.topic),
        "vector": None if pool.vector is None else np.asarray(pool.vector, dtype=np.float32).tolist(),
        "candidates": [{name: getattr(each, name) for name in KEPT} for each in pool.candidates],
        "rows": base64.b64encode(np.asarray(pool.rows, np.float32).tobytes()).decode(),
        "final": pool.final,
        "blend": pool.blend,
    }


def pool_from(stored: dict) -> LearningPool:
    rows = np.frombuffer(base64.b64decode(stored["rows"]), np.float32)
    read = {
        "topic": topic_from(stored["topic"]),
        "vector": None if stored["vector"] is None else np.array(stored["vector"], dtype=np.float32),
        "candidates": tuple(Candidate(**candidate) for candidate in stored["candidates"]),
        "rows": rows.reshape(-1, len(OF_TEXT)),
    }
    return LearningPool(**stored | read)


# -- The job


def request(
    *, dry_run: bool = False, shadow: bool = False,
    topics: str = "", test_from: int | None = None, without: str = "",
) -> dict:  # fmt: skip
    """`topics`: a JSON lines file in place of the library; `test_from`: its topics since this term are the test;
    `without`: a body of law of which nothing is learned, and on which is tested, always as a dry run.
    """
    params = {"dry_run": dry_run or bool(without), "shadow": shadow, "topics": topics, "test_from": test_from}
    return {"kind": "retrain", "key": KEY, "params": params | ({"without": without} if without else {})}


class Retrain(Job):
    """The job; its RetrainingRun is named in `state`."""

    def step(self, run: JobRun) -> Progress:
        reopen(run)
        kept, phase = Checkpoints(run), run.state.get("phase", "gather")
        if phase != "gather" and not read_as_now().items() <= run.state.items():
            run.checkpoints.all().delete()
            phase = "gather"
        return STEPS[phase](run, kept, time_for_more(run))

    def undo(self, run: JobRun) -> None:
        close(run, Outcome.CANCELLED, "Somebody cancelled it; nothing was changed.")

    def failed(self, run: JobRun) -> None:
        """Without a reranker, searches are degraded from now on: answers kept from before are no longer given."""
        close(run, Outcome.FAILED, run.error)
        Version.count_up("model")


def read_as_now() -> dict:
    """What pools are read by: those of a release with other features, or of another embedder, are made anew."""
    return {"features": list(FEATURES), "embedder": EmbeddingModel.fingerprint_in_use()}


def whole_bodies() -> set[str]:
    """Slugs of the public bodies of law of which something is here and nothing is coming in."""
    law = Section.objects.live().filter(domain=OuterRef("pk"))
    here = Domain.objects.visible_to(ANONYMOUS).filter(Exists(law)).exclude(slug__in=jobs.coming_in())
    return {*here.values_list("slug", flat=True)}


def missed() -> set[str]:
    """The bodies of law that the last training missed, or had in part: they came in meanwhile or later. None where it
    failed before it gathered anything, so that none is begun again and again.
    """
    of_library = RetrainingRun.objects.filter(report__topics="", report__dry_run=False)
    last = of_library.order_by("-pk").first()
    return whole_bodies() - {*last.report["bodies"]} if last and "bodies" in last.report else set()


def every_month() -> int:
    """What the schedule runs; gives the job's number, a running one's if there is one."""
    return jobs.begun(**request()).pk


def resume_given_up(now: datetime | None = None) -> JobRun | None:
    """Takes the last training up again where it stopped, if its steps took too long: once it has rested for as long as
    it is old, about ten times in the week for which its checkpoints are kept. Gives the job, or None.
    """
    asked, now = JobRun.objects.filter(kind="retrain"), now or timezone.now()
    last = asked.exclude(params__contains={"dry_run": True}).order_by("-pk").first()
    if last is None or last.cancel_requested or last.status != JobRun.Status.FAILED or not jobs.was_given_up(last):
        return None
    pause = max(SHORTEST_PAUSE, last.finished_at - last.created_at)
    if now < last.finished_at + pause or now > last.created_at + jobs.CHECKPOINTS_KEPT:
        return None
    jobs.resume(last)
    return last


def time_for_more(run: JobRun) -> HasTime:
    """Whether a step may begin one more piece: files that wait for the same workers come between any two."""
    has_time, waiting = jobs.time_for_more(run), JobRun.objects.unfinished().filter(key=CORPUS)
    return lambda: has_time() and not waiting.exists()


def close(run: JobRun, outcome: str, reason: str) -> None:
    """Says why the attempt of this job stopped; one that stopped before it was written down is so now."""
    attempt = RetrainingRun.objects.filter(pk=run.state.get("attempt")).first()
    attempt = attempt or RetrainingRun(requested_by=run.requested_by, report={"job": run.pk, **run.params})
    finish(attempt, outcome, reason)


def reopen(run: JobRun) -> None:
    """A failed job that was resumed goes on with its attempt."""
    stopped = RetrainingRun.objects.filter(pk=run.state.get("attempt"), outcome=Outcome.FAILED)
    stopped.update(outcome=Outcome.RUNNING, reason="", finished_at=None)


def abandon() -> None:
    """Closes attempts left open: jobs of this kind never run together, so none of them goes on."""
    open_runs = RetrainingRun.objects.filter(outcome=Outcome.RUNNING)
    reason = "Left unfinished; another was begun."
    open_runs.update(outcome=Outcome.FAILED, reason=reason, finished_at=timezone.now())


def gather(run: JobRun, kept: Checkpoints, has_time: HasTime) -> Progress:
    abandon()
    if waited := waiting_for_words(run):
        return waited
    if not (run.params.get("topics") or run.params.get("dry_run")):
        load_arrived()  # else whoever trains right after loading a body of law learns nothing of it
        if defaults.load_arrived() or embed_all(jobs.STEP_SECONDS):
            return Progress(0, 0, "Names of new law are embedded", {"phase": "gather"})
    gathered = gathered_for(run.params)
    attempt = RetrainingRun.objects.create(
        champion=registry.active(),
        requested_by=run.requested_by,
        report={"job": run.pk, **run.params, "gathered": counted(gathered), "bodies": sorted(whole_bodies())},
    )
    if found := leaks_among(gathered, dry_run=run.params.get("dry_run", False)):
        return refuse(run, attempt, found)
    if not gathered.tested:
        raise ArfError(gettext_noop("There is no judged topic to test on."))
    learned = [*gathered.learned, *put_elsewhere(gathered.learned)]
    topics = [*learned, *gathered.tested]
    kept.save_topics(topics)
    state = {"phase": "pool", "attempt": attempt.pk, "learned": len(learned)} | read_as_now()
    total = len(topics) + WEIGHT * (len(UNITS) + 4)
    return Progress(0, total, f"{len(topics)} searches of judged topics to make", state)


def waiting_for_words(run: JobRun) -> Progress | None:
    """While this machine's index of words cannot be searched, or lacks too much; None once it is well. Raises ArfError
    if it comes no nearer.
    """
    index, now = loaded.lexical_index(), time.time()
    lacking, is_new = lexical_sync.behind(index.position), lexical_sync.must_rebuild(index.position)
    if not (index.problem or is_new) and lacking <= MOST_BEHIND:
        run.state.pop("words", None)
        return None
    before, since, looked = run.state.get("words", (lacking, now, now))
    if lacking != before or now > looked + RESUMED:  # it moves, more came in, or this training stood still itself
        since = now
    if now > since + PATIENCE:
        raise ArfError(
            gettext_noop(
                "This machine's index of words lacks %(lacking)s changes and comes no nearer: is `manage.py up`, or "
                "`manage.py lexical_writer`, running?"
            ),
            lacking=lacking,
        )
    time.sleep(LOOKED_AFTER)
    problem = index.problem or ("it is to be built anew" if is_new else f"it lacks {lacking} changes")
    state = {"phase": "gather"} | run.state | {"words": [lacking, since, now]}
    return Progress(run.position, run.total, f"Waiting for this machine's index of words: {problem}", state)


def refuse(run: JobRun, attempt: RetrainingRun, found: Sequence[str]) -> Progress:
    """Nothing is reported of a model that knows the answers."""
    more = f" … and {len(found) - SHOWN_LEAKS} more" if len(found) > SHOWN_LEAKS else ""
    reason = f"Test topics are in training: {'; '.join(found[:SHOWN_LEAKS])}{more}"
    attempt.challenger = None
    finish(attempt, Outcome.REFUSED, reason)
    return done(run, attempt)


def finish(attempt: RetrainingRun, outcome: str, reason: str) -> None:
    attempt.outcome, attempt.reason, attempt.finished_at = outcome, reason, timezone.now()
    attempt.save()


def done(run: JobRun, attempt: RetrainingRun) -> Progress:
    message = f"{attempt.get_outcome_display()}: {attempt.reason}"
    total = run.total or 1
    return Progress(total, total, message, {"attempt": attempt.pk}, finished=True)


def pool(run: JobRun, kept: Checkpoints, has_time: HasTime) -> Progress:
    if waited := waiting_for_words(run):
        return waited
    topics, position = kept.topics(), run.position
    nameless = without_names(topics[: run.state["learned"]])
    while position < len(topics):
        kept.save_pools(position, pools_of(topics[position : position + TOPICS], nameless=nameless))
        position = min(position + TOPICS, len(topics))
        if not has_time():
            break
    phase = "fold" if position == len(topics) else "pool"
    message = f"{position} of {len(topics)} topics searched"
    return Progress(position, run.total, message, run.state | {"phase": phase, "unit": 0})


def fold(run: JobRun, kept: Checkpoints, has_time: HasTime) -> Progress:
    usable, unit = usable_of(run, kept), run.state["unit"]
    division_of = cache(lambda number: division(usable, number))
    while unit < len(UNITS):
        number, family = UNITS[unit]
        fitting = fitted(kept, family, division_of(number), has_time)
        if fitting is None:
            break
        scored = fitting.probabilities(division_of(number).unseen_by_topic)
        kept.save_arrays(f"scored {number} {family}", {"scored": scored})
        unit += 1
        if not has_time():
            break
    phase = "fold" if unit < len(UNITS) else "choose"
    position = run.position + WEIGHT * (unit - run.state["unit"])
    message = f"{unit} of {len(UNITS)} models fitted in cross-validation"
    return Progress(position, run.total, message, run.state | {"phase": phase, "unit": unit})


def fitted(kept: Checkpoints, family: str, divided: Division, has_time: HasTime) -> Fitting | None:
    """A model, if this step has time to finish it; otherwise it is kept as far as it is."""
    fitting = Fitting(family, divided, arrays=kept.arrays("fitting") if kept.has("fitting") else None)
    if not fitting.fit(has_time):
        kept.save_arrays("fitting", fitting.arrays)
        return None
    kept.delete("fitting")
    return fitting


def choose(run: JobRun, kept: Checkpoints, has_time: HasTime) -> Progress:
    usable = usable_of(run, kept)
    ndcg = {family: training.cross_validated(usable, scored_by(family, kept)) for family in FAMILIES}
    kept.save_arrays("ndcg", ndcg)
    family = training.choose(ndcg)
    state = run.state | {"phase": "train", "family": family}
    return Progress(run.position + WEIGHT, run.total, f"{family} is chosen", state)


def scored_by(family: str, kept: Checkpoints) -> list[np.ndarray]:
    """A family's probabilities for what each fold held out."""
    return [kept.arrays(f"scored {number} {family}")["scored"] for number in range(FOLDS)]


def train(run: JobRun, kept: Checkpoints, has_time: HasTime) -> Progress:
    usable, family = usable_of(run, kept), run.state["family"]
    everything = division(usable, FOLDS)
    fitting = fitted(kept, family, everything, has_time)
    if fitting is None:
        return Progress(run.position, run.total, f"{family} is fitted on all topics", run.state)
    trained = training.finished(usable, everything, fitting, scored_by(family, kept), kept.arrays("ndcg"))
    kept.save("artifact", trained.artifact)
    kept.save_json("manifest", trained.manifest)
    return Progress(run.position + WEIGHT, run.total, f"{family} trained", run.state | {"phase": "compare"})


def trained_by(kept: Checkpoints) -> Trained:
    return Trained(kept.content("artifact"), kept.json("manifest"))


def usable_of(run: JobRun, kept: Checkpoints) -> list[LearningPool]:
    return learnable(kept.pools()[: run.state["learned"]])


def compare(run: JobRun, kept: Checkpoints, has_time: HasTime) -> Progress:
    attempt = RetrainingRun.objects.get(pk=run.state["attempt"])
    tested, trained = kept.pools()[run.state["learned"] :], trained_by(kept)
    champion = attempt.champion
    if "without" in run.params:  # the champion knows these topics: what is served without it is the fused order
        tested, champion = unlearned(tested), None
    known = {"challenger": (trained.artifact, trained.manifest)}
    if champion and not registry.problem_of(champion):
        known["champion"] = (bytes(champion.artifact), champion.manifest)
    found = [f"{name}: {leak}" for name, model in known.items() for leak in leaks_into(*model, tested)]
    if found:
        return refuse(run, attempt, found)
    compared = measured(tested, trained.artifact, known.get("champion", (None,))[0])
    sha256 = registry.sha256(trained.artifact)
    attempt.report |= {"manifest": trained.manifest, "sha256": sha256, **compared}
    attempt.save(update_fields=["report"])
    message = compared["decision"]["reasons"][0]
    return Progress(run.position + WEIGHT, run.total, message, run.state | {"phase": "decide"})


def decide_on(run: JobRun, kept: Checkpoints, has_time: HasTime) -> Progress:
    """A dry run registers nothing. A champion changed meanwhile by a person is never replaced."""
    attempt = RetrainingRun.objects.get(pk=run.state["attempt"])
    deploy, reasons = attempt.report["decision"]["deploy"], " ".join(attempt.report["decision"]["reasons"])
    if run.params.get("dry_run"):
        verdict = "it would be deployed" if deploy else "it would not be deployed"
        if "without" in run.params:
            verdict = f"nothing was learned of {run.params['without']}, and the champion is the fused order"
        finish(attempt, Outcome.KEPT, f"Dry run, {verdict}. {reasons}")
    else:
        attempt.challenger = registry.save(trained_by(kept))
        finish(attempt, *carried_out(attempt, deploy, reasons, shadow=run.params.get("shadow", False)))
        jobs.ask("bodies", key="any_answer", params={}, by=run.requested_by)
        measure_next(run, attempt, {topic.domain for topic in kept.topics()[run.state["learned"] :]})
    return done(run, attempt)


def measure_next(run: JobRun, attempt: RetrainingRun, domains: Iterable[str]) -> None:
    """Has the page on quality filled by a job: after the first training, and whenever another model serves."""
    is_due = attempt.outcome == Outcome.DEPLOYED or not Run.objects.of_rankings().exists()
    if not is_due or run.params.get("topics"):
        return
    for domain in sorted(domains):
        request = {"domain": domain, "what": "usual", "ask": False}
        jobs.enqueue("measure", key="measure", params=request, by=run.requested_by, queues=True)


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


STEPS: dict[str, Callable[[JobRun, Checkpoints, HasTime], Progress]] = {
    "gather": gather,
    "pool": pool,
    "fold": fold,
    "choose": choose,
    "train": train,
    "compare": compare,
    "decide": decide_on,
}
