"""The entailment model learns what a passage says of a claim, and goes on where it was stopped."""

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from evaluation import fine_tuning
from evaluation.proof import entailment
from evaluation.proof.entailment import Example, by_words_alone, examples, fit, learned
from evaluation.proof.pairs import CLAIMS, KEPT_APART, Pair, elsewhere, for_weights, of_passages
from evaluation.sentence_ranker import fitting as ranker
from evaluation.sentence_ranker.choices import Choice
from retrieval.errors import ArfError
from retrieval.proof.model import VERDICTS
from retrieval.proof.types import Source

THINGS = ("boats", "dogs", "mills", "bells", "carts", "ovens")
TEXTS = tuple(f"A baker may keep {each}." for each in THINGS[:4])
CHOICES = [Choice(f"who may keep {each}", TEXTS) for each in THINGS]


def pair(thing: str, label: str) -> Pair:
    said = {"supported": "may keep", "contradicted": "may never keep", "not_found": "pays a shilling for"}[label]
    sources = tuple(Source(f"/{each}", each, f"A baker may keep {each}.") for each in (thing, "geese", "goats"))
    return Pair(f"A baker {said} {thing}.", "en", label, "", f"/{thing}", sources)


PAIRS = [pair(thing, label) for thing in THINGS for label in VERDICTS]


@pytest.fixture
def begun(from_a_tiny_model, tmp_path, monkeypatch):
    """The folder of a sentence ranker's training, and small batches."""
    for module in (ranker, entailment):
        monkeypatch.setattr(module, "BATCH", 3)
    monkeypatch.setattr(entailment, "EPOCHS", 1)
    monkeypatch.setattr(fine_tuning, "EVERY", 1)
    ranker.fit(tmp_path / "ranker", CHOICES, threads=1)
    return tmp_path / "ranker"


def test_a_training_begins_with_the_sentence_ranker_and_goes_on_where_it_was_stopped(begun, tmp_path):
    some = examples(PAIRS)
    whole = fit(tmp_path / "whole", begun, some, threads=1)
    stopped = entailment.Fitting(tmp_path / "parts", begun, some, 1)
    layer = "encoder.layer.0.output.dense.weight"
    of_ranker = fine_tuning.fitted_in(begun)["model"]
    assert stopped.model.state_dict()[layer].equal(of_ranker[layer])
    stopped.take_batch()
    stopped.keep()
    with pytest.raises(ArfError, match="not ended"):
        fit(tmp_path / "further", tmp_path / "parts", some, threads=1)
    again = fit(tmp_path / "parts", begun, some, threads=1)
    assert again.losses == whole.losses[1:] and not whole.model.state_dict()[layer].equal(of_ranker[layer])
    with pytest.raises(ArfError, match="another training"):
        fit(tmp_path / "parts", begun, some[:5], threads=1)


def test_without_a_run_of_the_ranker_or_without_claims_nothing_is_learned(tmp_path):
    some = [Example("a", "b", 0, (0.0, 0.0, 0.0))]
    with pytest.raises(ArfError, match="holds no training"):
        fit(tmp_path / "out", tmp_path / "nowhere", some, threads=1)
    with pytest.raises(ArfError, match="no claims"):
        fit(tmp_path / "out", tmp_path / "nowhere", [], threads=1)


def test_the_command_refuses_at_once_what_is_no_training(tmp_path, monkeypatch):
    monkeypatch.setattr(entailment, "learned", lambda: pytest.fail("read"))
    with pytest.raises(CommandError, match="holds no training"):
        call_command("train_entailment", out=tmp_path, begin_with=tmp_path / "nowhere", threads=1)


def test_what_words_alone_give_away_is_told_by_other_provisions():
    alone = by_words_alone(PAIRS)
    assert np.exp(alone).sum(axis=1) == pytest.approx(1.0)
    assert (alone.argmax(axis=1) == [VERDICTS.index(each.label) for each in PAIRS]).all()


def test_examples_have_the_passage_that_is_read_and_their_label():
    found = {(one.claim, one.passage, VERDICTS[one.label]) for one in examples(PAIRS)}
    assert ("A baker may never keep dogs.", "A baker may keep dogs.", "contradicted") in found
    assert len(found) == len(PAIRS)


def test_a_faithful_claim_beside_other_passages_is_not_found():
    found = list(elsewhere(PAIRS * 10))
    assert found and {one.label for one in found} == {"not_found"}
    assert not any(one.group in {source.locator for source in one.sources} for one in found)


@pytest.fixture(scope="module")
def written():
    return list(of_passages(CLAIMS))


def test_each_passage_has_four_claims_of_which_two_are_faithful(written):
    for path, count in ((CLAIMS, 9_700), (KEPT_APART, 1_196)):
        pairs = written if path is CLAIMS else list(of_passages(path))
        labels = [one.label for one in pairs]
        assert len(pairs) == count and labels.count("supported") == count / 2
        assert labels.count("contradicted") == labels.count("not_found") == count / 4


def test_what_measures_and_what_teaches_the_weights_is_not_read_in_training(written, monkeypatch):
    monkeypatch.setattr(entailment, "CHANGED", 5)
    of_training = {one.group for one in learned()}
    assert not of_training & {one.group for one in of_passages(KEPT_APART)}
    aside = {one.group for one in written if for_weights(one)}
    assert aside and not aside & of_training
    assert not {one.claim for one in written} & {one.claim for one in of_passages(KEPT_APART)}
