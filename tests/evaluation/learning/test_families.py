"""Every family is fitted in pieces with the result of one fit, and served as scikit-learn would."""

import hashlib
import warnings

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier

from evaluation.learning.families import EPOCHS, FAMILIES, LAYERS, Fitting, served_form
from evaluation.learning.pools import Division
from retrieval.stages.reranker.artifact import Reranker, pack, unpack
from retrieval.stages.reranker.features import FEATURES
from tests.rerankers import NOBODY, SURE


def some_division() -> Division:
    chance = np.random.default_rng(1)
    rows = chance.normal(size=(300, len(FEATURES))).astype(np.float32)
    labels = (rows[:, 0] + chance.normal(size=300) > 0).astype(int)
    return Division(rows, labels, rows[:0], np.zeros(0, dtype=int))


DIVISION = some_division()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_forward_pass_equals_scikit_learns(family):
    fitting, rows = Fitting(family, DIVISION), DIVISION.learned
    fitting.fit()
    scaler = fitting.scaler
    ends = (
        end.astype(np.float32) for end in (rows.min(axis=0), rows.max(axis=0), scaler.mean_, scaler.scale_)
    )
    ours = Reranker(*ends, served_form(fitting.model), np.array([[0.0, 1.0], [0.0, 1.0]]), SURE, NOBODY)
    artifact = pack(ours, seed=0)
    served = unpack(artifact, hashlib.sha256(artifact).hexdigest())
    assert served.raw(rows) == pytest.approx(fitting.probabilities([rows]), abs=1e-6)


@pytest.mark.parametrize("family", LAYERS)
def test_a_network_fitted_an_epoch_at_a_time_in_many_processes_is_the_one_fitted_at_once(family):
    arrays, steps = None, 0
    while not (fitting := Fitting(family, DIVISION, arrays=arrays)).fit(lambda: False):
        arrays, steps = fitting.arrays, steps + 1
    whole = Fitting(family, DIVISION)
    whole.fit()
    assert steps == EPOCHS - 1
    assert all((a == b).all() for a, b in zip(fitting.model.coefs_, whole.model.coefs_, strict=True))


@pytest.mark.parametrize("family", LAYERS)
def test_epochs_are_those_of_scikit_learns_own_fit(family):
    ours = Fitting(family, DIVISION)
    ours.fit()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the epochs are few on purpose
        theirs = MLPClassifier(LAYERS[family], alpha=0.1, random_state=0, max_iter=EPOCHS)
        theirs.fit(ours.rows, ours.labels)
    assert all((a == b).all() for a, b in zip(ours.model.coefs_, theirs.coefs_, strict=True))
