"""What is learned of answers: the weights of what a sentence shows, and below what nothing is quoted."""

import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from evaluation.learning import answers
from evaluation.learning.answers import (
    Example,
    below,
    cross_validated,
    example,
    fit,
    least,
    losses,
    lost,
)
from evaluation.measuring.answers import Answered, Labelled
from evaluation.measuring.faithfulness import Judged
from evaluation.models import Topic
from evaluation.topics.library import topics_of
from retrieval.answers.meaning import EmbeddedQuestion
from retrieval.answers.selection import (
    FEATURES,
    OF_CLOSE,
    RANKED_AGAIN,
    shipped_weights,
    weighed_by,
    weights_in_use,
)
from retrieval.errors import NotRun

AGE = Labelled(
    "How old must the president be?", "en", "us_constitution",
    ("/us/const/article/II/section/1/clause/5",), (("attained to the Age of thirty five Years",),),
)  # fmt: skip
COVERED = FEATURES.index("covered")


class AllClose:
    """All units come close to the best, and the ranker says nothing of them."""

    def close(self, rows, weights):
        return list(range(len(rows))), np.column_stack([rows @ weights, np.zeros(len(rows))])


def made(right: int, sum: float | None = 1.0, units: int = 4, place: str = "/x") -> Example:
    """The unit that answers has more of the question's words than the others."""
    rows = np.zeros((units, len(FEATURES)))
    rows[right, COVERED] = 1.0
    labelled = Labelled("q", "en", "d", (place,), (("s",),))
    return Example(labelled, rows, np.arange(units) == right, sum, AllClose())


def test_what_sets_the_right_unit_apart_weighs_and_nothing_else_does():
    weights = fit([made(n % 4) for n in range(20)])
    assert weights[COVERED] > 1 and not weights[np.arange(len(FEATURES)) != COVERED].any()


def test_questions_on_one_provision_are_held_out_together():
    told = cross_validated([made(n % 4, place=f"/{n // 2}") for n in range(20)])
    assert (told.hits, told.total) == (20, 20)


def test_a_question_whose_search_declined_is_not_right():
    declined = Example(AGE, np.zeros((0, len(FEATURES))), np.zeros(0, bool), 0.0)
    assert not declined.teaches
    told = cross_validated([made(n % 4, place=f"/{n}") for n in range(5)] + [declined])
    assert (told.hits, told.total) == (5, 6)


def test_few_that_have_an_answer_lie_below_the_least_sum():
    asked = [made(0, n / 100) for n in range(100)] + [made(0, None)] * 100
    minimum = least(asked)
    assert below(asked, minimum).hits / len(asked) <= answers.FEW_DECLINED
    assert below(asked, minimum + 0.02).hits / len(asked) > answers.FEW_DECLINED


@pytest.mark.django_db
def test_a_question_is_read_as_for_an_answer():
    told = example(AGE)
    assert told.teaches and told.rows.shape == (len(told.right), len(FEATURES))
    assert told.sum > 0.9  # one provision at least is surely relevant
    close = told.close(np.eye(len(FEATURES))[COVERED])
    assert close.rows.shape == (len(close.right), len(OF_CLOSE)) and 0 < len(close.right) <= RANKED_AGAIN
    assert close.right[np.argmax(close.rows[:, OF_CLOSE.index("log_odds")])]


@pytest.mark.django_db
def test_without_the_sentence_ranker_nothing_is_learned(monkeypatch):
    told = example(AGE)
    monkeypatch.setattr(EmbeddedQuestion, "log_odds", lambda *_: None)
    with pytest.raises(NotRun, match="does not run"):
        told.close(np.eye(len(FEATURES))[COVERED])


def measured(right: int, of: int, *, unsupported: int = 0) -> list[Answered]:
    """So many of them are answered by the right sentence."""
    judged = (Judged("law", 4, unsupported),)
    return [Answered(AGE, declined=False, right_first=int(n < right), judged=judged) for n in range(of)]


