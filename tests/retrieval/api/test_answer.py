"""The address that answers."""

import json

import pytest
from django.core.management import call_command

from retrieval.access.row_security import as_system
from retrieval.answers import spanish
from retrieval.answers.service import AnswerRequest, by_law
from retrieval.api.answer import AnswerToQuestion, events
from retrieval.models import Anchor, Feedback, LLMCall, RateWindow
from tests.builders import embedded
from tests.llm_server import good, says, writes
from tests.retrieval.answers.test_generation import CLIENT, PHONE, QUOTED, WARRANT, said, written
from tests.retrieval.api.asking import API, assert_shape
from tests.retrieval.api.keys import key_with
from tests.retrieval.api.refusals import assert_refused, post
from tests.retrieval.api.test_authentication import two_a_minute  # noqa: F401
from tests.retrieval.pages.looking import add_provision

pytestmark = pytest.mark.django_db
TWO = "Who can declare war? How old must the president be?"


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
    assert got["verified"] and got["verification"] == "verified"


def test_a_question_that_tells_no_language_is_answered_in_the_accepted_one(client):
    for language in ("es", "en"):
        got = client.get(f"{API}/answer", {"q": "visa"}, HTTP_ACCEPT_LANGUAGE=language).json()
        assert got["language"] == language


@pytest.mark.usefixtures("two_a_minute")
@pytest.mark.parametrize(("question", "counted"), [("Who can declare war?", 1), (TWO, 2)])
def test_every_question_of_a_text_counts_as_a_request(client, question, counted):
    away = {"REMOTE_ADDR": "203.0.113.9"}
    assert client.get(f"{API}/answer", {"q": question}, **away).status_code == 200
    assert RateWindow.objects.get().count == counted


@pytest.mark.usefixtures("two_a_minute")
def test_more_questions_than_are_left_of_a_minute_are_refused(client, settings):
    settings.ARF_RATE_PER_MINUTE = 3
    first, second = (client.get(f"{API}/answer", {"q": TWO}, REMOTE_ADDR="203.0.113.9") for _ in range(2))
    assert first.status_code == 200
    assert_refused(second, 429, "too_many_requests")


@pytest.mark.usefixtures("two_a_minute")
def test_no_text_of_questions_counts_as_more_than_a_minute_holds(client):
    asked = {"q": f"{TWO} Can the police search my house without a warrant?"}
    assert client.get(f"{API}/answer", asked, REMOTE_ADDR="203.0.113.9").status_code == 200
    assert RateWindow.objects.get().count == 2


def test_feedback_on_one_of_several_questions_names_the_search_of_its_part(client):
    asked = {"q": "Who can declare war? Can the police search my house without a warrant?"}
    made = client.get(f"{API}/answer", asked).json()
    assert_shape(made, AnswerToQuestion)
    first, second = made["parts"]
    assert made["trace_id"] == first["trace_id"] != second["trace_id"]
    said = {"trace_id": second["trace_id"], "locator": "/us/const/amendment/IV", "verdict": "helpful"}
    assert post(client, said, url=f"{API}/feedback").status_code == 201
    assert Feedback.objects.get().log.query_text == second["question"]


def test_an_answer_says_its_language_and_an_error_that_it_is_in_english(client):
    for stream in ("false", "true"):
        asked = {"q": "¿Quién puede declarar la guerra?", "stream": stream}
        assert client.get(f"{API}/answer", asked)["Content-Language"] == "es"
    assert client.get(f"{API}/answer", HTTP_ACCEPT_LANGUAGE="es")["Content-Language"] == "en"


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


def test_the_command_tells_what_ended_the_law_that_it_quotes(capsys):
    call_command("answer", "Is alcohol prohibited?")
    told = " ".join(capsys.readouterr().out.split())
    assert "U.S. Const. amend. XVIII, § 1 Repealed Repealed on Dec. 5, 1933 by U.S. Const. amend. XXI, § 1." in told


def test_the_answer_tells_what_ended_the_law_that_it_quotes(client):
    made = client.get(f"{API}/answer", {"q": "Is alcohol prohibited?"}).json()
    assert_shape(made, AnswerToQuestion)
    assert [one["status"] for one in made["answer"]] == ["", "repealed"]
    assert made["answer"][1]["history"][0]["day"] == "1933-12-05"


def test_the_command_cites_the_numbered_place(capsys):
    locator, text = "/us/usc/t8/s1182", "(a) Zebras\n(1) Zebras are striped."
    section = add_provision("us_code", "/us/usc/t8", locator, text, citation="8 U.S.C. § 1182")
    embedded(section)
    place = {"level": "paragraph", "number": "1", "start": 11, "end": len(text)}
    with as_system():
        Anchor.objects.create(section=section, locator=f"{locator}/a/1", **place)
    call_command("answer", "Are zebras striped?")
    assert "8 U.S.C. § 1182(a)(1)\n" in capsys.readouterr().out


