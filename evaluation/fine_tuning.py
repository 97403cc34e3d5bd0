"""What fine-tuning in torch shares: a checkpoint after every few batches, so that what is killed goes on, with the
result of one run; and a cross-encoder that begins with the embedder's first layers.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from retrieval.engines.embedders import default_model_dir, opened, sha256_of, weights_sha256
from retrieval.errors import ArfError

EVERY = 20  # batches between two checkpoints: about a minute's work
SEED = 0
CHECKPOINT = "checkpoint.pt"
WARM = 0.1  # share of the batches in which the rate rises; it falls to 0 in the others


def share_of_rate(done: float) -> float:
    """Of the greatest rate of learning when this share of the batches is done: rising, then falling."""
    return (done + 1e-3) / WARM if done < WARM else (1.0 - done) / (1.0 - WARM)


class Checkpoint:
    """Where a training stands, in one file, written whole or not at all. `of` names what its result depends on."""

    def __init__(self, file: Path, of: str):
        self.file = file
        self.of = of

    def read(self) -> dict[str, Any]:
        """What was kept; empty for a training that begins. Raises ArfError for another training's."""
        import torch

        if not self.file.is_file():
            return {}
        state = torch.load(self.file, weights_only=True)
        if state["of"] != self.of:
            raise ArfError(f"{self.file.parent} holds another training: name another folder.")
        if "chance" in state:
            torch.set_rng_state(state["chance"])
        return state

    def keep(self, **state: Any) -> None:
        import torch

        unfinished = self.file.with_suffix(".new")
        torch.save({"of": self.of, "chance": torch.get_rng_state(), **state}, unfinished)
        unfinished.replace(self.file)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Of a cross-encoder: so many of the embedder's layers, so many outputs from the first token, of at most
    `max_tokens` of both texts; `rate` is the greatest for the layers, `rate_of_head` for what makes the outputs.
    """

    layers: int
    outputs: int
    max_tokens: int
    rate: float
    rate_of_head: float = 1e-3


class Fitting(ABC):
    """A cross-encoder on its way, which takes each batch of `order` once, the numbers of some examples. `examples` are
    what the result depends on beside the recipe. Goes on from its checkpoint; raises ArfError for a folder that holds
    another training. `begin_with`: the folder of a training whose layers are taken in place of the embedder's.
    `losses`: of each batch since the checkpoint.
    """

    def __init__(
        self,
        folder: Path,
        recipe: Recipe,
        examples: Sequence,
        order: Sequence[np.ndarray],
        threads: int,
        *,
        begin_with: Path | None = None,
    ):
        import torch

        folder.mkdir(parents=True, exist_ok=True)
        torch.set_num_threads(threads)
        torch.manual_seed(SEED)
        self.is_half = torch.cpu._is_avx512_bf16_supported()  # two thirds of the time where it is computed so
        self.recipe, self.examples, self.order, self.losses = recipe, examples, order, list[float]()
        embedder = opened(default_model_dir(), model_kwargs={"attn_implementation": "eager"})
        self.tokenizer, self.model = embedder.tokenizer, first_layers(embedder[0].auto_model, recipe.layers)
        self.head = torch.nn.Linear(self.model.config.hidden_size, recipe.outputs)
        trained = [each for each in self.model.parameters() if each.requires_grad]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": trained, "of_all": recipe.rate},
                {"params": self.head.parameters(), "of_all": recipe.rate_of_head},
            ]
        )
        if begin_with:
            self.model.load_state_dict(fitted_in(begin_with)["model"])
        begun = sha256_of(begin_with / CHECKPOINT) if begin_with else weights_sha256(default_model_dir())
        self.checkpoint = Checkpoint(folder / CHECKPOINT, self._digest(begun))
        self._resume(self.checkpoint.read())

    @abstractmethod
    def loss(self, which: np.ndarray) -> Any:
        """Of the examples with these numbers."""

    def to_the_end(self, say: Callable[[str], None]) -> Self:
        while self.position < self.batches:
            self.take_batch()
            if self.position % EVERY == 0 or self.position == self.batches:
                self.keep()
                say(f"{self.position} of {self.batches} batches; loss {np.mean(self.losses[-EVERY:]):.3f}")
        return self

    @property
    def batches(self) -> int:
        return len(self.order)

    def take_batch(self) -> None:
        import torch

        for group in self.optimizer.param_groups:
            group["lr"] = group["of_all"] * share_of_rate(self.position / self.batches)
        loss = self.loss(self.order[self.position])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.losses.append(loss.item())
        self.position += 1

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Any:
        """(pairs, outputs) float32."""
        import torch

        cut = {"truncation": "longest_first", "max_length": self.recipe.max_tokens, "padding": True}
        read = self.tokenizer(*map(list, zip(*pairs, strict=True)), **cut, return_tensors="pt")
        with torch.autocast("cpu", torch.bfloat16, enabled=self.is_half):
            return self.head(self.model(**read).last_hidden_state[:, 0]).float()

    def keep(self) -> None:
        states = {name: getattr(self, name).state_dict() for name in ("model", "head", "optimizer")}
        self.checkpoint.keep(position=self.position, left=self.batches - self.position, **states)

    def _resume(self, state: dict) -> None:
        self.position = state.get("position", 0)
        for name in ("model", "head", "optimizer") if state else ():
            getattr(self, name).load_state_dict(state[name])

    def _digest(self, begun: str) -> str:
        """What the result depends on; not how many threads made it."""
        order = [batch.tolist() for batch in self.order]
        of = (self.recipe, SEED, begun, order, list(self.examples))
        return hashlib.sha256(repr(of).encode()).hexdigest()


def fitted_in(folder: Path) -> dict[str, Any]:
    """What the checkpoint of a training that has ended there holds. Raises ArfError where none has."""
    import torch

    try:
        state = torch.load(folder / CHECKPOINT, weights_only=True)
    except OSError as problem:
        raise ArfError("%(folder)s holds no training.", folder=folder) from problem
    if state.get("left"):
        raise ArfError("The training in %(folder)s has not ended: let it go on first.", folder=folder)
    return state


def first_layers(model: Any, layers: int) -> Any:
    """Of a transformer, ready to be fitted. Words keep their vectors: most stand in no example."""
    model.encoder.layer = model.encoder.layer[:layers]
    model.config.num_hidden_layers = layers
    model.requires_grad_(True)
    model.embeddings.word_embeddings.requires_grad_(False)
    model.embeddings.position_embeddings.requires_grad_(False)
    return model.train()


def in_order(lengths: Sequence[int], batch: int, *, epoch: int = 0) -> list[np.ndarray]:
    """Batches of like length, so that little is padded, at random. `lengths`: of each example, in random order."""
    chance = np.random.default_rng((SEED, epoch))
    of_all, bucket = np.array(lengths), 16 * batch
    shuffled = chance.permutation(len(of_all)) if epoch else np.arange(len(of_all))
    buckets = np.split(shuffled, range(bucket, len(of_all), bucket))
    sorted_ = [each[np.argsort(of_all[each], kind="stable")] for each in buckets]
    batches = [part for each in sorted_ for part in np.split(each, range(batch, len(each), batch))]
    return [batches[n] for n in chance.permutation(len(batches))]
