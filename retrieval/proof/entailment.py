"""What a passage says of a claim by a small cross-encoder that ships, as natural language inference has it: entails,
contradicts, says nothing of. English alone. Pure; nothing that is read is kept.
"""

from functools import cache
from pathlib import Path

import numpy as np

from retrieval.engines.cross_encoders import CrossEncoder

FOLDER = Path(__file__).parent.parent / "engines" / "entailment"
AROUND = 520  # characters of a source that are read: with the claim some 150 tokens
LEAST = -6.0  # of a log probability

Reading = tuple[float, ...]


@cache
def model() -> CrossEncoder:
    """Three outputs, in the order of `retrieval.proof.model.VERDICTS`. Raises CrossEncoderUnavailable."""
    return CrossEncoder(FOLDER, precision="int8")


def reading(claim: str, passage: str) -> Reading:
    """The log probability of each verdict, from -1 (e to the power `LEAST`) to 0. Raises CrossEncoderUnavailable."""
    return of_logits(model().read(claim, passage))


def of_logits(logits: np.ndarray) -> Reading:
    shifted = logits - logits.max()
    return tuple((np.maximum(shifted - np.log(np.exp(shifted).sum()), LEAST) / -LEAST).tolist())


def passage(text: str, start: int, end: int) -> str:
    """What is read of a source whose place from `start` to `end` says a claim best: that and what is around it, in
    whole words.
    """
    spare = max(0, AROUND - (end - start))
    first = max(0, start - spare // 2)
    last = min(len(text), end + spare - (start - first))
    if last == len(text):
        first = max(0, last - max(AROUND, end - start))
    while first > 0 and not text[first - 1].isspace():
        first -= 1
    while last < len(text) and not text[last].isspace():
        last += 1
    return text[first:last].strip()
