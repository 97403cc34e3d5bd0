"""What fine-tuning in torch shares: a checkpoint after every few batches, so that what is killed goes on, with the
result of one run.
"""

from pathlib import Path
from typing import Any

from retrieval.errors import ArfError

EVERY = 20  # batches between two checkpoints: about a minute's work
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
