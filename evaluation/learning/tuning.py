"""What thresholds rest on. They are chosen from stated risks with an upper Clopper-Pearson bound, then checked on
topics they never saw; a candidate that nobody judged counts as wrong, so a risk is kept whatever later judgments say.
Before there is a reranker, the provisional probability of a candidate is fitted, and the minimum below which a search
abstains.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import takewhile

import numpy as np
from scipy.special import betaincinv
from sklearn.linear_model import LogisticRegression

from evaluation.measuring import measures
from evaluation.measuring.measures import SEED, credited, judged_by
from evaluation.measuring.runs import Runner
from evaluation.topics.topic import Topic
from retrieval.errors import ArfError, gettext_noop
from retrieval.ranking import Candidate, Ranking
from rules.thresholds.stages import JUDGED_BY, Abstain, Gates, answered_by, features, logistic

POOL = 20  # candidates of a topic that a language model might be asked about
CERTAINTY = 0.95  # of every bound
GRID = tuple(round(n / 200, 3) for n in range(200, -1, -1))  # 1.0, 0.995 … 0.0
# Times the fewest that can tell anything: one error among the surest must not decide.
BEGINNINGS = (1, 2, 4, 8)
RESAMPLES = 1_000
NONE_ACCEPTED = 2.0  # above every probability: what stands for a threshold that was not found
FAR_TOO_MANY = 1_000_000  # judgments nobody will make


@dataclass(frozen=True, slots=True)
class Scale:
    """A kind of probability: the pipeline that gives it to its candidates, and the thresholds that are compared with
    it. One scale's thresholds say nothing on another.
    """

    pipeline: str
    accept: str
    verify: str
    declines: bool  # whether the abstention reads it


GATES = Scale("gated", "accept", "verify", declines=False)
RERANKER = Scale("learned", "mlp_high", "mlp_low", declines=True)


@dataclass(frozen=True, slots=True)
class Targets:
    """The risks an administrator states, as shares."""

    wrongly_accepted: float = 0.02
    llm_share: float = 0.10
    declined: float = 0.05


@dataclass(frozen=True, slots=True)
class Page:
    """A topic's first candidates: their probabilities and whether they are relevant, None where nobody judged.
    `answer` is the probability that one of them answers it.
    """

    topic: Topic
    probabilities: tuple[float, ...]
    relevant: tuple[bool | None, ...]
    answer: float


@dataclass(frozen=True, slots=True)
class Choice:
    """One threshold and its evidence: `events` of `n` and the upper bound of that share, at this certainty. `value` is
    None where the target cannot be met; `missing` is then how many judgments more it takes at this rate, None if no
    number helps.
    """

    target: float
    value: float | None
    events: int
    n: int
    bound: float
    unjudged: int = 0
    missing: int | None = None
    certainty: float = CERTAINTY


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was chosen for each target on one scale, and on how many topics."""

    scale: Scale
    accept: Choice
    llm: Choice
    answer_minimum: Choice | None
    topics: int

    @property
    def row(self) -> dict[str, float]:
        """The fields of the domain's thresholds that were chosen; what is infeasible stays as it is."""
        fields = {}
        if self.accept.value is not None and self.llm.value is not None:
            fields |= {self.scale.accept: self.accept.value, self.scale.verify: self.llm.value}
        if self.answer_minimum and self.answer_minimum.value is not None:
            fields["answer_minimum"] = self.answer_minimum.value
        return fields

    @property
    def named(self) -> dict[str, Choice]:
        """The choices by the thresholds that they are for."""
        found = {self.scale.accept: self.accept, self.scale.verify: self.llm}
        return found | ({"answer_minimum": self.answer_minimum} if self.answer_minimum else {})

    def as_json(self) -> dict:
        return {name: asdict(choice) for name, choice in self.named.items()} | {"row": self.row}


# -- Evidence


def pages(topics: Iterable[Topic], name: str, *, show: Callable = iter) -> list[Page]:
    """Runs a pipeline over topics. Those a citation settles have no probabilities and are left out."""
    ran = Runner(name).topics(topics, show=show)
    return [page(topic, ranking) for topic, ranking, _ms in ran if not ranking.final]


def pooled(ranking: Ranking) -> list[Candidate]:
    """The first candidates before gates and abstention took any away; those that were reranked alone, as what was
    dropped before has a probability of another kind.
    """
    if any(candidate.zone for candidate in ranking.candidates):
        return list(ranking.candidates[:POOL])
    everything = {c.section_id: c for c in (*ranking.candidates, *ranking.dropped_by(Gates, Abstain))}
    return sorted(everything.values(), key=lambda c: (-c.score, c.section_id))[:POOL]


