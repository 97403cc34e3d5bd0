"""Curated names kept as bytes: near enough to their floats, and the nearest name of each provision."""

from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest

from rules.aliases import vectors
from rules.aliases.vectors import AliasVectors


@pytest.fixture(scope="module")
def floats():
    made = np.random.default_rng(5).normal(size=(556, 384)).astype(np.float32)
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
    kept = names.steps * names.sizes[:, np.newaxis]
    assert np.abs(names.cosines(asked) - kept @ asked).max() < 0.00002


def test_a_provision_is_as_near_as_its_nearest_name(floats, names):
    compared = names.compare(floats[-2])
    (first, *others), asked = compared.nearest(k=5, least=0.0), len(floats) - 2
    assert first == (f"/law/{asked // 4:04}", f"name {asked}", pytest.approx(1.0, abs=0.002))
    assert len(others) == 4
    assert [near[2] for near in others] == sorted((near[2] for near in others), reverse=True)
    assert compared.nearest_of(near[0] for near in others) == {near[0]: pytest.approx(near[2]) for near in others}


def test_the_nearest_names_are_as_near_as_their_cosines_on_average(floats, names):
    cosines = np.sort(floats @ floats[7])
    assert names.compare(floats[7]).mean_of_nearest(5) == pytest.approx(cosines[-5:].mean(), abs=0.002)
    assert names.compare(floats[7]).mean_of_nearest(1_000) == pytest.approx(cosines.mean(), abs=0.002)
    assert AliasVectors.of(()).compare(floats[7]).mean_of_nearest(5) == 0.0


def test_what_is_less_near_than_the_least_is_left_out(floats, names):
    assert len(names.compare(floats[0]).nearest(k=None, least=0.9)) == 1


def test_of_many_names_those_that_are_near_are_found_among_the_ones_with_the_same_signs(monkeypatch, floats, names):
    near = floats[:40] + 0.7 * floats[100:140]
    asked = near / np.linalg.norm(near, axis=1, keepdims=True)
    every = [names.compare(vector).nearest(k=5, least=0.5) for vector in asked]
    told = [names.compare(vector).nearest_of(["/law/0000"])["/law/0000"] for vector in asked]
    monkeypatch.setattr(vectors, "SCANNED", 100)
    monkeypatch.setattr(vectors, "READ", 60)
    assert [names.compare(vector).nearest(k=5, least=0.5) for vector in asked] == every
    again = [names.compare(vector).nearest_of(["/law/0000"])["/law/0000"] for vector in asked]
    assert again == pytest.approx(told, abs=1e-6)


def test_of_many_names_those_that_are_alike_are_looked_for_once(monkeypatch, floats, names):
    monkeypatch.setattr(vectors, "SCANNED", 100)
    monkeypatch.setattr(AliasVectors, "alike", looked := Mock(side_effect=partial(AliasVectors.alike, names)))
    compared = names.compare(floats[3])
    assert compared.nearest(k=1, least=0.0) == compared.nearest(k=5, least=0.0)[:1] and looked.call_count == 1


@pytest.mark.parametrize("dims", [64, 100, 384])
def test_signs_that_differ_are_counted(dims):
    pair = np.random.default_rng(2).normal(size=(2, dims)).astype(np.float32)
    one, other = vectors.signs_of(pair)
    assert np.bitwise_count(one ^ other).sum() == ((pair[0] > 0) != (pair[1] > 0)).sum()


def test_what_has_no_name_is_told_so(floats, names):
    assert names.compare(floats[0]).nearest_of(["/law/none", "/law/0001"]).keys() == {"/law/0001"}
    assert names.compare(floats[0]).nearest_of(["/law/none"]) == {}


def test_without_names_nothing_is_near():
    assert AliasVectors.of([]).compare(np.ones(384, np.float32)).nearest(k=5, least=0.0) == []


def test_a_vector_of_zeros_is_near_to_nothing():
    zeros = AliasVectors.of([("nothing", "/law/0", np.zeros(384, np.float16).tobytes())])
    assert zeros.cosines(np.ones(384, np.float32)).tolist() == [0.0]
