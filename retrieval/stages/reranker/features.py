"""What the learned reranker reads of a candidate: one row of numbers, the same in training and in serving.

Pure. The scores and ranks are those the legs really gave, the words those stored at ingest; nothing is computed for
training alone. `arf_features` tells which of them are mended formulas of ARF.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from retrieval.indexes.terms import CandidateWords, QueryWords, matched
from retrieval.ranking import Candidate

LEGS = ("dense", "lexical", "alias", "alias_near", "alias_lexical", "citation", "act", "private")
RANKED = ("dense", "lexical", "alias_near", "alias_lexical", "act")  # their ranks say more than that they found it
NAMES = ("named", "name_near", "name_words")  # has curated names; what these say, whoever brought it
COVERED = ("coverage", "alias_coverage")  # BM25 as a share of the most that the question's words could weigh
OF_TEXT = (
    "first_score",  # before any learned order: fused, and what whole texts add to that
    "first_share",
    *(f"{leg}_score" for leg in LEGS),
    *(f"{leg}_below_best" for leg in RANKED),
    *(f"{leg}_reciprocal_rank" for leg in RANKED),
    *COVERED,
    *NAMES,
    "name_near_below_best",
    "legs",
    "cited_siblings",
    "parent_score",
    "query_words",
    "depth",
    "amendment",
    "heading_overlap",
    "bm25",
    "bm25_below_best",
    "terms_covered",
    "breadcrumb_match",
    "called_match",
    "cited_by",
    "cited_by_below_best",
    "words",
    "cross_encoder",
)
OF_JUDGMENTS = ("prior", "votes", "votes_share", "votes_best_neighbour")
FEATURES = (*OF_TEXT, *OF_JUDGMENTS)
NEAR = FEATURES.index("alias_near_score")


BEYOND = 2.0  # greater than any cosine
NO_VECTORS = np.zeros((0, 0), np.float32)


class JudgedQuestion(NamedTuple):
    """A judged question as it may be shown to others; without text where readers asked it."""

    domain: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class JudgedNeighbours:
    """What judged topics say of a question before it is read: how often each provision was relevant at all, and
    which were relevant to the most similar topics.

    `vectors`: (n, dims) float32, unit length, one row a judged topic; `relevant`: for each the provisions with
    their grades; `prior`: in how many topics each provision was relevant; `questions`: each topic as it is shown;
    `unanswerable`: (m, dims) as `vectors`, of questions that no law here answers.
    """

    vectors: np.ndarray
    relevant: tuple[Mapping[str, int], ...]
    prior: Mapping[str, int]
    questions: tuple[JudgedQuestion, ...] = ()
    unanswerable: np.ndarray = field(default_factory=lambda: NO_VECTORS)

    NEAREST = 20
    FEW = 5  # questions whose mean cosine tells whether what is asked is like them
    ENOUGH = 20  # judged questions of a body of law: fewer do not tell what is asked of it
    LEAST = 0.2  # cosine below which two questions have nothing in common
    SHARPNESS = 4  # votes fall with the fourth power of the cosine
    SAME = 0.98  # cosine from which two questions are one: among the shipped ones none but repeats comes near

    def votes(self, vector: np.ndarray | None) -> tuple[dict[str, float], dict[str, float]]:
        """By provision: the summed votes of the nearest topics, and the cosine of the nearest that names it."""
        if vector is None or not len(self.vectors):
            return {}, {}
        cosines = self.vectors @ vector
        total: dict[str, float] = {}
        best: dict[str, float] = {}
        for n in np.argsort(-cosines, kind="stable")[: self.NEAREST]:
            cosine = float(cosines[n])
            if cosine < self.LEAST:
                break
            for locator, grade in self.relevant[n].items():
                total[locator] = total.get(locator, 0.0) + grade / 3 * cosine**self.SHARPNESS
                best[locator] = max(best.get(locator, 0.0), cosine)
        return total, best

    def agreed(self, vector: np.ndarray | None) -> Mapping[str, int]:
        """Grades of the provisions that people judged relevant to this very question, where it was judged."""
        if vector is None or not len(self.vectors):
            return {}
        cosines = self.vectors @ vector
        nearest = int(np.argmax(cosines))
        return self.relevant[nearest] if cosines[nearest] >= self.SAME else {}

    def likeness(self, vector: np.ndarray | None) -> float | None:
        """How much nearer the question is to those that law here answers than to those that none does, in cosines;
        None where no such questions are known.
        """
        if vector is None or not len(self.vectors) or not len(self.unanswerable):
            return None
        return self._near(self.vectors @ vector) - self._near(self.unanswerable @ vector)

    def unanswered(self, vector: np.ndarray) -> float:
        """The cosine of the nearest question that no law here answers, where such questions are known."""
        return float((self.unanswerable @ vector).max())

    def near_each(self, vector: np.ndarray, domains: Sequence[str]) -> dict[str, float]:
        """How near the question is to those judged in each of these domains, in cosines. One without enough of them
        is as near as what no law here answers or, where that is nearer, as this and the others on average. Empty where
        none has.
        """
        if not self.questions:
            return {}
        cosines, among = self.vectors @ vector, self.places(domains)
        return self.nearness({domain: cosines[its] for domain, its in among.items()}, vector)

    def places(self, domains: Iterable[str]) -> dict[str, np.ndarray]:
        """(n,) bool for each domain: which questions were judged in it. Empty where none is known."""
        of = np.array([question.domain for question in self.questions])
        return {domain: of == domain for domain in domains} if self.questions else {}

    def nearness(self, by_domain: Mapping[str, np.ndarray], vector: np.ndarray) -> dict[str, float]:
        """`by_domain`: the question's cosines with those judged in each."""
        near = {domain: self._near(its) for domain, its in by_domain.items() if len(its) >= self.ENOUGH}
        if not near:
            return {}
        nowhere = [self._near(self.unanswerable @ vector)] if len(self.unanswerable) else []
        usual = float(max([np.mean([*nowhere, *near.values()]), *nowhere]))
        return {domain: near.get(domain, usual) for domain in by_domain}

    def _near(self, cosines: np.ndarray) -> float:
        return float(np.sort(cosines)[-self.FEW :].mean())

    def alike(self, vector: np.ndarray | None, least: Mapping[str, float]) -> list[JudgedQuestion]:
        """Questions that may be shown, the most similar first. `least`: the cosine asked for, by domain; those of
        domains that it does not name are left out.
        """
        if vector is None or not self.questions:
            return []
        cosines = self.vectors @ vector
        near = np.flatnonzero(cosines >= min(least.values(), default=BEYOND))
        return [
            question
            for n in near[np.argsort(-cosines[near], kind="stable")]
            if (question := self.questions[n]).text and cosines[n] >= least.get(question.domain, BEYOND)
        ]