def page(topic: Topic, ranking: Ranking) -> Page:
    """Raises ArfError where a candidate has no probability."""
    candidates = pooled(ranking)
    if any(candidate.probability is None for candidate in candidates):
        raise ArfError(
            gettext_noop("This pipeline gives no probabilities: calibrate the domain first.")
        )
    grades = tuple(is_relevant(candidate.locator, topic) for candidate in candidates)
    probabilities = tuple(candidate.probability for candidate in candidates)
    return Page(topic, probabilities, grades, answer_of(ranking, candidates))


def answer_of(ranking: Ranking, candidates: Sequence[Candidate]) -> float:
    """As `Abstain` sees it, whether or not it took the candidates away."""
    if ranking.answer is not None or not candidates:
        return ranking.answer or 0.0
    best = max(candidate.probability for candidate in candidates[:JUDGED_BY])
    return answered_by(best, ranking.query.thresholds_for(candidates[0]).calibration)


def is_relevant(locator: str, topic: Topic) -> bool | None:
    """By the topic's grades; nothing is relevant where the corpus has no answer; None where nobody judged."""
    if not topic.answerable:
        return False
    if credited(locator, topic.judged) is not None:
        return True
    return None if judged_by(locator, topic.judged) is None else False


# -- Bounds


def upper_bound(events: int, n: int, certainty: float = CERTAINTY) -> float:
    """One-sided upper bound of a share (Clopper and Pearson, Biometrika 1934); 1 where nothing was seen."""
    if events >= n:
        return 1.0
    return float(betaincinv(events + 1, n - events, certainty))


def still_missing(events: int, n: int, target: float, certainty: float = CERTAINTY) -> int | None:
    """How many more are to be judged until the bound meets the target at the rate seen; None if it never will."""
    rate = events / n if n else 0.0
    if rate >= target:
        return None

    def meets(size: int) -> bool:
        return upper_bound(int(np.ceil(rate * size)), size, certainty) <= target

    low, high = n, max(n, 1)
    while not meets(high):
        low, high = high, high * 2
        if high > FAR_TOO_MANY:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high - n


# -- Choosing


def choose(pages: Sequence[Page], targets: Targets, scale: Scale = GATES) -> Chosen:
    """From the topics of these pages alone: never give it those of the test split. Raises ArfError if one is."""
    if any(page.topic.split == "test" for page in pages):
        raise ArfError("Thresholds are never chosen on test topics.")
    accept = choose_accept(pages, targets.wrongly_accepted)
    low = choose_low(pages, targets.llm_share, high=1.0 if accept.value is None else accept.value)
    minimum = choose_answer_minimum(pages, targets.declined) if scale.declines else None
    return Chosen(scale, accept, low, minimum, len(pages))


def choose_accept(pages: Sequence[Page], target: float) -> Choice:
    """The lowest threshold that keeps the risk. Thresholds are tried from high to low in fixed sequences, each begun
    where so many are accepted and ended at its first miss: the bound then holds for the one chosen, whichever it is
    (Angelopoulos et al., Learn then Test, 2021). Where to begin is read from the probabilities, never from grades.
    """
    certainty = 1 - (1 - CERTAINTY) / len(BEGINNINGS)
    fewest = needed_without_events(target, certainty)
    judged = candidates_of(pages)
    told = [accepted_at(*judged, value, target, certainty) for value in GRID]
    passed = [one for many in BEGINNINGS for one in sequence(told, fewest * many)]
    if passed:
        return min(passed, key=lambda choice: choice.value)
    surest = next((one for one in told if one.n >= fewest), told[-1])
    return replace(surest, value=None, missing=judgments_missing(surest, certainty))


def judgments_missing(choice: Choice, certainty: float) -> int | None:
    """At the rate among what was judged; what was accepted and never judged, which counts as wrong, is to be first."""
    judged = choice.n - choice.unjudged
    more = still_missing(choice.events - choice.unjudged, judged, choice.target, certainty)
    return None if more is None else max(more, choice.unjudged)


def sequence(told: Sequence[Choice], begin: int) -> list[Choice]:
    """Those that keep their target, from the first that accepts so many to the one before the first miss."""
    large = (choice for choice in told if choice.n >= begin)
    return list(takewhile(lambda choice: choice.bound <= choice.target, large))


def accepted_at(
    probabilities: np.ndarray, relevant: np.ndarray, value: float, target: float, certainty: float
) -> Choice:
    grades = relevant[probabilities >= value]
    choice = seen(target, value, grades < 1, certainty)
    return replace(choice, unjudged=int((grades < 0).sum()))


