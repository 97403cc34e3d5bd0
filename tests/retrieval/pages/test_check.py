"""The page of briefs: pasted or handed in, marked up, in both languages, and kept nowhere."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval.briefs.checking import MAX_TEXT
from retrieval.models import RateWindow, SearchLog
from tests.files import column, docx, pdf
from tests.retrieval.pages.looking import Page

pytestmark = pytest.mark.django_db
TEXT = "<b>Argument.</b> Congress “may make no law.” U.S. Const. amend. I."


def send(client, **fields):
    return client.post("/check/", fields)


def test_the_page_is_reached_from_every_other(client):
    assert 'href="/check/"' in client.get("/").content.decode()
    assert 'enctype="multipart/form-data"' in client.get("/check/").content.decode()


def test_a_pasted_text_comes_back_marked_up_and_escaped(client):
    response = send(client, text=TEXT)
    page = response.content.decode()
    assert response["Cache-Control"] == "no-store"
    assert '<mark class="quotation altered">“may make no law.”</mark>' in page
    assert "<del>may</del>" in page and "<ins>shall</ins>" in page and "<b>Argument" not in page


def test_a_text_that_cites_no_law_has_nothing_to_verify(client):
    assert "Nothing to verify: the text cites no law." in Page(send(client, text="Good morning.")).text
    assert "Nothing to verify" not in Page(send(client, text=TEXT)).text


def test_what_is_wrong_with_a_field_is_told_of_it(client):
    page = Page(send(client, text=TEXT, as_of="2020-99-99"))
    (field,) = page.all("input", name="as_of")
    assert page.all("p", id=field["aria-describedby"])


def test_the_limits_are_told_of_their_fields(client):
    page = Page(client.get("/check/"))
    (text,), (file,) = page.all("textarea", name="text"), page.all("input", type="file")
    assert page.all("p", id=text["aria-describedby"]) and page.all("p", id=file["aria-describedby"])
    assert ".md" in file["accept"] and "2.5 MB" in page.text and "64,000" in page.text


def test_a_file_is_read(client):
    page = send(
        client, file=SimpleUploadedFile("brief.docx", docx(("Normal", "See amend. XXVIII.")))
    ).content.decode()
    assert "There is no U.S. Const. amend. XXVIII" in page and "See amend. XXVIII.</textarea>" in page


def test_pages_that_are_scans_are_named_as_long_as_the_text_of_the_file_is_there(client):
    scan = pdf(column("See U.S. Const. amend. I."), "scan", "scan")
    response = send(client, file=SimpleUploadedFile("brief.pdf", scan))
    page, form = Page(response), response.context["form"]
    assert "nothing on them was read: 2, 3." in page.text
    (field,) = page.all("input", name="scanned_pages")
    sent = {"scanned_pages": field["value"], "copy": "1"}
    assert "nothing on them was read: 2, 3." in send(client, text=form["text"].value(), **sent).content.decode()
    assert "nothing on them was read" not in send(client, text=TEXT, **sent).content.decode()


def test_the_copy_is_a_file(client):
    response = send(client, text=TEXT, copy="1")
    assert response["Content-Disposition"].startswith("attachment") and "<style>" in response.content.decode()
    assert "http://testserver/law/" in response.content.decode()  # its links work where it is opened


def test_it_speaks_spanish(client):
    page = client.post("/check/", {"text": TEXT}, headers={"accept-language": "es"}).content.decode()
    assert "Escrito revisado" in page and "La fuente tiene otras palabras." in page


@pytest.mark.parametrize(
    ("fields", "status"),
    [({"text": " "}, 400), ({"text": "x" * (MAX_TEXT + 1)}, 422), ({"text": TEXT, "as_of": "soon"}, 400)],
)
def test_what_is_no_brief_is_refused(client, fields, status):
    assert send(client, **fields).status_code == status


def test_the_longest_text_is_taken(client):
    assert send(client, text="ñ" * MAX_TEXT).status_code == 200


def test_it_is_charged_by_its_size_and_not_logged(client):
    client.post("/check/", {"text": TEXT * 200}, REMOTE_ADDR="8.8.8.8")
    assert RateWindow.objects.get().count > 10
    assert not SearchLog.objects.exists()


@pytest.mark.usefixtures("one_minute")
def test_a_packed_file_is_charged_by_its_text(client, settings):
    settings.ARF_RATE_PER_MINUTE = 110
    content = docx(("Normal", "law " * 15_900))
    for status in (200, 429):
        fields = {"file": SimpleUploadedFile("brief.docx", content)}
        response = client.post("/check/", fields, REMOTE_ADDR="8.8.8.8")
        assert response.status_code == status
    assert len(content) < 40_000 and response["Retry-After"]


def test_another_language_keeps_the_text_and_what_was_found(client):
    page = Page(send(client, text=TEXT, language="es"))
    assert "Escrito revisado" in page.text and page.all("html", lang="es")
    assert page.all("button", name="language", value="en", form="brief") and page.all("form", id="brief")
    assert page.all("textarea", name="text") and "amend. I." in page.text
    assert Page(client.get("/check/")).all("html", lang="es")


def test_the_language_of_an_empty_page_is_chosen_as_elsewhere(client):
    page = Page(client.get("/check/"))
    assert not page.all("button", form="brief") and page.all("form", action="/language")
