"""Briefs checked over the API: text and files, charged by their size, for the caller alone."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval.access import matters
from retrieval.api import check
from retrieval.briefs.checking import MAX_TEXT
from retrieval.models import RateWindow
from retrieval.models.access import name_of
from tests.files import column, docx, pdf
from tests.llm_server import says
from tests.matters import firm, handed_in  # noqa: F401
from tests.retrieval.api.asking import assert_shape
from tests.retrieval.api.keys import API, key_with
from tests.retrieval.api.refusals import assert_refused, post

pytestmark = pytest.mark.django_db
ADDRESS = f"{API}/check"
TEXT = "Congress “may make no law.” U.S. Const. amend. I."


def checked(client, body, **headers):
    response = post(client, body, url=ADDRESS, **headers)
    assert response.status_code == 200, response.content
    return response.json()


def hand_in(client, name, content, address="127.0.0.1", **fields):
    return client.post(ADDRESS, {"file": SimpleUploadedFile(name, content), **fields}, REMOTE_ADDR=address)


def test_a_text_is_checked(client):
    answer = checked(client, {"text": TEXT})
    assert_shape(answer, check.CheckedBrief)
    assert [found["kind"] for found in answer["findings"]] == ["altered"]
    assert answer["as_of"] in answer["notice"] and "no legal advice" in answer["notice"]
    assert "copy" not in answer


def test_a_language_model_is_asked_where_the_key_may_and_wants_it(client, configured_model):
    quote = "ratified by the Legislatures of three fourths of the several States"
    configured_model.behaviour = says(json.dumps({"instructs": False, "quote": quote, "supported": False}))
    said = "Whatever is proposed becomes part of the Constitution once two thirds of the States have ratified it."
    body = {"text": f"{said} U.S. Const. art. V."}
    _key, may_ask = key_with("search", "pipelines")
    answer = checked(client, body | {"opinion": True}, **may_ask)
    assert_shape(answer, check.CheckedBrief)
    assert (answer["opinion"], answer["propositions"][0]["opinion"]) == ("given", True)
    assert [found["kind"] for found in answer["findings"]] == ["unsupported"]
    for other in (checked(client, body, **may_ask), checked(client, body | {"opinion": True})):
        assert (other["opinion"], other["findings"]) == (None, [])
    assert len(configured_model.asked) == 1


def test_a_sentence_that_is_read_beside_the_law_is_told_with_its_words(client):
    said = "Congress may establish a religion."
    answer = checked(client, {"text": f"🙂 Now. {said} U.S. Const. amend. I."})
    assert_shape(answer, check.CheckedBrief)
    (read,) = answer["propositions"]
    assert (read["text"], read["start"], read["end"]) == (said, 7, 7 + len(said))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The court said “no more” and rose. What of it?", "nothing_to_verify"),
        ("Congress “shall make no law.” U.S. Const. amend. I.", "verified"),
        (TEXT, "not_verified"),
    ],
)
def test_a_text_that_cites_nothing_has_nothing_to_verify(client, text, expected):
    assert checked(client, {"text": text})["verification"] == expected


def test_a_file_is_checked_alike(client):
    answer = hand_in(client, "brief.docx", docx(("Normal", TEXT)), as_of="2020-01-01").json()
    assert [found["kind"] for found in answer["findings"]] == ["altered"]
    assert answer["as_of"] == "2020-01-01"


def test_a_file_of_which_pages_are_scans_is_not_verified(client):
    answer = hand_in(client, "brief.pdf", pdf(column("See U.S. Const. amend. I."), "scan")).json()
    assert_shape(answer, check.CheckedBrief)
    assert (answer["complete"], answer["scanned_pages"], answer["verification"]) == (False, [2], "not_verified")


def test_a_copy_comes_in_the_language_asked_for(client):
    assert "Checked brief" in checked(client, {"text": TEXT, "copy": True})["copy"]
    assert "Escrito revisado" in checked(client, {"text": TEXT, "copy": True, "language": "es"})["copy"]


def test_the_notice_comes_in_the_language_asked_for(client):
    response = post(client, {"text": TEXT, "language": "es"}, url=ADDRESS)
    assert "asesoramiento" in response.json()["notice"] and response["Content-Language"] == "es"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "bad_parameter"),
        ({"text": "x" * (MAX_TEXT + 1)}, "bad_parameter"),
        ({"text": TEXT, "as_of": "soon"}, "bad_parameter"),
        ({"text": TEXT, "q": "?"}, "unknown_parameter"),
        ([TEXT], "bad_body"),
    ],
)
def test_what_is_no_brief_is_refused(client, body, code):
    assert_refused(post(client, body, url=ADDRESS), 400, code)


def test_files_that_cannot_be_read_are_refused(client):
    assert_refused(hand_in(client, "brief.exe", b"x"), 422, "source_refused")
    assert_refused(hand_in(client, "brief.txt", b"x" * (MAX_TEXT + 1)), 422, "unprocessable")
    assert_refused(hand_in(client, "brief.pdf", b"x" * 2_600_000), 413, "too_large")


def test_it_is_charged_by_its_size(client):
    post(client, {"text": TEXT * 200}, url=ADDRESS, REMOTE_ADDR="8.8.8.8")
    assert RateWindow.objects.get().count > 10


@pytest.mark.usefixtures("one_minute")
def test_a_packed_file_is_charged_by_its_text(client, settings):
    settings.ARF_RATE_PER_MINUTE = 110
    brief = {"name": "brief.docx", "content": docx(("Normal", "law " * 15_900)), "address": "8.8.8.8"}
    assert len(brief["content"]) < 40_000
    assert hand_in(client, **brief).status_code == 200
    assert RateWindow.objects.get().count == 64
    assert_refused(hand_in(client, **brief), 429, "too_many_requests")


def test_no_file_is_charged_as_more_than_a_minute_holds(client, settings):
    settings.ARF_RATE_PER_MINUTE = 50
    response = hand_in(client, "brief.docx", docx(("Normal", "law " * 15_900)), address="8.8.8.8")
    assert (response.status_code, RateWindow.objects.get().count) == (200, 50)


def test_a_matters_brief_reads_its_documents(client, firm):  # noqa: F811
    """Those who are no members are told of no matter."""
    paper = handed_in(firm.matter, firm.lead, filename="lease of the mill.txt")
    key, headers = key_with("search")
    matters.set_member(firm.matter, name_of(f"key:{key.pk}"), "reader", firm.lead)
    body = {"text": f"“Ninety ducats are due.” {paper.title}.", "matter": str(firm.matter.public_id)}
    answer = checked(client, body, **headers)
    assert answer["quotations"][0]["differences"] == [{"quoted": "ducats", "source": "doubloons"}]
    assert_refused(post(client, body, url=ADDRESS), 404, "not_found")
    assert_refused(post(client, body, url=ADDRESS, **key_with("search")[1]), 404, "not_found")
