"""Our Spanish Constitution: whole, made of the words that ship, shown beside them and marked as ours."""

import json
import re

import pytest

from retrieval.corpus.translations import FILE, digest, translation
from retrieval.models import Section
from tests.retrieval.pages.looking import FOURTH, look

pytestmark = pytest.mark.django_db
UNOFFICIAL = "Traducción nuestra, no oficial: la ley son las palabras en inglés."


def test_every_provision_is_translated_paragraph_by_paragraph():
    texts = dict(
        Section.objects.live().filter(domain__slug="us_constitution").exclude(text="").values_list("locator", "text")
    )
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    assert {row["locator"]: row["of"] for row in rows} == {at: digest(text) for at, text in texts.items()}
    for locator, text in texts.items():
        spanish = translation(locator, text)
        assert len(spanish) == len(text.split("\n")) and all(spanish)
        assert re.findall(r"\d+", text) == re.findall(r"\d+", " ".join(spanish)), locator


def test_of_other_words_there_is_no_translation():
    assert translation("/us/const/amendment/IV", "Other words.") == []
    assert translation("/us/usc/t8/s1", "Any words.") == []


def test_who_reads_in_spanish_sees_it_beside_the_english(client):
    english = look(client, FOURTH)
    assert "The right of the people to be secure" in english.text and "El derecho del pueblo" not in english.text
    client.cookies["django_language"] = "es"
    spanish = look(client, FOURTH)
    assert "The right of the people to be secure" in spanish.text and UNOFFICIAL in spanish.text
    assert "El derecho del pueblo" in spanish.text


def test_the_api_gives_it(client):
    fourth = client.get("/api/v1/sections/us/const/amendment/IV").json()
    assert fourth["text"].startswith("The right of the people")
    assert fourth["text_es"].startswith("El derecho del pueblo")
    assert client.get("/api/v1/sections/us/const/amendment/XIV").json()["text_es"] == ""
