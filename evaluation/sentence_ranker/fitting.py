"""Fits a small cross-encoder to tell the sentence that answers from others of its provision (answer sentence
selection), in torch: only in the process of `manage.py train_sentence_ranker`. It begins with the first layers of the
embedder, and of four sentences the right one is to score highest (softmax cross-entropy, as ListNet's first place; Cao
et al. 2007).
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation import fine_tuning
from evaluation.fine_tuning import Recipe, in_order
from evaluation.sentence_ranker.choices import Choice
from retrieval.errors import ArfError

RECIPE = Recipe(layers=3, outputs=1, max_tokens=112, rate=1e-4)  # of six layers: half the time
BATCH = 16  # choices


def fit(
    folder: Path, choices: Sequence[Choice], *, threads: int, say: Callable[[str], None] = lambda line: None
) -> "Fitting":
    """Passes over the choices once. Goes on from its checkpoint. Raises ArfError for a folder that holds another
    training, or without choices.
    """
    return Fitting(folder, choices, threads).to_the_end(say)


class Fitting(fine_tuning.Fitting):
    def __init__(self, folder: Path, choices: Sequence[Choice], threads: int):
        if not choices:
            raise ArfError("There are no names that point to sentences.")
        order = in_order([sum(map(len, one.texts)) for one in choices], BATCH)
        super().__init__(folder, RECIPE, choices, order, threads)

    def loss(self, which: np.ndarray) -> Any:
        import torch

        choices = [self.examples[n] for n in which]
        logits = self.logits([(one.question, text) for one in choices for text in one.texts])
        right = torch.zeros(len(choices), dtype=torch.long)
        return torch.nn.functional.cross_entropy(logits.view(len(choices), -1), right)
