"""Both definitions of relevance, the one by a language model on loopback."""

import json

import pytest

from evaluation.measuring.answer_relevance import Said, by_questions, questions_of, similarities
from evaluation.measuring.answers import judged_relevance
from retrieval.engines.llm.answers import Unusable
from retrieval.models import LLMCall
from tests.llm_server import FAILING, says

WAR = Said("Who can declare war?", "The Congress shall have Power to declare War.", "en")
PIE = Said("Who can declare war?", "Bake the apples for an hour in a hot oven.", "en")
DECLINED = Said("Who can declare war?", "", "en")

pytestmark = pytest.mark.django_db


def told(*questions: str, evades: bool = False) -> str:
    return json.dumps({"evades": evades, "questions": [{"text": one} for one in questions]})


def test_an_answer_to_the_question_is_nearer_and_none_is_not_near_at_all():
    near, far, none = similarities([WAR, PIE, DECLINED])
    assert near > 0.5 > far and none == 0.0


def test_the_questions_read_out_are_compared_with_the_one_asked(configured_model):
    configured_model.behaviour = says(told("Who can declare war?", "Who may declare war?"))
    [right], failed = by_questions([WAR])
    configured_model.behaviour = says(told("How long do apples bake?"))
    [wrong], _ = by_questions([WAR])
    assert right > 0.9 > 0.5 > wrong and failed == 0
    assert LLMCall.objects.filter(purpose="answer relevance").count() == 2


def test_an_answer_that_evades_is_not_relevant_and_one_declined_is_not_sent(configured_model):
    configured_model.behaviour = says(told(evades=True))
    scores, failed = by_questions([WAR])
    assert (scores, failed) == ([0.0], 0)
    configured_model.asked.clear()
    assert by_questions([DECLINED]) == ([0.0], 0) and not configured_model.asked


@pytest.mark.parametrize("behaviour", [FAILING["error 500"], FAILING["bad key"], says("no JSON")])
def test_a_model_that_fails_has_judged_nothing(configured_model, behaviour):
    configured_model.behaviour = behaviour
    assert judged_relevance([WAR, WAR]) == {"status": "judge_failed", "failed": 2}


def test_questions_that_are_missing_are_no_judgment():
    with pytest.raises(Unusable):
        questions_of({"evades": False, "questions": []})
    assert questions_of({"evades": True, "questions": []}) == []
