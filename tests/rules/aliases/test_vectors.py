"""Curated names kept as bytes: near enough to their floats, and the nearest name of each provision."""

import numpy as np
import pytest

from rules.aliases.vectors import BLOCK, AliasVectors


@pytest.fixture(scope="module")
def floats():
    made = np.random.default_rng(5).normal(size=(BLOCK + 300, 384)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def names(floats):
    """Four to a provision."""
    return AliasVectors.of(
        (f"name {n}", f"/law/{n // 4:04}", row.astype(np.float16).tobytes()) for n, row in enumerate(floats)
    )


def test_cosines_are_those_of_the_floats_within_two_thousandths(floats, names):
    asked = floats[3] + 0.3 * floats[-1]
    asked /= np.linalg.norm(asked)
    assert np.abs(names.cosines(asked) - floats @ asked).max() < 0.002


def test_a_provision_is_as_near_as_its_nearest_name(floats, names):
    (first, *others), asked = names.nearest(names.cosines(floats[-2]), k=5, least=0.0), len(floats) - 2
    assert first == (f"/law/{asked // 4:04}", f"name {asked}", pytest.approx(1.0, abs=0.002))
    assert len(others) == 4
    assert [near[2] for near in others] == sorted((near[2] for near in others), reverse=True)


def test_what_is_less_near_than_the_least_is_left_out(floats, names):
    assert len(names.nearest(names.cosines(floats[0]), k=None, least=0.9)) == 1


def test_without_names_nothing_is_near():
    nothing = AliasVectors.of([])
    assert nothing.nearest(nothing.cosines(np.ones(384, np.float32)), k=5, least=0.0) == []


def test_a_vector_of_zeros_is_near_to_nothing():
    zeros = AliasVectors.of([("nothing", "/law/0", np.zeros(384, np.float16).tobytes())])
    assert zeros.cosines(np.ones(384, np.float32)).tolist() == [0.0]
