"""A training's checkpoint is whole, and another training's is refused."""

import pytest
import torch

from evaluation.fine_tuning import WARM, Checkpoint, share_of_rate
from retrieval.errors import ArfError


def test_a_training_goes_on_with_what_was_kept_and_the_same_chance(tmp_path):
    checkpoint = Checkpoint(tmp_path / "checkpoint.pt", of="this")
    assert checkpoint.read() == {}
    torch.manual_seed(7)
    checkpoint.keep(position=3)
    drawn = torch.rand(4)
    assert checkpoint.read()["position"] == 3
    assert torch.equal(torch.rand(4), drawn)
    with pytest.raises(ArfError, match="holds another training"):
        Checkpoint(tmp_path / "checkpoint.pt", of="that").read()


def test_the_rate_rises_and_then_falls():
    shares = [share_of_rate(done / 100) for done in range(101)]
    assert shares.index(max(shares)) == int(100 * WARM)
    assert shares == [*sorted(shares[:10]), *sorted(shares[10:], reverse=True)]
    assert shares[-1] == 0 < shares[0]
