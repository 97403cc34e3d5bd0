from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command

from evaluation.management.commands import train_proof
from evaluation.proof.pairs import made, provisions, written
from evaluation.proof.training import cross_validated, fit, report, seen, verdict_on, write
from retrieval.proof.model import FEATURES, READ, VERDICTS


@pytest.fixture(scope="module")
def examples():
    law = provisions()
    return [seen(pair) for pair in (*list(written(law))[::4], *list(made(law, each=4))[::4])]


def test_each_pair_is_judged_once_by_a_model_that_has_not_seen_its_provision(examples):
    judged = cross_validated(examples)
    assert sorted(t.pair.claim for t in judged) == sorted(e.pair.claim for e in examples)
    assert "written en supported" in report(judged)


def test_what_is_not_read_and_has_a_problem_is_never_supported(examples):
    models = fit(examples)
    changed = [replace(e, reading=()) for e in examples if e.evidence and e.evidence.compared.problems]
    assert changed and all(verdict_on(models, e).verdict != "supported" for e in changed)


def test_what_is_written_is_read(examples, tmp_path, monkeypatch):
    from retrieval.proof import model as module

    made_models = fit(examples)
    write(made_models, tmp_path / "model.json")
    monkeypatch.setattr(module, "FILE", tmp_path / "model.json")
    for read, made_model, features in ((True, made_models.read, READ), (False, made_models.unread, FEATURES)):
        found = module.shipped.__wrapped__(read=read)
        assert found.weights.shape == (len(VERDICTS), len(features))
        assert abs(found.weights - made_model.weights).max() < 1e-3


def test_the_command_tells_of_what_it_learned_from_and_of_what_it_was_not_shown(examples, monkeypatch):
    pairs = {example.pair: example for example in examples}
    monkeypatch.setattr(train_proof, "seen", pairs.__getitem__)
    monkeypatch.setattr(train_proof, "for_the_logistic", lambda law: list(pairs))
    for name in ("set_aside", "of_passages"):
        monkeypatch.setattr(train_proof, name, lambda _: list(pairs)[:40])
    call_command("train_proof", stdout=(printed := StringIO()))
    assert printed.getvalue().count("written en supported") == 3
    assert "set aside:" in printed.getvalue() and "kept apart:" in printed.getvalue()
