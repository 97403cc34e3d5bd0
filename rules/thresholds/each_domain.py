"""The search of one body of law, run in each that the question may be about, and the answers of all as one ranking."""

import math
from collections.abc import Sequence
from functools import reduce
from pathlib import Path

import numpy as np

from retrieval.pipeline import Stage, run_stage
from retrieval.ranking import (
    NEAR_MISSES,
    Candidate,
    DomainScope,
    Query,
    Ranking,
    Reason,
    StageReport,
    replace,
)
from retrieval.stages.quoted import quoted_words
from retrieval.stages.reranker.reranker import any_answer_fitted, serving
from retrieval.stages.route import weight_of_words
from retrieval.targets import Selection
from retrieval.text.states import names_a_state
from rules import published
from rules.aliases.retrievers import named_by
from rules.logistic import Logistic, log_odds, read, shipped
from rules.thresholds.likely import LEAST, features_of, is_complete, shares
from rules.thresholds.stages import (
    ANY_TEXT,
    JUDGED_BY,
    UNTOLD,
    Abstain,
    Verdict,
    as_any_text,
    by_its_own,
    is_cited,
    is_named,
)

# A softmax over domains of what is known of each before it is searched (`DomainFeatures`), and of what it found: the
# greatest cosine, and the answer's log odds, weighed by what they rest on: a domain's own calibration or, fitted where
# that was hidden, that of any text.
KNOWN_BEFORE, NEAREST = np.array([0.06, 8.4, 8.0, 12.0]), 3.3
OWN, ANY = (0.68, 0.0), (0.5, 0.2)
Found = Sequence[tuple[DomainScope, Ranking]]
PRIVATE = -0.5  # in place of a route, of which nothing is known: by the weights before names told so much, all 48
# questions to contracts came before public law, and 5 of 150 to public law after a contract
NAMED = 6.0  # of documents of which nothing was learned, where a curated name is all of the question: no text
# of another body says as much
MORE_LIKELY = 0.5  # title 8 loaded alone, before a training: of 83 questions to it .07 are declined in place of .22, of
# 187 that nothing answers .80 in place of .91
# Whether any of several bodies answers: each declines by its own calibration, and of several one nearly always is
# unsure enough to answer something. `manage.py train_any_answer` fits what ships; a job fits it to the bodies that are
# loaded after each training of the reranker.
FILE = Path(__file__).parent / "any_answer.json"
FEATURES = (
    "relevant",  # the log odds that the likeliest of the first candidates is (`relevance`)
    "likeness",  # how much nearer the question is to judged ones that law here answers than to those that none does
    "unanswered",  # the cosine of the nearest of the latter
    "said",  # the greatest share of the question that a curated name says
    "near",  # the cosine of the nearest text
    "weight",  # of the question's words in all public law
    "state",  # whether it names one, whose own law is not here
)


class EachDomain:
    """Runs its stages in each domain by itself, so that a domain's legs are fused, its candidates reranked and its
    probabilities calibrated among its own. At most `most` public domains are searched, the likeliest, and none that is
    improbable beside them, unless the question is a curated name in one of which nothing was learned; private ones
    always are. The trace says what was left out.

    Candidates of all domains are put in order by what means the same in each: the probability that the domain answers,
    by what is known of it before (`rules/thresholds/likely.py`), its own calibration and its nearest text, over the
    square of the candidate's place in it. A domain that declines, or lacks the words in quotes, gives nothing where
    another answers. Where its stages decline, public domains are also judged together: they decline if it is improbable
    that any of them answers, and else one that declines by itself still shows its nearest. In one domain alone nothing
    is changed.
    """

    essential = True

    def __init__(self, *stages: Stage, most: int):
        self.stages = stages
        self.most = most

    def __repr__(self) -> str:
        return f"EachDomain({', '.join(map(repr, self.stages))}, most={self.most})"

    def __call__(self, ranking: Ranking) -> Ranking:
        filled = ranking.query.filled
        if ranking.final or len(filled) < 2:
            return self._run(ranking).noting("one search", skipped=True)
        found, doubtful = self.found(ranking), False
        if any(isinstance(stage, Abstain) for stage in self.stages):
            found, doubtful = judged_together(ranking.query, found)
        merged = replace(together(ranking, found), doubtful=doubtful)
        return merged.noting(account_of(ranking.query, [domain for domain, _ in found]))

    def found(self, ranking: Ranking) -> "Found":
        """What each domain that is searched finds by itself."""
        searched = chosen(ranking.query, ranking.query.filled, self.most)
        return [(domain, self._within(ranking, domain)) for domain in searched]

    def _run(self, ranking: Ranking) -> Ranking:
        return reduce(lambda so_far, stage: run_stage(stage, so_far), self.stages, ranking)

    def _within(self, ranking: Ranking, domain: DomainScope) -> Ranking:
        query = replace(ranking.query, domains=(domain,), within=within_domain(ranking.query, domain))
        return self._run(replace(ranking, query=query, reports=(), dropped=(), degraded=()))