def seen(target: float, value: float, happened: np.ndarray, certainty: float = CERTAINTY) -> Choice:
    """One threshold, and of each candidate or topic whether what is bounded happened to it."""
    events, n = int(happened.sum()), len(happened)
    bound = upper_bound(events, n, certainty)
    return Choice(target, value, events, n, bound, certainty=certainty)


def last_kept(told: Sequence[Choice]) -> Choice:
    """The one before the first miss; where the first misses already, the target cannot be met."""
    if kept := sequence(told, 0):
        return kept[-1]
    first = told[0]
    return replace(first, value=None, missing=still_missing(first.events, first.n, first.target))


def needed_without_events(target: float, certainty: float = CERTAINTY) -> int:
    """How many must be seen, none of them wrong, before anything can be said of so small a share."""
    return int(np.ceil(np.log(1 - certainty) / np.log(1 - target)))


def choose_low(pages: Sequence[Page], target: float, *, high: float) -> Choice:
    """The lowest edge of the uncertain band below `high` that holds at most this share of the first candidates."""
    p, _ = candidates_of(pages)
    return last_kept([seen(target, value, (p > value) & (p < high)) for value in GRID if value <= high])


def choose_answer_minimum(pages: Sequence[Page], target: float) -> Choice:
    """The highest minimum whose bound of declined answerable topics meets the target; 0 declines none."""
    best = np.array([page.answer for page in pages if page.topic.answerable])
    return last_kept([seen(target, value, best < value) for value in reversed(GRID)])


def candidates_of(pages: Sequence[Page]) -> tuple[np.ndarray, np.ndarray]:
    """Of every candidate its probability, and 1 relevant, 0 not, -1 unjudged."""
    probabilities = [p for page in pages for p in page.probabilities]
    grades = [-1 if grade is None else int(grade) for page in pages for grade in page.relevant]
    return np.array(probabilities, dtype=float), np.array(grades, dtype=int)


# -- Checking


def rates(pages: Sequence[Page], accept: float, low: float, minimum: float) -> dict[str, tuple[int, int]]:
    """(events, n) of each risk on these pages."""
    probabilities, relevant = candidates_of(pages)
    accepted = probabilities >= accept
    answers = [page.answer for page in pages if page.topic.answerable]
    return {
        "wrongly_accepted": (int((accepted & (relevant < 1)).sum()), int(accepted.sum())),
        "llm_share": (int(((probabilities > low) & ~accepted).sum()), len(probabilities)),
        "declined": (sum(answer < minimum for answer in answers), len(answers)),
    }


def verify(chosen: Chosen, pages: Sequence[Page], targets: Targets, *, resamples: int = RESAMPLES) -> dict:
    """On other topics, those of the test split: each risk as seen, and how often it lies above its target when topics
    are drawn again (bootstrap over topics, as candidates of one topic stand or fall together).
    """
    measured = {
        "wrongly_accepted": (chosen.accept, targets.wrongly_accepted, NONE_ACCEPTED),
        "llm_share": (chosen.llm, targets.llm_share, NONE_ACCEPTED),
        "declined": (chosen.answer_minimum, targets.declined, 0.0),
    }
    known = {name: choice and choice.value for name, (choice, _target, _none) in measured.items()}
    values = [none if known[name] is None else known[name] for name, (_c, _t, none) in measured.items()]
    counts = [rates([page], *values) for page in pages]
    picks = np.random.default_rng(SEED).integers(0, max(len(pages), 1), (resamples, len(pages)))
    return {
        name: checked(np.array([count[name] for count in counts]).reshape(-1, 2), picks, target)
        for name, (_choice, target, _none) in measured.items()
        if known[name] is not None
    }


def checked(counts: np.ndarray, picks: np.ndarray, target: float) -> dict[str, float]:
    """`counts`: (topics, 2) events and n of each; `picks`: (resamples, topics)."""
    events, n = counts.sum(axis=0)
    drawn = counts[picks].sum(axis=1)
    shares = drawn[:, 0] / np.maximum(drawn[:, 1], 1)
    rate = float(events / n) if n else 0.0
    return {"rate": rate, "n": int(n), "target": target, "violated": float((shares > target).mean())}


def risk_coverage(pages: Sequence[Page]) -> list[tuple[float, float]]:
    """(coverage, risk): an answer is wrong where its first candidate is not judged relevant."""
    return measures.risk_coverage([(page.answer, bool(page.relevant and page.relevant[0])) for page in pages])


# -- Calibrating the provisional probability

FEWEST = 100  # topics: fewer say too little of the few per cent that may be declined