def test_a_loss_that_is_shown_vetoes_and_one_that_may_be_chance_does_not():
    assert lost(measured(90, 100), measured(89, 100)) == lost(measured(80, 100), measured(90, 100)) == []
    [reason] = lost(measured(90, 100), measured(70, 100))
    assert reason.startswith("right_first falls by 0.200 [") and reason.endswith("(100 questions)")
    assert [told.split()[0] for told in lost(measured(9, 9), measured(9, 9, unsupported=1))] == ["faithfulness"]


@pytest.mark.django_db
def test_weights_that_choose_badly_lose_and_serve_nobody(monkeypatch):
    monkeypatch.setattr(answers, "FEWEST", 1)
    against = {"features": dict.fromkeys(FEATURES, -1.0), "close": dict.fromkeys(OF_CLOSE, 0.0), "least": {}}
    assert any(told.startswith("right_first") for told in losses(against, [AGE]))
    assert losses(shipped_weights(), [AGE]) == []
    with pytest.raises(RuntimeError), weighed_by(against):
        assert weights_in_use() is against
        raise RuntimeError
    assert weights_in_use() is shipped_weights()


def a_test_topic() -> str:
    return Topic.objects.filter(split="test", language="en").order_by("pk").values_list("query", flat=True)[0]


@pytest.mark.django_db
def test_the_command_writes_what_serving_reads(tmp_path, monkeypatch, capsys):
    asked = {
        "/us/const/article/II/section/1/clause/5": (
            "How old must the president be?",
            "the Age of thirty five",
        ),
        "/us/const/article/I/section/8/clause/11": ("Does Congress declare war?", "To declare War"),
        "/us/const/amendment/III": ("Must I house soldiers?", "No Soldier shall"),
        "/us/const/amendment/IV": ("Can police search my house?", "unreasonable searches"),
        "/us/const/amendment/XXVI/section/1": ("Can I vote at eighteen?", "eighteen years of age or older"),
    }
    rows = [
        {"question": question, "language": "en", "domain": "us_constitution", "locators": [place], "sentences": [words]}
        for place, (question, words) in asked.items()
    ]  # fmt: skip
    rows.append(rows[0] | {"question": a_test_topic()})
    questions, weights = tmp_path / "questions.jsonl", tmp_path / "weights.json"
    held_out = tmp_path / "held_out.jsonl"
    kept_apart = rows[2] | {"question": "Can soldiers be lodged in a home?"}
    held_out.write_text(json.dumps(kept_apart))
    rows.append(kept_apart | {"question": "Can soldiers be lodged in my home?"})
    questions.write_text("\n".join(map(json.dumps, rows)))
    read = []
    monkeypatch.setattr(answers, "example", lambda one: read.append(one.question) or example(one))
    monkeypatch.setattr("evaluation.management.commands.train_answers.WEIGHTS", weights)
    few = topics_of("us_constitution", "tune")[::40]
    monkeypatch.setattr("evaluation.management.commands.train_answers.topics_of", lambda *_: few)
    call_command("train_answers", questions)
    assert not weights.exists()
    with pytest.raises(CommandError, match="--held-out"):
        call_command("train_answers", questions, "--write")
    with pytest.raises(CommandError, match="1 questions with an answer are too few"):
        call_command("train_answers", questions, "--write", "--held-out", held_out)
    assert not weights.exists()
    monkeypatch.setattr(answers, "FEWEST", 1)
    read.clear()
    call_command("train_answers", questions, "--write", "--held-out", held_out)
    written = json.loads(weights.read_text())
    assert list(written["features"]) == list(FEATURES) and written["close"] == shipped_weights()["close"]
    assert set(written["least"]) == {"us_constitution"}
    assert '"right_first"' in capsys.readouterr().out
    assert {rows[0]["question"], few[0].query} <= set(read)
    assert not {a_test_topic(), rows[-1]["question"]} & set(read)
