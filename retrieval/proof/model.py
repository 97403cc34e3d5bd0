"""How sure a verdict is: a logistic over alignment, checks and hints, and over what the entailment model reads where it
reads; both kept as a small file of weights. Pure.

`evaluation.proof.training` makes model.json from pairs of claims and provisions that we wrote.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from retrieval.engines.cross_encoders import CrossEncoderUnavailable
from retrieval.proof import entailment
from retrieval.proof.alignment import Alignment, Token
from retrieval.proof.checks import Comparison, allows_what_is_forbidden
from retrieval.proof.types import PROBLEMS, Verdict
from retrieval.proof.vocabulary import ABSOLUTE, FORBIDDING, NEGATIVE
from retrieval.proof.wording import parties, said_by
from retrieval.text.normalization import fold

FILE = Path(__file__).with_name("model.json")
VERDICTS: tuple[Verdict, ...] = ("supported", "contradicted", "not_found")
HINTS = ("negation", "opposite", "modal", "party", "exception")
FEATURES = (
    "coverage", "elsewhere", "order", "spanish", "spanish_coverage", "short", "number_found", "contradicts",
    "negative_only_in_claim", "negative_only_in_law", "forbids_only_in_claim", "forbids_only_in_law", "new_party",
    "unknown", "tight", "allows_what_is_forbidden", "absolute_only_in_claim",
    *(f"problem_{code}" for code in PROBLEMS),
    *(f"hint_{code}" for code in HINTS), *(f"covered_hint_{code}" for code in HINTS),
)  # fmt: skip
READ = (
    *FEATURES, *(f"read_{verdict}" for verdict in VERDICTS), "ordered_problem", "read_problem", "ordered_contradicts",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Model:
    """`weights` are (verdicts, features or those of `READ`), `bias` (verdicts,)."""

    weights: np.ndarray
    bias: np.ndarray

    def probabilities(self, values: Sequence[float]) -> Mapping[Verdict, float]:
        scores = self.weights @ np.asarray(values) + self.bias
        shares = np.exp(scores - scores.max())
        return dict(zip(VERDICTS, (shares / shares.sum()).tolist(), strict=True))


@cache
def shipped(*, read: bool) -> Model:
    """Of claims that the entailment model reads, or of others. Raises ValueError where the file was made for other
    features, and CrossEncoderUnavailable where for the readings of another entailment model.
    """
    made = json.loads(FILE.read_text(encoding="utf-8"))["read" if read else "unread"]
    if tuple(made["features"]) != (READ if read else FEATURES):
        raise ValueError("model.json was made for other features: run `manage.py train_proof`")
    if read and made.get("read_by") != entailment.model().sha256:
        raise CrossEncoderUnavailable(
            "what proof weighs was learned from another entailment model: run `manage.py train_proof --write`"
        )
    return Model(np.array(made["weights"]), np.array(made["bias"]))


def features(
    claim: Sequence[Token], law: Sequence[Token], place: Alignment, compared: Comparison, language: str
) -> list[float]:
    """In the order of `FEATURES`; all within 0 and 1."""
    mine, theirs = said_by(claim), said_by(compared.around)
    terms = {token.term for token in claim} - {""}
    known = {token.term for token in law}
    spanish = float(language == "es")
    hints = [float(code in compared.hints) for code in HINTS]
    return [
        place.coverage,
        place.elsewhere,
        compared.order,
        spanish,
        spanish * place.coverage,
        1 / max(1, len(terms)),
        float(any(word[0].isdigit() for word in mine & theirs)),
        float(compared.contradicts),
        float(bool(mine & NEGATIVE) and not theirs & NEGATIVE),
        float(bool(theirs & NEGATIVE) and not mine & NEGATIVE),
        float(bool(mine & FORBIDDING) and not theirs & FORBIDDING),
        float(bool(theirs & FORBIDDING) and not mine & FORBIDDING),
        float(bool(parties(claim) - known)),
        len(terms - known) / max(1, len(terms)),
        compared.tight,
        float(allows_what_is_forbidden(mine, theirs)),
        float(bool(mine & ABSOLUTE - {fold(token.word) for token in law})),
        *(float(code in compared.problems) for code in PROBLEMS),
        *hints,
        *(hint * place.coverage for hint in hints),
    ]


def with_reading(values: Sequence[float], reading: Sequence[float]) -> list[float]:
    """In the order of `READ`: of a claim whose features and reading these are. What checks find weighs as the claim has
    the law's words in their order, and as the entailment model sees it borne out all the same.
    """
    known = dict(zip(FEATURES, values, strict=True))
    problem = max(known[f"problem_{code}"] for code in PROBLEMS)
    order, contradicts = known["order"], known["contradicts"]
    return [*values, *reading, problem * order, problem * reading[VERDICTS.index("supported")], contradicts * order]
