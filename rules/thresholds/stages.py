"""The stages that go by thresholds: each domain's read, candidates given probabilities, dropped and marked, and nothing
shown as an answer where it is improbable that one was found.
"""

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from retrieval.citations.reporters import CASE, UNITED_STATES_REPORTS
from retrieval.errors import NotRun
from retrieval.pipeline import unless_final
from retrieval.ranking import (
    ANOTHER_COUNTRY,
    NEAR_MISSES,
    Candidate,
    Query,
    Ranking,
    Reason,
    Thresholds,
    replace,
)
from retrieval.stages.legs import COVERAGE, DenseRetriever, LexicalRetriever
from retrieval.stages.query import EmbedQuery
from retrieval.stages.quoted import is_headed
from retrieval.stages.reranker.features import USUAL_MINIMUM
from retrieval.stages.reranker.reranker import learned_answers
from rules import published
from rules.aliases.retrievers import (
    ALL_WORDS,
    WHOLE_NAME,
    AliasRetriever,
    CompareNames,
    LexicalAliasRetriever,
    NearestAliasRetriever,
)

FITTED_ON = {
    stage.__name__
    for stage in (
        EmbedQuery, DenseRetriever, LexicalRetriever, NearestAliasRetriever, LexicalAliasRetriever, AliasRetriever,
        CompareNames,
    )
}  # fmt: skip
ACCEPT, VERIFY, REJECT = "A", "B", "C"
OTHER_SCALE = "its answer minimum was chosen on another scale"
# Of a domain without thresholds: what decides until it has a calibration of its own, on the scores that the legs give
# any text. Fitted on 1,074 shipped topics (train and tune) by meaning and words alone, where it declines 5 % of the
# answerable and 60 % of the others. It drops nothing, and nothing is certain by it. The blend orders the US
# Code, the CFR and cases better than a lower one, as was measured before they had curated names.
ANY_TEXT = Thresholds(
    name="any text",
    is_known=False,
    blend=0.8,
    answer_minimum=0.2228,
    confident=math.inf,
    calibration={
        "dense": 13.462,
        "coverage": 1.0894,
        "intercept": -7.1468,
        "answer_slope": 1.2294,
        "answer_intercept": 2.9439,
    },
)
# Of a domain without thresholds, of which the reranker has learned what it answers: its own scale decides that, its
# order counts for more (chosen on topics of the Code and cases), and all else is as for any text. What is as probable
# as curators' thresholds demand by default is certain: of 36 tune topics on title 8 and decisions 13 have such a first
# result, each a right one.
LEARNED = dataclasses.replace(
    ANY_TEXT, name="learned", is_known=True, is_on_scale=False, blend=0.9, confident=Thresholds().confident
)
JUDGED_BY = 10  # candidates whose best probability stands for "the answer is here": the first page


@dataclass(frozen=True)
class ReadThresholds:
    """Reads the published thresholds of the query's domains once; every other stage takes them from the query. A
    domain without any goes by what the reranker has learned of it, or by those of any text; so does one whose own have
    no calibration, in what that decides.
    """

    def __call__(self, ranking: Ranking) -> Ranking:
        query = ranking.query
        rows = published.thresholds(published.version_of("thresholds", query.versions))
        learned = learned_answers(query)
        found = {scope.id: in_force(rows.get(scope.id), scope.slug in learned) for scope in query.domains}
        names = (
            f"{scope.slug} v{rows[scope.id].version}"
            if scope.id in rows
            else f"{scope.slug}: {found[scope.id].name}"
            for scope in query.domains
        )
        return replace(ranking, query=replace(query, thresholds=found)).noting(", ".join(names))


def in_force(published_of_it: Thresholds | None, is_learned: bool) -> Thresholds:
    """A domain's thresholds, those that were published of it filled up."""
    default = LEARNED if is_learned else ANY_TEXT
    if published_of_it is None or published_of_it.calibration:
        return published_of_it or default
    return dataclasses.replace(published_of_it, calibration=default.calibration, is_known=is_learned)