def within_domain(query: Query, domain: DomainScope) -> Selection | None:
    """What the caller restricts the search of this domain to; None where all of it may be searched."""
    if query.within is None or domain.id in query.within.whole_domains:
        return None
    return query.within.below_domains


def chosen(query: Query, domains: Sequence[DomainScope], most: int) -> list[DomainScope]:
    """The most probable first, private ones before all. Those that the question cannot be about are none; what the
    caller or rules restrict the search to may lie in any.
    """
    possible = list(filter(query.route_to, domains))
    if query.selections:
        return sorted(possible, key=lambda domain: -query.route_to(domain))
    share, least = shares(query), LEAST if may_be_left_out(query) else 0.0
    public = sorted((d for d in possible if not d.private), key=lambda domain: -share[domain.id])
    likely = [
        domain
        for place, domain in enumerate(public)
        if not place or (place < most and share[domain.id] >= least) or is_called_in(query, domain)
    ]
    return [*(domain for domain in possible if domain.private), *likely]


def is_called_in(query: Query, domain: DomainScope) -> bool:
    """Whether the question is a curated name in a body of which nothing was judged or learned."""
    is_known = query.thresholds.get(domain.id, ANY_TEXT).is_known
    return not is_known and bool(named_by(replace(query, domains=(domain,)), query.original))


def may_be_left_out(query: Query) -> bool:
    """Whether enough is known of a question not to search what is improbable: all bodies were compared, also by
    meaning and by all of their names, and neither words in quotes nor a rule may lead to any of them.
    """
    if not is_complete(query) or query.vector is None or query.fired or quoted_words(query.original):
        return False
    version = published.version_of("aliases", query.versions)
    return published.domains_with_unread_names(version, query.embedded_by).isdisjoint(d.id for d in query.filled)


def judged_together(query: Query, found: Found) -> tuple[Found, bool]:
    """All public domains decline where it is improbable that any of them answers, but for one of which nothing was
    learned and that answers by itself; else none does beside one that answers. And whether what is shown is doubtful:
    hardly more probable than what declines, no private domain answers, and the likeliest is none of which nothing was
    learned.
    """
    told = signs(query, found)
    if told is None or all(answer.abstained for domain, answer in found if not domain.private):
        return found, False
    answering = any_answers(query)
    probability = answering.of(told)
    if probability >= answering.minimum:
        kept = [(d, answer if d.private else shown_all_the_same(answer)) for d, answer in found]
        return kept, probability < answering.sure and not answers_by_itself(query, found)
    reason = Reason("abstained", {"probability": round(probability, 3)})
    return [(d, a if d.private or answers_unlearned(a) else declined(a, reason)) for d, a in found], False


def answers_by_itself(query: Query, found: Found) -> bool:
    share = shares_of(query, found)
    _, likeliest = max(found, key=lambda pair: share[pair[0].id])
    return answers_unlearned(likeliest) or any(d.private and not answer.abstained for d, answer in found)


def answers_unlearned(answer: Ranking) -> bool:
    """Whether a domain of which nothing was judged or learned more probably answers than not, as any text. Questions
    of it are like none that was judged, so that how like they are says nothing.
    """
    verdict = as_any_text(answer, first_of(answer))
    return verdict not in (None, UNTOLD) and not answer.abstained and verdict.probability >= MORE_LIKELY


def signs(query: Query, found: Found) -> np.ndarray | None:
    """What tells whether any of several public domains answers. None where that is not asked: a part of the search did
    not run, it is restricted to places, or the question cites or names one.
    """
    public = [(domain, answer) for domain, answer in found if not domain.private]
    answers = [answer for _, answer in public]
    several = sum(not domain.private and query.route_to(domain) > 0 for domain in query.filled) > 1
    if not several or query.selections or any(answer.degraded for answer in answers):
        return None
    if all(answer.answer is None for answer in answers) or any(
        is_cited(c) or is_named(c) for a in answers for c in a.candidates
    ):
        return None
    shown = [one for found_there in answers for one in first_of(found_there)]
    return features(
        query,
        relevant=max(map(relevance, answers)),
        said=max((one.scores.get("alias_coverage", 0.0) for one in shown), default=0.0),
        near=max((one.scores.get("dense", 0.0) for one in shown), default=0.0),
    )


def relevance(answer: Ranking) -> float:
    """The probability that the likeliest of the first candidates of a body is relevant, or, in one of which nothing was
    learned, that any text like it answers.
    """
    first = first_of(answer)
    if (verdict := as_any_text(answer, first)) is not None:
        return 0.0 if verdict is UNTOLD else verdict.probability
    return max((one.probability or 0.0 for one in first), default=0.0)


def any_answers(query: Query) -> Logistic:
    """The probability that one of the bodies answers. Below its minimum nothing is shown of what public ones found, and
    below what is `sure` it is doubtful.
    """
    fitted = any_answer_fitted(query.versions.get("model", 0))
    if fitted is None or fitted["weights"].keys() != set(FEATURES):  # of a release with other features
        return shipped(FILE, FEATURES)
    return read(fitted, FEATURES)


