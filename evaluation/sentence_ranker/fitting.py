"""Fits a small cross-encoder to tell the sentence that answers from others of its provision (answer sentence
selection), in torch: only in the process of `manage.py train_sentence_ranker`. It begins with the first layers of the
embedder, and of four sentences the right one is to score highest (softmax cross-entropy, as ListNet's first place; Cao
et al. 2007).
"""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.fine_tuning import EVERY, Checkpoint, share_of_rate
from evaluation.sentence_ranker.choices import Choice
from retrieval.engines.embedders import default_model_dir, opened, weights_sha256
from retrieval.errors import ArfError

LAYERS = 3  # of six: a sentence is read in half the time
BATCH = 16  # choices
BUCKET = 16 * BATCH  # choices sorted by length together, so that little is padded
RATE, RATE_OF_HEAD = 1e-4, 1e-3
MAX_TOKENS = 112  # of question and sentence
SEED = 0


def fit(
    folder: Path, choices: Sequence[Choice], *, threads: int, say: Callable[[str], None] = lambda line: None
) -> "Fitting":
    """Passes over the choices once. Goes on from its checkpoint. Raises ArfError for a folder that holds another
    training, or without choices.
    """
    fitting = Fitting(folder, choices, threads)
    while fitting.position < fitting.batches:
        fitting.take_batch()
        if fitting.position % EVERY == 0 or fitting.position == fitting.batches:
            fitting.keep()
            say(f"{fitting.position} of {fitting.batches} batches; loss {np.mean(fitting.losses[-EVERY:]):.3f}")
    return fitting


class Fitting:
    """The model on its way. `losses`: of each batch since the checkpoint that it began from."""

    def __init__(self, folder: Path, choices: Sequence[Choice], threads: int):
        import torch

        if not choices:
            raise ArfError("There are no names that point to sentences.")
        folder.mkdir(parents=True, exist_ok=True)
        torch.set_num_threads(threads)
        torch.manual_seed(SEED)
        self.is_half = torch.cpu._is_avx512_bf16_supported()  # two thirds of the time where it is computed so
        embedder = opened(default_model_dir(), model_kwargs={"attn_implementation": "eager"})
        self.tokenizer, self.model = embedder.tokenizer, first_layers(embedder[0].auto_model)
        self.head = torch.nn.Linear(self.model.config.hidden_size, 1)
        trained = [each for each in self.model.parameters() if each.requires_grad]
        self.optimizer = torch.optim.AdamW(
            [{"params": trained, "of_all": RATE}, {"params": self.head.parameters(), "of_all": RATE_OF_HEAD}]
        )
        self.choices, self.order, self.losses = choices, in_order(choices), list[float]()
        self.checkpoint = Checkpoint(folder / "checkpoint.pt", self._digest())
        self._resume(self.checkpoint.read())

    @property
    def batches(self) -> int:
        return len(self.order)

    def take_batch(self) -> None:
        import torch

        for group in self.optimizer.param_groups:
            group["lr"] = group["of_all"] * share_of_rate(self.position / self.batches)
        loss = self._loss([self.choices[n] for n in self.order[self.position]])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.losses.append(loss.item())
        self.position += 1

    def _loss(self, choices: Sequence[Choice]) -> Any:
        import torch

        pairs = [(one.question, text) for one in choices for text in one.texts]
        with torch.autocast("cpu", torch.bfloat16, enabled=self.is_half):
            logits = self.logits(pairs).float()
        right = torch.zeros(len(choices), dtype=torch.long)
        return torch.nn.functional.cross_entropy(logits.view(len(choices), -1), right)

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """(pairs,) of question and sentence."""
        questions, texts = zip(*pairs, strict=True)
        cut = {"truncation": "longest_first", "max_length": MAX_TOKENS, "padding": True}
        read = self.tokenizer(list(questions), list(texts), **cut, return_tensors="pt")
        return self.head(self.model(**read).last_hidden_state[:, 0]).squeeze(-1)

    def keep(self) -> None:
        states = {name: getattr(self, name).state_dict() for name in ("model", "head", "optimizer")}
        self.checkpoint.keep(position=self.position, **states)

    def _resume(self, state: dict) -> None:
        self.position = state.get("position", 0)
        for name in ("model", "head", "optimizer") if state else ():
            getattr(self, name).load_state_dict(state[name])

    def _digest(self) -> str:
        """What the result depends on; not how many threads made it."""
        constants = (LAYERS, BATCH, BUCKET, RATE, RATE_OF_HEAD, MAX_TOKENS, SEED, weights_sha256(default_model_dir()))
        return hashlib.sha256(repr((constants, list(self.choices))).encode()).hexdigest()


def first_layers(model: Any) -> Any:
    """Of a transformer, ready to be fitted. Words keep their vectors: most stand in no name."""
    model.encoder.layer = model.encoder.layer[:LAYERS]
    model.config.num_hidden_layers = LAYERS
    model.requires_grad_(True)
    model.embeddings.word_embeddings.requires_grad_(False)
    model.embeddings.position_embeddings.requires_grad_(False)
    return model.train()


def in_order(choices: Sequence[Choice]) -> list[np.ndarray]:
    """Batches of like length, at random."""
    chance = np.random.default_rng(SEED)
    lengths = np.array([sum(map(len, one.texts)) for one in choices])
    buckets = np.split(np.arange(len(choices)), range(BUCKET, len(choices), BUCKET))
    sorted_ = [bucket[np.argsort(lengths[bucket], kind="stable")] for bucket in buckets]
    batches = [each for bucket in sorted_ for each in np.split(bucket, range(BATCH, len(bucket), BATCH))]
    return [batches[n] for n in chance.permutation(len(batches))]