def test_words_that_are_quoted_lead_to_what_defines_them(client, capsys):
    title = "/us/usc/t8"
    quoted = add_provision("us_code", title, f"{title}/s1182", "Zebras are striped.", citation="8 U.S.C. § 1182")
    defining = add_provision("us_code", title, f"{title}/s1101", "The term “zebra” means a horse.")
    with as_system():
        defining.definitions.create(term="zebra", locator=f"{title}/s1101/a/3", scope=title)
    embedded(quoted)
    made = client.get(f"{API}/answer", {"q": "Are zebras striped?"}).json()
    assert_shape(made, AnswerToQuestion)
    (word,) = made["definitions"]
    assert (word["term"], word["citation"]) == ("zebra", "8 U.S.C. § 1101(a)(3)")
    page = client.get("/ask", {"q": "Are zebras striped?"}).content.decode()
    assert "Words defined:" in page and f'href="/law{title}/s1101/a/3"' in page
    call_command("answer", "Are zebras striped?")
    assert "Words defined: “zebra”: 8 U.S.C. § 1101(a)(3)" in capsys.readouterr().out


def test_in_spanish_law_that_we_have_not_translated_has_a_machines_beside_it(client, monkeypatch):
    monkeypatch.setattr(spanish.loaded, "apertium_into_spanish", lambda: "a machine")
    monkeypatch.setattr(spanish, "into_spanish", lambda *_asked: "Las cebras son rayadas.")
    embedded(add_provision("us_code", "/us/usc/t8", "/us/usc/t8/s1182", "Zebras are striped."))
    asked = {"q": "Are zebras striped?", "language": "es"}
    made = client.get(f"{API}/answer", asked).json()
    assert_shape(made, AnswerToQuestion)
    (law,) = [one for one in made["answer"] if one["kind"] == "law"]
    assert law["text"] == "Zebras are striped."
    assert law["translation"] == {"text": "Las cebras son rayadas.", "by": "machine", "official": False}
    page = client.get("/ask", asked).content.decode()
    assert "Las cebras son rayadas." in page and "machine translation, often wrong" in page


def test_a_key_that_may_ask_a_model_gets_its_sentences_in_the_stream_too(client, unsure):
    writes = says(written(said(WARRANT, QUOTED), said("Ask a lawyer of Acme about it.", QUOTED)))
    unsure.behaviour = lambda asked: (writes if "PASSAGES" in str(asked["messages"]) else good())(asked)
    headers = key_with("search", "pipelines")[1]
    made = client.get(f"{API}/answer", {"q": PHONE}, **headers).json()
    assert_shape(made, AnswerToQuestion)
    assert [one["text"] for one in made["answer"] if one["kind"] == "generated"] == [WARRANT]
    assert made["generation"] == {"outcome": "generated", "withheld": []}
    response = client.get(f"{API}/answer", {"q": PHONE, "stream": "true"}, **headers)
    streamed = b"".join(response.streaming_content).decode()
    assert streamed.index(WARRANT) < streamed.index("event: answer")
    assert streamed.index('"kind":"law"') < streamed.index(WARRANT)
    staff = client.get(f"{API}/answer", {"q": PHONE}, **key_with("search", "staff")[1]).json()
    assert_shape(staff, AnswerToQuestion)


def test_who_leaves_in_mid_stream_has_the_model_heard_to_its_end(unsure):
    whole = written(said(WARRANT, QUOTED))
    unsure.behaviour = lambda asked: (writes(whole) if "PASSAGES" in str(asked["messages"]) else good())(asked)
    stream = events(by_law(AnswerRequest(PHONE), CLIENT, channel="api"))
    assert next(event for event in stream if WARRANT.encode() in event).startswith(b"event: sentence")
    stream.close()
    assert LLMCall.objects.get(purpose="answer").outcome == "answered"


def test_the_law_is_streamed_before_a_model_is_asked(client, unsure):
    asked = []
    unsure.behaviour = lambda request: (asked.append(str(request["messages"])), good()(request))[1]
    headers = key_with("search", "pipelines")[1]
    stream = iter(client.get(f"{API}/answer", {"q": PHONE, "stream": "true"}, **headers).streaming_content)
    sent = [next(stream), next(stream)]
    assert b'"kind":"lead"' in sent[0] and b'"kind":"law"' in sent[1]
    assert not any("PASSAGES" in messages for messages in asked)
    assert b"event: answer" in b"".join(stream)
    assert any("PASSAGES" in messages for messages in asked)
