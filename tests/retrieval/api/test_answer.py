"""The address that answers."""

import json

import pytest
from django.core.management import call_command

from retrieval.api.answer import AnswerToQuestion
from tests.retrieval.api.asking import API, assert_shape
from tests.retrieval.api.refusals import assert_refused

pytestmark = pytest.mark.django_db


def test_an_answer_has_the_shape_that_is_promised(client):
    got = client.get(f"{API}/answer", {"q": "Who can declare war?", "style": "full"}).json()
    assert_shape(got, AnswerToQuestion)
    posted = client.post(
        f"{API}/answer",
        {"q": "how do I bake bread", "domain": ["us_constitution"]},
        content_type="application/json",
    ).json()
    assert_shape(posted, AnswerToQuestion)
    assert posted["not_found"] and got["not_found"] is None


def test_a_stream_sends_each_sentence_and_then_the_whole(client):
    response = client.get(f"{API}/answer", {"q": "Who can declare war?", "stream": "true"})
    assert (
        response["Content-Type"].startswith("text/event-stream") and response["Cache-Control"] == "no-store"
    )
    events = b"".join(response.streaming_content).decode().strip().split("\n\n")
    names, told = zip(*(one.split("\n", 1) for one in events), strict=True)
    assert names[-1] == "event: answer" and set(names[:-1]) == {"event: sentence"}
    whole = json.loads(told[-1].removeprefix("data: "))
    assert [json.loads(one.removeprefix("data: ")) for one in told[:-1]] == whole["answer"]


def test_what_is_no_question_is_refused(client, no_stage):
    assert_refused(client.get(f"{API}/answer"), 400, "bad_parameter")
    assert_refused(client.get(f"{API}/answer", {"q": "x", "style": "long"}), 400, "bad_parameter")
    assert_refused(client.get(f"{API}/answer", {"q": "x", "k": "3"}), 400, "unknown_parameter")
    assert_refused(client.get(f"{API}/answer", {"q": " "}), 400, "bad_query")


def test_a_private_domain_is_answered_like_one_that_does_not_exist(client):
    for slug in ("client_cases", "client_casez"):
        assert_refused(client.get(f"{API}/answer", {"q": "rent", "domain": slug}), 404, "not_found")


def test_the_command_prints_the_answer(capsys):
    call_command("answer", "Who can declare war?")
    assert "To declare War" in capsys.readouterr().out
    call_command("answer", "how do I bake bread", "--json")
    assert json.loads(capsys.readouterr().out)["not_found"]