@dataclass(frozen=True, slots=True)
class Judged:
    """A topic's first page as scores: for each candidate its features and whether it is relevant."""

    topic: Topic
    features: tuple[dict[str, float], ...]
    relevant: tuple[bool, ...]

    def best(self, weights: dict[str, float]) -> float:
        """The probability that stands for "the answer is here"; 0 where nothing was found."""
        return max((logistic(values, weights) for values in self.features), default=0.0)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights and the answer minimum, with what they do on the topics they were fitted on."""

    weights: dict[str, float]
    answer_minimum: float
    topics: int
    declined_answerable: float
    declined_unanswerable: float


def judged_first_pages(topics: Iterable[Topic], name: str, *, show: Callable = iter) -> list[Judged]:
    """Runs a pipeline over topics; those settled by a citation alone need no calibration."""
    return [
        judge(topic, [*ranking.candidates, *ranking.near_misses][:JUDGED_BY])
        for topic, ranking, _ms in Runner(name).topics(topics, show=show)
        if not ranking.final
    ]


def judge(topic: Topic, first: Sequence[Candidate]) -> Judged:
    relevant = tuple(credited(candidate.locator, topic.judged) is not None for candidate in first)
    return Judged(topic, tuple(features(candidate) for candidate in first), relevant)


def fit(judged: Sequence[Judged], *, most_declined: float, minimum: float | None = None) -> Calibration:
    """A logistic over candidates, and the highest minimum that declines at most this share of answerable topics. Given
    the `minimum` in force, which was tuned with a reranker, the probabilities are moved so that it is that one. Raises
    ArfError for topics that tell too little.
    """
    if len(judged) < FEWEST:
        raise ArfError(
            gettext_noop("%(count)s topics are too few to calibrate on: %(fewest)s are needed."),
            count=len(judged),
            fewest=FEWEST,
        )
    rows = [
        (values, hit) for page in judged for values, hit in zip(page.features, page.relevant, strict=True)
    ]
    if len({hit for _, hit in rows}) < 2:
        raise ArfError("There is nothing to tell apart: of what these topics find, none is relevant or all is.")
    weights = rising(rows)
    best = np.array([page.best(weights) for page in judged])
    answerable = np.array([page.topic.answerable for page in judged])
    weights |= answer_weights(best, answerable)
    if minimum is not None and "answer_intercept" in weights:
        reached = np.quantile(
            [answered_by(p, weights) for p in best[answerable]], most_declined, method="lower"
        )
        weights["answer_intercept"] = round(
            weights["answer_intercept"] + log_odds(minimum) - log_odds(reached), 4
        )
    answers = [answered_by(p, weights) for p in best]
    yes = [p for p, has in zip(answers, answerable, strict=True) if has]
    no = [p for p, has in zip(answers, answerable, strict=True) if not has]
    if minimum is None:
        minimum = round(float(np.quantile(yes, most_declined, method="lower")), 4)
    return Calibration(weights, minimum, len(judged), below(yes, minimum), below(no, minimum))


def rising(rows: Sequence[tuple[dict[str, float], bool]]) -> dict[str, float]:
    """The logistic's weights. A score that beside the others would speak against relevance is left out, so that the
    probability grows with every score.
    """
    names = list(rows[0][0])
    relevant = [hit for _, hit in rows]
    while True:
        model = LogisticRegression(C=10, max_iter=1_000)
        model.fit([[values[name] for name in names] for values, _ in rows], relevant)
        falling = [name for name, w in zip(names, model.coef_[0], strict=True) if w < 0]
        if not falling:
            weights = {name: round(float(w), 4) for name, w in zip(names, model.coef_[0], strict=True)}
            return weights | {"intercept": round(float(model.intercept_[0]), 4)}
        names = [name for name in names if name not in falling]


def answer_weights(best: np.ndarray, answerable: np.ndarray) -> dict[str, float]:
    """From the best candidate's probability to that of an answer; the former itself where all topics have one."""
    if answerable.all():
        return {}
    odds = log_odds(best)[:, None]
    model = LogisticRegression(C=10, max_iter=1_000).fit(odds, answerable)
    found = {"answer_slope": model.coef_[0][0], "answer_intercept": model.intercept_[0]}
    return {name: round(float(value), 4) for name, value in found.items()}


def log_odds(probability: np.ndarray | float) -> np.ndarray | float:
    clipped = np.clip(probability, 1e-9, 1 - 1e-9)
    return np.log(clipped / (1 - clipped))


def below(values: Sequence[float], minimum: float) -> float:
    return float(np.mean([value < minimum for value in values])) if values else 0.0
