"""Fine-tunes a transformer with one logit on pairs, in torch: only in the process of `manage.py train_cross_encoder`.
Whatever kills it, it goes on from its checkpoint, with the result of one run.
"""

import hashlib
import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.fine_tuning import EVERY, Checkpoint, share_of_rate
from retrieval.errors import ArfError

BATCH = 16
BUCKET = 16 * BATCH  # pairs sorted by length together, so that few are padded
RATE = 5e-5  # the usual one for models of this size
SEED = 0


@dataclass(frozen=True, slots=True)
class Pair:
    question: str
    text: str
    relevant: bool


@dataclass(frozen=True)
class Plan:
    """`start`: the folder of weights to begin with. Its defaults are the command's."""

    start: Path
    max_tokens: int = 128
    epochs: int = 3
    threads: int = 2


def fit(
    folder: Path,
    plan: Plan,
    learned: Sequence[Pair],
    held_out: Sequence[Pair],
    *,
    say: Callable[[str], None] = lambda line: None,
) -> Path:
    """Fits until the epochs are done or one is worse on what is held out, and gives the folder of the best weights.
    Raises ArfError for a folder that holds another training.
    """
    fitting = Fitting(folder, plan, learned, held_out)
    while not fitting.is_finished:
        fitting.take_batch()
        if fitting.position % EVERY == 0 or fitting.at_end_of_epoch:
            fitting.keep()
            say(fitting.progress)
    return fitting.best


class Fitting:
    """A model on its way. `losses`: the mean loss on the held-out pairs after each epoch."""

    def __init__(self, folder: Path, plan: Plan, learned: Sequence[Pair], held_out: Sequence[Pair]):
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        if not learned or not held_out:
            raise ArfError("There are too few judged topics to learn from.")
        self.plan, self.learned, self.held_out = plan, learned, held_out
        self.best, self.checkpoint = folder / "model", Checkpoint(folder / "checkpoint.pt", self._digest())
        self.is_half = torch.cpu._is_avx512_bf16_supported()  # half the time where it is computed so
        folder.mkdir(parents=True, exist_ok=True)
        torch.set_num_threads(plan.threads)
        torch.manual_seed(SEED)
        self.tokenizer = AutoTokenizer.from_pretrained(
            str(plan.start), local_files_only=True, model_max_length=plan.max_tokens
        )
        self.model = AutoModelForSequenceClassification.from_pretrained(
            str(plan.start), local_files_only=True, num_labels=1
        ).train()
        self.model.base_model.embeddings.requires_grad_(False)  # words of no judgment keep their meaning
        trained = [each for each in self.model.parameters() if each.requires_grad]
        self.optimizer = torch.optim.AdamW(trained, lr=RATE)
        self._resume(self.checkpoint.read())

    @property
    def in_epoch(self) -> int:
        """Batches of an epoch."""
        return math.ceil(len(self.learned) / BATCH)

    @property
    def at_end_of_epoch(self) -> bool:
        return self.position % self.in_epoch == 0

    @property
    def is_finished(self) -> bool:
        """Stopped early where the last epoch was not the best."""
        is_worse = bool(self.losses) and self.losses[-1] > min(self.losses)
        return is_worse or len(self.losses) == self.plan.epochs

    @property
    def progress(self) -> str:
        held_out = "".join(f", {loss:.4f}" for loss in self.losses)
        return f"{self.position} of {self.plan.epochs * self.in_epoch} batches; held out{held_out or ': not yet'}"

    def take_batch(self) -> None:
        import torch

        epoch, place = divmod(self.position, self.in_epoch)
        pairs = [self.learned[n] for n in self._order(epoch)[place * BATCH : (place + 1) * BATCH]]
        for group in self.optimizer.param_groups:
            group["lr"] = RATE * share_of_rate(self.position / (self.plan.epochs * self.in_epoch))
        self._loss(pairs).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.position += 1
        if self.at_end_of_epoch:
            self._judge()

    def _order(self, epoch: int) -> np.ndarray:
        """The pairs of an epoch: at random, but batches of like length."""
        chance = np.random.default_rng((SEED, epoch))
        lengths = np.array([len(pair.text) for pair in self.learned])
        shuffled = chance.permutation(len(self.learned))
        buckets = np.split(shuffled, range(BUCKET, len(shuffled), BUCKET))
        return np.concatenate([bucket[np.argsort(lengths[bucket], kind="stable")] for bucket in buckets])

    def _loss(self, pairs: Sequence[Pair]) -> Any:
        import torch

        questions, texts = [pair.question for pair in pairs], [pair.text for pair in pairs]
        cut = {"truncation": "longest_first", "padding": True}
        read = self.tokenizer(questions, texts, **cut, return_tensors="pt")
        with torch.autocast("cpu", torch.bfloat16, enabled=self.is_half):
            logits = self.model(**read).logits.squeeze(-1).float()
        labels = torch.tensor([float(pair.relevant) for pair in pairs])
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, labels)

    def _judge(self) -> None:
        """Measures on what is held out, and keeps the weights if no epoch was better."""
        self.losses.append(self._mean_loss())
        if self.losses[-1] == min(self.losses):
            self._save_best()

    def _mean_loss(self) -> float:
        import torch

        self.model.eval()
        with torch.inference_mode():
            batches = [self.held_out[n : n + BATCH] for n in range(0, len(self.held_out), BATCH)]
            loss = sum(float(self._loss(batch)) * len(batch) for batch in batches) / len(self.held_out)
        self.model.train()
        return loss

    def _save_best(self) -> None:
        unfinished = self.best.with_suffix(".new")
        self.model.save_pretrained(unfinished)
        self.tokenizer.save_pretrained(unfinished)
        shutil.rmtree(self.best, ignore_errors=True)
        unfinished.rename(self.best)

    def keep(self) -> None:
        """A finished training no longer needs the weights."""
        state = {"position": self.position, "losses": self.losses}
        if not self.is_finished:
            state |= {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        self.checkpoint.keep(**state)

    def _resume(self, state: dict) -> None:
        self.position, self.losses = state.get("position", 0), state.get("losses", [])
        if "model" in state:
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])

    def _digest(self) -> str:
        """What the result depends on; not how many threads made it."""
        plan = (str(self.plan.start), self.plan.max_tokens, self.plan.epochs, BATCH, RATE)
        return hashlib.sha256(repr((plan, self.learned, self.held_out)).encode()).hexdigest()
