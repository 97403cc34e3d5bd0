"""Answers that people judged, and how far proof agrees with them."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from evaluation.proof import judged_answers
from evaluation.proof.judged_answers import JudgedAnswer, is_borne_out
from retrieval.proof.types import Source

TERM = Source("/us/const/article/II", "U.S. Const. art. II", "He shall hold his Office during the Term of four Years.")


@pytest.mark.parametrize(
    ("said", "borne_out"),
    [
        ("He shall hold his office during the term of four years.", True),
        ("He shall hold his office during the term of six years.", False),
        ("He shall hold his office during the term of four years. He may be elected twice.", False),
        ("What does it say?", False),  # nothing to prove
    ],
)
def test_an_answer_is_borne_out_where_every_claim_is(said, borne_out):
    assert is_borne_out(JudgedAnswer("a", said, "en", (TERM,), {})) == borne_out


def test_two_people_judged_two_hundred_answers_of_which_half_are_wrong():
    answers = list(judged_answers.judged_answers())
    assert len({one.id for one in answers}) == len(answers) == 200
    assert all(set(one.supported) == {"first", "second"} for one in answers)
    assert 80 <= sum(one.supported["first"] for one in answers) <= 120
    assert sum(one.language == "es" for one in answers) == 50


@pytest.mark.django_db
def test_the_command_tells_how_far_proof_agrees_with_people():
    said = StringIO()
    call_command("agreement", answers=True, json=True, stdout=said)
    told = json.loads(said.getvalue())
    assert told["judged"] == told["double"] == 200
    assert {(one["first"], one["second"]) for one in told["kappas"]} == {
        ("first", "proof"), ("first", "second"), ("proof", "second"),
    }  # fmt: skip
