"""What the learned reranker reads of a candidate: one row of numbers, the same in training and in serving.

Pure. The scores and ranks are those the legs really gave; nothing is computed for training alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retrieval.ranking import Candidate

LEGS = ("dense", "lexical", "alias", "alias_near", "citation", "private")
RANKED = ("dense", "lexical", "alias_near")  # legs whose ranks say more than that they found it
FEATURES = (
    "fused",
    "fused_share",
    *(f"{leg}_score" for leg in LEGS),
    *(f"{leg}_below_best" for leg in RANKED),
    *(f"{leg}_reciprocal_rank" for leg in RANKED),
    "coverage",
    "legs",
    "cited_siblings",
    "prior",
    "votes",
    "votes_share",
    "votes_best_neighbour",
    "query_words",
    "depth",
    "heading_overlap",
    "amendment",
)


@dataclass(frozen=True, slots=True)
class JudgedNeighbours:
    """What judged topics say of a question before it is read: how often each provision was relevant at all, and
    which were relevant to the most similar topics.

    `vectors`: (n, dims) float32, unit length, one row a judged topic; `relevant`: for each the provisions with
    their grades; `prior`: in how many topics each provision was relevant.
    """

    vectors: np.ndarray
    relevant: tuple[Mapping[str, int], ...]
    prior: Mapping[str, int]

    NEAREST = 20
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


@dataclass(frozen=True, slots=True)
class Asked:
    """The question as the features see it."""

    words: frozenset[str]
    vector: np.ndarray | None


@dataclass(frozen=True, slots=True)
class Place:
    """What of a section enters its row, beside its scores."""

    locator: str
    heading: frozenset[str]


def matrix(
    asked: Asked, candidates: Sequence[Candidate], places: Sequence[Place], judged: JudgedNeighbours
) -> np.ndarray:
    """(len(candidates), len(FEATURES)) float32."""
    scores = {leg: column(candidates, leg) for leg in (*LEGS, "coverage")}
    votes, nearest = judged.votes(asked.vector)
    prior = judged.prior
    fused = np.array([candidate.score for candidate in candidates])
    locators = [place.locator for place in places]
    all_votes = sum(votes.values()) or 1.0
    columns = [
        fused,
        fused / (fused.sum() or 1.0),
        *(scores[leg] for leg in LEGS),
        *(scores[leg].max(initial=0.0) - scores[leg] for leg in RANKED),
        *(reciprocal_ranks(candidates, leg) for leg in RANKED),
        scores["coverage"],
        np.array([len(candidate.ranks) for candidate in candidates]),
        siblings_cited(locators, scores["citation"]),
        np.log1p([prior.get(locator, 0) for locator in locators]),
        np.array([votes.get(locator, 0.0) for locator in locators]),
        np.array([votes.get(locator, 0.0) / all_votes for locator in locators]),
        np.array([nearest.get(locator, 0.0) for locator in locators]),
        np.full(len(candidates), len(asked.words)),
        np.array([locator.count("/") for locator in locators]),
        np.array([overlap(asked.words, place.heading) for place in places]),
        np.array(["/amendment/" in locator for locator in locators]),
    ]
    return np.array(columns, dtype=np.float32).T.reshape(len(candidates), len(FEATURES))


def column(candidates: Sequence[Candidate], leg: str) -> np.ndarray:
    return np.array([candidate.scores.get(leg, 0.0) for candidate in candidates], dtype=float)


def reciprocal_ranks(candidates: Sequence[Candidate], leg: str) -> np.ndarray:
    return np.array(
        [1.0 / candidate.ranks[leg] if leg in candidate.ranks else 0.0 for candidate in candidates]
    )


def siblings_cited(locators: Sequence[str], cited: np.ndarray) -> np.ndarray:
    """How many candidates under the same parent a citation named: one alone says more than one of eighteen."""
    parents = [locator.rpartition("/")[0] for locator in locators]
    count: dict[str, float] = {}
    for parent, one in zip(parents, cited, strict=True):
        count[parent] = count.get(parent, 0.0) + one
    return np.array([count[parent] for parent in parents])


def overlap(question: frozenset[str], heading: frozenset[str]) -> float:
    """Jaccard similarity of the stems of the question and of the heading with the plain name."""
    return len(question & heading) / (len(question | heading) or 1)