@dataclass(frozen=True)
class Calibrate:
    """Gives every candidate the probability that it is relevant: a logistic of its scores, fitted per domain on
    judged topics. One whose thresholds have no fit gives none.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        if missing := [name for name in ranking.degraded if name in FITTED_ON]:
            raise NotRun(f"the calibration rests on what did not run: {', '.join(missing)}", degrades=False)
        of = ranking.query.thresholds
        candidates = tuple(with_probability(c, of.get(c.domain_id)) for c in ranking.candidates)
        fitted = sum(c.probability is not None for c in candidates)
        if candidates and not fitted:
            raise NotRun("no calibration for these domains", degrades=False)
        return replace(ranking, candidates=candidates).noting(f"{fitted} of {len(candidates)} calibrated")


def with_probability(candidate: Candidate, thresholds: Thresholds | None) -> Candidate:
    if thresholds is None or not thresholds.calibration:
        return candidate
    return candidate.but(probability=logistic(features(candidate), thresholds.calibration))


def features(candidate: Candidate) -> dict[str, float]:
    """What the calibration reads: cosine, lexical coverage, which private documents have from a leg of their own, how
    names and their words match, whether a citation does. Weights fitted before a score was there leave it out.
    """
    return {
        "dense": candidate.scores.get("dense", 0.0),
        "coverage": max(candidate.scores.get("coverage", 0.0), candidate.scores.get(COVERAGE, 0.0)),
        "alias": min(candidate.scores.get("alias", 0.0), 3.0),
        "alias_near": candidate.scores.get("alias_near", 0.0),
        "alias_coverage": candidate.scores.get("alias_coverage", 0.0),
        "citation": candidate.scores.get("citation", 0.0),
    }


def logistic(values: Mapping[str, float], weights: Mapping[str, float]) -> float:
    total = 0.0
    for name, value in values.items():
        total += weights.get(name, 0.0) * value
    return 1.0 / (1.0 + math.exp(-(weights["intercept"] + total)))


@dataclass(frozen=True)
class Gates:
    """Marks each candidate A (accept), B (verify) or C by its domain's thresholds, and drops what is below the
    domain's minimum or too far behind the best. It never reorders, and never drops an exact citation.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        before = ranking.candidates
        if before and all(candidate.probability is None for candidate in before):
            raise NotRun("no candidate has a probability to gate by", degrades=False)
        marked, gone = gated(before, ranking.query.thresholds)
        kept = replace(ranking, candidates=marked).drop(gone, type(self))
        if before and not kept.candidates:
            kept = replace(kept, near_misses=marked[:NEAR_MISSES])
        return kept.noting(gate_note(kept.candidates, gone))


def gate_note(kept: Sequence[Candidate], gone: Mapping[int, Reason]) -> str:
    counted = Counter(candidate.gate or "not gated" for candidate in kept)
    marks = ", ".join(f"{mark} {count}" for mark, count in sorted(counted.items()))
    return f"{marks or 'none kept'}; {len(gone)} dropped"


def gated(
    candidates: Sequence[Candidate], thresholds: Mapping[int, Thresholds]
) -> tuple[tuple[Candidate, ...], dict[int, Reason]]:
    """The candidates marked A, B or C in their order, and why some are to be dropped, by section id."""
    best = max((c.probability for c in candidates if c.probability is not None), default=0.0)
    gone = {c.section_id: reason for c in candidates if (reason := rejection(c, thresholds, best))}
    return tuple(marked(c, thresholds.get(c.domain_id)) for c in candidates), gone


def rejection(candidate: Candidate, thresholds: Mapping[int, Thresholds], best: float) -> Reason | None:
    """Why a candidate is dropped, if it is: an exact citation never is, nor one without a probability."""
    own, probability = thresholds.get(candidate.domain_id), candidate.probability
    if own is None or probability is None or is_cited(candidate):
        return None
    values = {"probability": round(probability, 3), "version": own.version}
    if probability < own.minimum:
        return Reason("below_minimum", values | {"minimum": own.minimum})
    if best - probability > own.gap:
        return Reason("behind_the_best", values | {"gap": own.gap, "best": round(best, 3)})
    return None


