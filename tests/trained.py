"""Rerankers trained for tests, kept between runs under a hash of the training's code and of what is learned from."""

import json
import shutil
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

from evaluation.learning.pools import FOLDS, Division, LearningPool, division, learnable
from evaluation.learning.retraining import pool_as_json
from evaluation.learning.training import FAMILIES, Fitting, Trained, choose, cross_validated, finished
from tests.database import KEPT_IN, hash_of

CODE = ("requirements.txt", "evaluation/learning", "evaluation/measuring", "retrieval/stages/reranker")


def trained_on(pools: Sequence[LearningPool]) -> Trained:
    """The same artifact as training again gives, which a test of the training proves."""
    folder = KEPT_IN / f"trained_{hash_of_pools(pools)}"
    if not folder.is_dir():
        keep(train(pools), folder)
    return Trained((folder / "artifact").read_bytes(), json.loads((folder / "manifest.json").read_text()))


def train(pools: Sequence[LearningPool]) -> Trained:
    """At once what the job of retraining does in short steps."""
    usable = learnable(pools)
    folds = [division(usable, number) for number in range(FOLDS)]
    held_out = {
        family: [fitted(family, fold).probabilities(fold.unseen_by_topic) for fold in folds]
        for family in FAMILIES
    }
    ndcg = {family: cross_validated(usable, by_fold) for family, by_fold in held_out.items()}
    chosen, everything = choose(ndcg), division(usable, FOLDS)
    return finished(usable, everything, fitted(chosen, everything), held_out[chosen], ndcg)


def fitted(family: str, divided: Division) -> Fitting:
    fitting = Fitting(family, divided)
    fitting.fit()
    return fitting


def hash_of_pools(pools: Sequence[LearningPool]) -> str:
    found = sha256(hash_of(CODE).encode())
    for pool in pools:
        found.update(json.dumps(pool_as_json(pool), sort_keys=True, default=str).encode())
    return found.hexdigest()[:12]


def keep(trained: Trained, folder: Path) -> None:
    """Whole or not at all; those of earlier code go."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(mkdtemp(dir=folder.parent))
    (work / "artifact").write_bytes(trained.artifact)
    (work / "manifest.json").write_text(json.dumps(trained.manifest))
    for old in sorted(folder.parent.glob("trained_*"), key=lambda path: path.stat().st_mtime)[:-4]:
        shutil.rmtree(old, ignore_errors=True)
    if not folder.is_dir():
        work.rename(folder)