def features(query: Query, *, relevant: float, said: float, near: float) -> np.ndarray | None:
    """(len(FEATURES),) of a question that a reranker served; None where that knows no questions to compare it with."""
    judged = serving(query)[0].judged
    likeness = judged.likeness(query.vector)
    if likeness is None:
        return None
    weight = weight_of_words(query, [domain for domain in query.filled if not domain.private])
    state = names_a_state(query.text)
    return np.array([log_odds(relevant), likeness, judged.unanswered(query.vector), said, near, weight, state])


def declined(answer: Ranking, reason: Reason) -> Ranking:
    return answer if answer.abstained else replace(answer.abstaining(reason, Abstain), confident=False)


def shown_all_the_same(answer: Ranking) -> Ranking:
    """What declined with its near misses as candidates; another answer as it is."""
    if not answer.abstained or not answer.near_misses:
        return answer
    ids = {candidate.section_id for candidate in answer.near_misses}
    dropped = tuple(gone for gone in answer.dropped if gone.candidate.section_id not in ids)
    return replace(answer, candidates=answer.near_misses, near_misses=(), dropped=dropped, abstained=False)


def together(ranking: Ranking, found: Found) -> Ranking:
    """One ranking of what was found in each domain."""
    share = shares_of(ranking.query, found)
    answering = answers_among(found)
    _, first = max(answering, key=lambda pair: share[pair[0].id])
    merged = replace(
        ranking,
        dropped=(*ranking.dropped, *(gone for _, answer in found for gone in answer.dropped)),
        reports=(*ranking.reports, *(named(report, d) for d, answer in found for report in answer.reports)),
        degraded=tuple(dict.fromkeys((*ranking.degraded, *(n for _, answer in found for n in answer.degraded)))),
        abstained=first.abstained,
        confident=first.confident,
        answer=first.answer,
        missing_words=first.missing_words,
        shadow=first.shadow,
    )
    if first.abstained:
        misses = (one for d, answer in found for one in placed(answer.near_misses, share[d.id]))
        return replace(merged, near_misses=tuple(sorted(misses, key=lambda c: -c.score)[:NEAR_MISSES]))
    return merged.with_candidates(one for d, answer in answering for one in placed(answer.candidates, share[d.id]))


def answers_among(found: Found) -> Found:
    """Those that answer, and have what is quoted; all of them where none does."""
    answering = [pair for pair in found if not pair[1].abstained]
    return [pair for pair in answering if not pair[1].missing_words] or answering or found


def shares_of(query: Query, found: Found) -> dict[int, float]:
    """By domain, the probability that it is the one that answers."""
    odds = {d.id: np.dot(features_of(query, d), KNOWN_BEFORE) + evidence(d, answer) for d, answer in found}
    weights = {domain: math.exp(log - max(odds.values())) for domain, log in odds.items()}
    return {domain: weight / sum(weights.values()) for domain, weight in weights.items()}


def evidence(domain: DomainScope, answer: Ranking) -> float:
    """The log odds that this domain answers, by what it found and whether it is private, but for what is the same for
    all.
    """
    first = first_of(answer)
    nearest = max((candidate.scores.get("dense", 0.0) for candidate in first), default=0.0)
    is_called_so = as_any_text(answer, first) is not None and any(map(is_named, first))
    before = (PRIVATE if domain.private else 0.0) + (NAMED if is_called_so else 0.0)
    return before + NEAREST * nearest + answer_odds(answer)


def answer_odds(answer: Ranking) -> float:
    """The weighed log odds that what was found in one domain answers."""
    first = first_of(answer)
    if verdict := by_its_own(answer, first):
        return weighed(verdict, *OWN)
    return weighed(as_any_text(answer, first) or UNTOLD, *ANY)


def first_of(answer: Ranking) -> Sequence[Candidate]:
    """What a domain is judged by."""
    return (answer.candidates or answer.near_misses)[:JUDGED_BY]


def weighed(verdict: Verdict, slope: float, intercept: float) -> float:
    """Of an answer of which nothing is known no more is said than that it may be."""
    return slope * log_odds(0.5 if verdict is UNTOLD else verdict.probability) + intercept


def placed(candidates: Sequence[Candidate], share: float) -> list[Candidate]:
    """In their order, with scores that compare with those of other domains."""
    return [one.but(score=share / place**2) for place, one in enumerate(candidates, start=1)]


def named(report: StageReport, domain: DomainScope) -> StageReport:
    return replace(report, note=": ".join(filter(None, (domain.slug, report.note))))


def account_of(query: Query, searched: Sequence[DomainScope]) -> str:
    left = [domain for domain in query.filled if domain not in searched]
    told = f"searched {', '.join(domain.slug for domain in searched)}"
    if not left:
        return told
    share = shares(query)
    return f"{told}; not searched: " + ", ".join(f"{d.slug} ({share.get(d.id, 0.0):.2f})" for d in left)