def is_cited(candidate: Candidate) -> bool:
    """The question names this very place."""
    return candidate.pin is not None or any(reason.code == "citation" for reason in candidate.reasons)


def is_named_decision(candidate: Candidate) -> bool:
    """The question names this decision, by its name or its citation."""
    cited = (reason.values.get("locator", "") for reason in candidate.reasons if reason.code == "citation")
    return any(str(locator).startswith((UNITED_STATES_REPORTS, CASE)) for locator in cited)


def is_named(candidate: Candidate) -> bool:
    """The question is a curated name of this place, or a rule names the place as its answer."""
    by_rule = any(reason.code == "rule_alias" for reason in candidate.reasons)
    return by_rule or bool(candidate.scores.get(WHOLE_NAME))


def marked(candidate: Candidate, own: Thresholds | None) -> Candidate:
    if is_cited(candidate):
        return candidate.but(gate=ACCEPT)
    if own is None or candidate.probability is None:
        return candidate
    return candidate.but(gate=mark(candidate.probability, own))


def mark(probability: float, own: Thresholds) -> str:
    if probability >= own.accept:
        return ACCEPT
    return VERIFY if probability >= own.verify else REJECT


def is_curated_name(ranking: Ranking) -> bool:
    """Whether the question is also a curated name of what was found: a case that is not here, of what it construed."""
    return any("alias" in candidate.ranks for candidate in ranking.candidates)


def is_confident(candidates: Iterable[Candidate], thresholds: Mapping[int, Thresholds]) -> bool:
    """Whether one of these is probable enough for its domain's answer to be shown as confident."""
    return any(
        c.probability is not None
        and c.domain_id in thresholds
        and c.probability >= thresholds[c.domain_id].confident
        for c in candidates
    )


@dataclass(frozen=True)
class Abstain:
    """Shows nothing as an answer when it is improbable that one was found; near misses remain. It also abstains when
    the query is only a citation that does not exist here, and when it asks about the law of another country.

    The probability is the reranker's or, where none ran, comes from the best calibrated candidate of the first page.
    Of several domains the lowest minimum holds. What stands there of domains of which nothing was judged or learned
    is judged apart, as any text, and answers where all that is asked is some words that it has; only where neither is
    probable nothing is shown. A private section of which the question is the heading answers it, and so does a decision
    that it names, what has a curated name that is all of it, and what a rule names as its answer.
    """

    @unless_final
    def __call__(self, ranking: Ranking) -> Ranking:
        named = ranking.query.unresolved
        if named and not is_curated_name(ranking):
            reason = Reason("no_such_provision", {"citation": named})
            return ranking.abstaining(reason, type(self)).noting(f"there is no {named} here")
        first = ranking.candidates[:JUDGED_BY]
        if not first:
            return replace(ranking, abstained=True).noting("nothing was found")
        if is_headed(first[0]) or any(is_named_decision(one) or is_named(one) for one in first):
            confident = is_confident(first, ranking.query.thresholds)
            return replace(ranking, confident=confident).noting("the question names it")
        if ranking.notice and ranking.notice.code == ANOTHER_COUNTRY:
            reason = Reason(ANOTHER_COUNTRY)
            return ranking.abstaining(reason, type(self)).noting("it asks about the law of another country")
        verdicts = list(filter(None, (by_its_own(ranking, first), as_any_text(ranking, first))))
        if all(verdict.declines for verdict in verdicts):
            reason = Reason("abstained", {"probability": round(max(v.probability for v in verdicts), 3)})
            return ranking.abstaining(reason, type(self)).noting("; ".join(map(str, verdicts)))
        scales = "; ".join(verdict.scale for verdict in verdicts if verdict.scale)
        return replace(ranking, confident=is_confident(first, ranking.query.thresholds)).noting(scales)