@dataclass(frozen=True, slots=True)
class Asked:
    """The question as the features see it."""

    words: QueryWords
    vector: np.ndarray | None


def matrix(
    asked: Asked, candidates: Sequence[Candidate], texts: CandidateWords, judged: JudgedNeighbours
) -> np.ndarray:
    """(len(candidates), len(FEATURES)) float32."""
    locators = [candidate.locator for candidate in candidates]
    return np.hstack([of_text(asked, candidates, texts), of_judgments(asked.vector, locators, judged)])


def of_text(asked: Asked, candidates: Sequence[Candidate], texts: CandidateWords) -> np.ndarray:
    """(len(candidates), len(OF_TEXT)) float32: what candidates and their texts say, whoever judged what."""
    if not candidates:
        return np.zeros((0, len(OF_TEXT)), np.float32)
    scores = by_leg([candidate.scores for candidate in candidates], (*LEGS, *COVERED, *NAMES, "cross_encoder"))
    ranks = by_leg([candidate.ranks for candidate in candidates], RANKED)
    fused = np.array([candidate.score for candidate in candidates])
    locators = [candidate.locator for candidate in candidates]
    words = matched(asked.words, texts)
    _, parents = np.unique([locator.rpartition("/")[0] for locator in locators], return_inverse=True)
    return as_columns(
        fused,
        fused / (fused.sum() or 1.0),
        *(scores[leg] for leg in LEGS),
        *(below_best(scores[leg]) for leg in RANKED),
        *(np.divide(1.0, ranks[leg], out=np.zeros(len(fused)), where=ranks[leg] > 0) for leg in RANKED),
        *(scores[name] for name in (*COVERED, *NAMES)),
        below_best(scores["name_near"]),
        np.array([len(candidate.ranks) for candidate in candidates]),
        np.bincount(parents, scores["citation"])[parents],
        best_of_group(scores["dense"], parents)[parents],
        np.full(len(fused), len(asked.words.every)),
        np.array([locator.count("/") for locator in locators]),
        np.array(["/amendment/" in locator for locator in locators]),
        words.head,
        words.bm25,
        below_best(words.bm25),
        words.covered,
        words.breadcrumb,
        words.called,
        words.cited_by,
        below_best(words.cited_by),
        words.length,
        scores["cross_encoder"],
    )


def of_judgments(vector: np.ndarray | None, locators: Sequence[str], judged: JudgedNeighbours) -> np.ndarray:
    """(len(locators), len(OF_JUDGMENTS)) float32: what judged topics say of the question and of each provision."""
    votes, nearest = judged.votes(vector)
    all_votes = sum(votes.values()) or 1.0
    given = np.array([votes.get(locator, 0.0) for locator in locators])
    return as_columns(
        np.log1p([judged.prior.get(locator, 0) for locator in locators]),
        given,
        given / all_votes,
        np.array([nearest.get(locator, 0.0) for locator in locators]),
    )


EVIDENCE = ("best", "best_three", "best_ten", "alias_near")
FIRST_PAGE = 10
ANSWER_SCALE = 1  # of the probability of an answer: to be counted up when what a place on it means changes
USUAL_MINIMUM = 0.5  # on that scale 3 % of the answerable questions learned from lie below it


def evidence(raw: np.ndarray, near: np.ndarray) -> np.ndarray:
    """(4,) what says whether a pool holds an answer at all: the log odds of the highest probability, the sums of the
    three and the ten highest, and among these ten the greatest similarity of a curated name. `raw`, `near`: (n,).
    """
    first = np.argsort(-raw, kind="stable")[:FIRST_PAGE]
    best = raw[first]
    clipped = min(max(best[0], 0.001), 0.999)
    return np.array([np.log(clipped / (1 - clipped)), best[:3].sum(), best.sum(), near[first].max()])


def as_columns(*columns: np.ndarray) -> np.ndarray:
    return np.array(columns, dtype=np.float32).T


def by_leg(rows: Sequence[Mapping[str, float]], legs: Sequence[str]) -> dict[str, np.ndarray]:
    """Each leg's values, 0 where it found nothing."""
    values = np.array([[row.get(leg, 0.0) for leg in legs] for row in rows], dtype=float)
    return dict(zip(legs, values.reshape(len(rows), len(legs)).T, strict=True))


def below_best(values: np.ndarray) -> np.ndarray:
    return values.max(initial=0.0) - values


def best_of_group(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """(groups,) the highest value of each: a section is worth what the best below it is."""
    best = np.zeros(groups.max(initial=-1) + 1)
    np.maximum.at(best, groups, values)
    return best
