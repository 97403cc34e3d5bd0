"""What a question means beside what is read for it."""

import shutil

import numpy as np
import pytest

from retrieval.answers.meaning import EmbeddedQuestion, Names, shares
from retrieval.answers.selection import Place
from retrieval.answers.units import key_of
from retrieval.engines import loaded
from retrieval.models import Domain
from rules.aliases.embedding import embed_missing
from rules.models import Alias
from tests.spoiling import spoil

FOURTH = "/us/const/amendment/IV"
VIEW = "The right of the people to be secure"


def test_names_weigh_by_how_near_they_are():
    axes = np.eye(3, dtype=np.float32)
    told = shares([Names(["One.", "Two."], axes[:2]), Names(["One."], axes[2:])], axes[0])
    assert told["One."] > 0.99 and sum(told.values()) == pytest.approx(1.0)


def test_names_that_point_nowhere_have_their_share():
    axes = np.eye(2, dtype=np.float32)
    told = shares([Names(["One.", ""], axes)], axes[1])
    assert set(told) == {"One."} and told["One."] < 0.01


@pytest.fixture
def question(db):
    return EmbeddedQuestion("May officers look into my phone?")


def pointing(text: str, sentence: str, locator: str = FOURTH) -> Alias:
    domain = Domain.objects.get(slug="us_constitution")
    return Alias.objects.create(domain=domain, text=text, locator=locator, sentence=sentence)


def test_names_of_a_result_and_of_its_parts_are_taken_together(question):
    Alias.objects.update(enabled=False)
    pointing("search of telephones", VIEW)
    pointing("wombats in court", "No Wombat shall", "/us/const/amendment/V")
    embed_missing()
    read = [Place(1, "us_constitution", FOURTH), Place(1, "us_constitution", "/us/const/amendment/V")]
    (told,) = question.pointed(read).values()
    assert told[key_of(VIEW)] > 0.9 and key_of("No Wombat shall") in told
    assert set(question.pointed([read[0], read[1]._replace(rank=2)])) == {1, 2}
    assert question.pointed([Place(1, "us_code", FOURTH)]) == {}
    assert question.openings(read) == {1: [VIEW]}


PHONES = ["Police may search a cell phone with a warrant.", "The tax on whisky is $13.50."]


def test_the_sentence_that_answers_has_the_higher_log_odds(question):
    answers, other = question.log_odds(PHONES)
    assert answers > other and not question.degraded


def test_a_ranker_that_is_damaged_is_told_of_and_logged(question, tmp_path, monkeypatch, caplog):
    damaged = tmp_path / "ranker"
    shutil.copytree(loaded.SENTENCE_RANKER, damaged)
    spoil(damaged / "model.int8.onnx")
    monkeypatch.setattr(loaded, "SENTENCE_RANKER", damaged)
    monkeypatch.setattr(loaded, "_loaded", {})
    assert question.log_odds(PHONES) is None and question.degraded == ("SentenceRanker",)
    assert "without the sentence ranker" in caplog.text