class Verdict(NamedTuple):
    """How probable it is that candidates hold an answer, and below what the search abstains."""

    probability: float = 1.0
    minimum: float = 0.0
    scale: str = ""  # where the minimum is not the domain's own, why
    has_keywords: bool = False  # all that is asked is some words, and they are there, however improbable an answer is

    def __str__(self) -> str:
        below = f"probability of an answer {self.probability:.3f}, below {self.minimum:.3f}"
        return "; ".join(filter(None, (below, self.scale)))

    @property
    def declines(self) -> bool:
        return self.probability < self.minimum and not self.has_keywords


UNTOLD = Verdict()  # where nothing was calibrated, or a leg did not run


def by_its_own(ranking: Ranking, first: Sequence[Candidate]) -> Verdict | None:
    """By what was judged or learned of the candidates' domains; None where nothing was of any."""
    of = ranking.query.thresholds
    known = [c for c in first if of.get(c.domain_id, ANY_TEXT).is_known]
    if not known:
        return None
    own = min((of[c.domain_id] for c in known), key=lambda o: minimum_of(ranking, o))
    probability = answer_probability(ranking, known, own)
    if probability is None:
        return UNTOLD
    minimum = minimum_of(ranking, own)
    scale = "" if minimum == own.answer_minimum or own is LEARNED else f"{own.name}: {OTHER_SCALE}, {minimum} holds"
    return Verdict(probability, minimum, scale)


def as_any_text(ranking: Ranking, first: Sequence[Candidate]) -> Verdict | None:
    """Of candidates of domains of which nothing was judged or learned, whatever the reranker makes of them, which
    learned from others; None where there are none. A curator's answer minimum is a place on the reranker's scale, so
    that only one of 0 says something here: that the domain never declines.
    """
    of = ranking.query.thresholds
    unknown = [c for c in first if not of.get(c.domain_id, ANY_TEXT).is_known]
    if not unknown:
        return None
    if FITTED_ON.intersection(ranking.degraded) or is_headed(unknown[0]) or any(map(is_named, unknown)):
        return UNTOLD
    weights = ANY_TEXT.calibration
    best = max(logistic(features(candidate), weights) for candidate in unknown)
    probability = answered_by(best, weights)
    never = any(of.get(c.domain_id, ANY_TEXT).answer_minimum == 0.0 for c in unknown)
    minimum = 0.0 if never else ANY_TEXT.answer_minimum
    return Verdict(probability, minimum, has_keywords=has_keywords(ranking.query, unknown))


def has_keywords(query: Query, candidates: Iterable[Candidate]) -> bool:
    """Whether all that was asked is some words, "governing law", and one of these texts has them all: such a question
    is as near to nothing as to anything.
    """
    return query.strategy == "keyword" and any(candidate.scores.get(ALL_WORDS) for candidate in candidates)


def minimum_of(ranking: Ranking, own: Thresholds) -> float:
    """Below what the search abstains: the domain's minimum or, where that was chosen on another scale than the
    reranker's, the one that fits every reranker of this scale.
    """
    return own.answer_minimum if ranking.answer is None or own.is_on_scale else USUAL_MINIMUM


def answer_probability(ranking: Ranking, known: Sequence[Candidate], own: Thresholds) -> float | None:
    """The probability that an answer was found; None where nothing was calibrated."""
    if ranking.answer is not None:
        return ranking.answer
    probabilities = [candidate.probability for candidate in known]
    return None if None in probabilities else answered_by(max(probabilities), own.calibration)


def answered_by(best: float, weights: Mapping[str, float]) -> float:
    """The probability that an answer was found when the best candidate is relevant with this one: a page of ten has
    more than one chance. Weights fitted before that was known take the candidate's for it.
    """
    if "answer_slope" not in weights:
        return best
    odds = math.log(max(best, 1e-9) / max(1.0 - best, 1e-9))
    return 1.0 / (1.0 + math.exp(-(weights["answer_slope"] * odds + weights["answer_intercept"])))
