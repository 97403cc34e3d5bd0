"""Fits a low-rank adapter (LoRA, Hu et al. 2022) of the packaged embedder to pairs, in torch: only in the process of
`manage.py train_embedder`. Each question is to be nearer to its own passage than to those of the other pairs of its
batch (InfoNCE, both ways), and a curated name nearer to another name of its provision.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.embedder.pairs import Pair
from evaluation.fine_tuning import EVERY, Checkpoint, share_of_rate
from retrieval.engines.embedders import PACKAGED, default_model_dir
from retrieval.errors import ArfError

BATCH = 48  # pairs, each of another section; half of the batches are of one document, whose provisions are alike
RATE = 1e-3
RANK, SCALE = 16, 2.0  # of the updates, .66 million numbers in place of 10.6
SHARE = 0.5  # of the updates that is kept, between the packaged model and the fitted one (Wortsman et al. 2022)
LAYERS = r"encoder\..*\.(query|key|value|dense)"
TEMPERATURE = 0.05  # the one that the packaged model was trained with
NAMES = 0.3  # the weight of names beside passages
QUESTION_TOKENS, PASSAGE_TOKENS = 48, 112
FEWEST = 8  # sections of a batch
SEED = 0


@dataclass(frozen=True)
class Plan:
    batches: int = 700
    threads: int = 2


def fit(
    folder: Path, plan: Plan, pairs: Sequence[Pair], *, say: Callable[[str], None] = lambda line: None
) -> Path:
    """The folder of the adapter, as `peft` keeps it. Goes on from its checkpoint. Raises ArfError for a folder that
    holds another training, or too few pairs.
    """
    fitting = Fitting(folder, plan, pairs)
    while fitting.position < plan.batches:
        fitting.take_batch()
        if fitting.position % EVERY == 0 or fitting.position == plan.batches:
            fitting.keep()
            say(f"{fitting.position} of {plan.batches} batches; loss {np.mean(fitting.losses[-EVERY:]):.3f}")
    return fitting.saved(folder / "adapter")


class Fitting:
    """The model on its way. `losses`: of each batch since the last checkpoint that it began from."""

    def __init__(self, folder: Path, plan: Plan, pairs: Sequence[Pair]):
        import torch
        from peft import LoraConfig, get_peft_model
        from transformers import AutoModel, AutoTokenizer

        if len({pair.section for pair in pairs}) < FEWEST:
            raise ArfError("There are too few names and headings to learn from.")
        folder.mkdir(parents=True, exist_ok=True)
        self.plan, self.pairs, self.losses = plan, pairs, []
        self.by_document, self.by_section = defaultdict(list), defaultdict(list)
        for number, pair in enumerate(pairs):
            self.by_document[pair.document].append(number)
            if pair.named:
                self.by_section[pair.section].append(number)
        torch.set_num_threads(plan.threads)
        torch.manual_seed(SEED)
        self.is_half = torch.cpu._is_avx512_bf16_supported()  # two thirds of the time where it is computed so
        start = str(default_model_dir())
        self.tokenizer = AutoTokenizer.from_pretrained(start, local_files_only=True)
        updates = LoraConfig(r=RANK, lora_alpha=int(SCALE * RANK), target_modules=LAYERS)
        self.model = get_peft_model(AutoModel.from_pretrained(start, local_files_only=True), updates).train()
        self.trained = {name: each for name, each in self.model.named_parameters() if each.requires_grad}
        self.optimizer = torch.optim.AdamW(self.trained.values(), lr=RATE)
        self.checkpoint = Checkpoint(folder / "checkpoint.pt", self._digest())
        self._resume(self.checkpoint.read())

    def take_batch(self) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = RATE * share_of_rate(self.position / self.plan.batches)
        loss = self._loss(*self._batch())
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.losses.append(loss.item())
        self.position += 1

    def _batch(self) -> tuple[list[Pair], list[Pair]]:
        """Pairs of different sections, and for each another name of its section, or itself."""
        chance = np.random.default_rng((SEED, self.position))
        drawn = chance.choice(len(self.pairs), min(2 * BATCH, len(self.pairs)), replace=False)
        if chance.random() < 0.5:
            alike = self.by_document[self.pairs[drawn[0]].document]
            drawn = chance.choice(alike, min(2 * BATCH, len(alike)), replace=False)
        chosen = list({self.pairs[n].section: self.pairs[n] for n in drawn}.values())[:BATCH]
        others = [chance.choice(self.by_section[pair.section]) if pair.named else None for pair in chosen]
        return chosen, [p if n is None else self.pairs[n] for p, n in zip(chosen, others, strict=True)]

    def _loss(self, pairs: Sequence[Pair], others: Sequence[Pair]) -> Any:
        import torch
        from torch.nn.functional import cross_entropy

        asked = self._vectors([pair.question for pair in (*pairs, *others)], QUESTION_TOKENS)
        passages = self._vectors([pair.text for pair in pairs], PASSAGE_TOKENS)
        questions, names = asked[: len(pairs)], asked[len(pairs) :]
        own = torch.arange(len(pairs))
        near = questions @ passages.T / TEMPERATURE
        loss = (cross_entropy(near, own) + cross_entropy(near.T, own)) / 2
        has_names = torch.tensor([pair.named for pair in pairs])
        if has_names.any():
            called = questions @ names.T / TEMPERATURE
            loss = loss + NAMES * cross_entropy(called[has_names], own[has_names])
        return loss

    def _vectors(self, texts: list[str], most: int) -> Any:
        """(texts, dims), unit length: the mean of the tokens, as the embedder takes it."""
        import torch

        read = self.tokenizer(texts, truncation=True, max_length=most, padding=True, return_tensors="pt")
        with torch.autocast("cpu", torch.bfloat16, enabled=self.is_half):
            hidden = self.model(**read).last_hidden_state.float()
        mask = read["attention_mask"].unsqueeze(-1)
        return torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)

    def keep(self) -> None:
        state = {"position": self.position, "optimizer": self.optimizer.state_dict()}
        self.checkpoint.keep(**state, updates={name: each.detach() for name, each in self.trained.items()})

    def _resume(self, state: dict) -> None:
        self.position = state.get("position", 0)
        if state:
            self.optimizer.load_state_dict(state["optimizer"])
            for name, each in self.trained.items():
                each.data.copy_(state["updates"][name])

    def saved(self, folder: Path) -> Path:
        """Writes the updates in 16 bits, 1.3 MB."""
        config = self.model.peft_config["default"]
        config.base_model_name_or_path = PACKAGED  # no path
        config.lora_alpha = int(SHARE * SCALE * RANK)
        self.model.half().save_pretrained(str(folder), save_embedding_layers=False)  # they are as they were
        return folder

    def _digest(self) -> str:
        """What the result depends on; not how many threads made it."""
        constants = (BATCH, RATE, RANK, SCALE, SHARE, LAYERS, TEMPERATURE, NAMES, QUESTION_TOKENS, PASSAGE_TOKENS)
        return hashlib.sha256(repr((self.plan.batches, constants, list(self.pairs))).encode()).hexdigest()
