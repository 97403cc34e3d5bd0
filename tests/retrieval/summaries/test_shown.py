"""Summaries as they are shown: the law's own words, to whom may read them, on the day they were law."""

import re
from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.answers import spanish
from retrieval.models import Document, Section, Summary
from retrieval.models.access import caller_for
from retrieval.summaries import shown, upkeep
from tests.builders import a_case_file, a_document, a_domain, a_section, embedded
from tests.retrieval.api.asking import found, section
from tests.retrieval.pages.looking import look, look_for

pytestmark = pytest.mark.django_db
ANA, BEN = Caller(("key:901",)), Caller(("key:902",))
LONG = (
    "The landlord shall return the deposit within thirty days. " + "The tenant keeps the rooms clean. " * 60
)


@pytest.fixture
def anas_file():
    document = a_case_file("Lease of Ibarreche", LONG, "The rent is due on the first day.", granted_to=ANA)
    with as_system():
        upkeep.save_above(document, [])
    return document


def told_of(document, caller):
    with as_caller(caller):
        return shown.of_document(document, Section.objects.readable(caller))


def test_a_private_summary_is_told_to_those_who_may_read_the_document(anas_file):
    assert "The rent is due on the first day." in [one["text"] for one in told_of(anas_file, ANA)]
    for caller in (BEN, ANONYMOUS):
        assert told_of(anas_file, caller) == []
        with as_caller(caller):
            assert not Summary.objects.filter(document=anas_file).exists()


def test_what_only_leads_into_a_list_is_not_told():
    document = a_document(a_domain())
    texts = ("The Board shall meet in May.", "The Board may", "The Board shall—")
    parts = [a_section(document, text, is_leaf=False) for text in texts]
    clause = a_section(document, "borrow Money;")
    document.summaries.create(level=2, sentences=[[one.pk, 0, len(one.text)] for one in (*parts, clause)])
    assert [one["text"] for one in told_of(document, ANONYMOUS)] == [texts[0], clause.text]


def test_sentences_of_a_private_document_are_not_called_the_law(client, django_user_model):
    ann = django_user_model.objects.create_user("ann")
    document = a_case_file("Lease of Ibarreche", LONG, "Rent is due.", granted_to=caller_for(ann))
    with as_system():
        upkeep.save_above(document, [])
    client.force_login(ann)
    addresses = (f"/law{document.locator}", "/search?q=return+the+deposit&domain=client_cases")
    for told in (client.get(address).content.decode() for address in addresses):
        assert "Sentences of the document itself" in told and "Sentences of the law itself" not in told


def test_a_public_summary_that_names_private_places_tells_nothing(anas_file):
    document = a_document(a_domain())
    public = a_section(document, "Public words.")
    with as_system():
        private = anas_file.sections.first()
        document.summaries.create(level=2, sentences=[[private.pk, 0, 20], [public.pk, 0, 6]])
    for caller in (BEN, ANONYMOUS):
        assert told_of(document, caller) == []


def test_the_database_makes_a_summary_as_private_as_its_document(anas_file):
    with as_system():
        section = anas_file.sections.first()
        other = a_document(a_domain())
        section.summaries.all().delete()
        row = Summary.objects.create(section=section, document=other, level=0, private=False)
        row.refresh_from_db()
        assert (row.document_id, row.private) == (anas_file.pk, True)
        assert anas_file.summaries.get(section=None).private


def test_only_long_results_have_one_and_a_search_of_others_has_none(anas_file):
    with as_system():
        rows = list(anas_file.sections.in_order())
    results = [{"domain": "client_cases", "locator": row.locator, "rank": n} for n, row in enumerate(rows)]
    with as_caller(ANA):
        long, short = shown.with_summaries(results, ANA, None)
    assert long["summary"][0]["text"].strip() == "The landlord shall return the deposit within thirty days."
    assert short["summary"] == [] and short["rank"] == 1
    with as_caller(BEN):
        assert all(one["summary"] == [] for one in shown.with_summaries(results, BEN, None))
        elsewhere = [one | {"domain": "us_constitution"} for one in results]
    with as_caller(ANA):
        assert all(one["summary"] == [] for one in shown.with_summaries(elsewhere, ANA, None))


def test_nothing_is_told_of_a_day_whose_law_was_another():
    document = a_document(a_domain())
    old, new = (a_section(document, text) for text in ("Old law.", "New law."))
    Section.objects.filter(pk=old.pk).update(valid_to=date(2020, 1, 1))
    Section.objects.filter(pk=new.pk).update(valid_from=date(2020, 1, 1))
    embedded(Section.objects.get(pk=new.pk))
    upkeep.save_above(document, [new.pk])
    assert [one["text"] for one in shown.of_document(document, Section.objects.readable(ANONYMOUS))] == [
        "New law."
    ]
    assert shown.of_document(document, Section.objects.readable(ANONYMOUS, date(2019, 1, 1))) == []


def test_documents_are_told_apart_by_what_stands_for_them():
    document = Document.objects.get(locator="/us/const")
    readable = Section.objects.readable(ANONYMOUS)
    standing = shown.headings([document], readable)[document.pk]
    assert len(standing) > 1 and all(one.heading for one in standing)
    assert shown.headings([document], readable.none()) == {}


def test_the_api_tells_where_each_sentence_stands(client):
    for one in section(client, "us/const/article/II")["summary"]:
        source = section(client, one["locator"].strip("/"))
        assert source["text"][one["start"] : one["end"]] == one["text"]
        assert one["text_es"] and one["text_es"] != one["text"]
    assert section(client, "us/const")["summary"]
    assert section(client, "us/const/amendment/VIII")["summary"] == []


def test_a_search_tells_summaries_where_they_are_asked_for(client):
    results = found(client, "who becomes president if the president dies", fields="summary")["results"]
    assert {"rank", "locator", "summary"} <= set(results[0])
    long = [one for one in results if one["summary"]]
    assert long and all(len(section(client, one["locator"].strip("/"))["text"]) > shown.LONG for one in long)


def test_pages_show_them_in_both_languages(client):
    part = look(client, "/law/us/const/article/II")
    assert "Sentences of the law itself" in part.text
    assert "Sentences of the law itself" in look(client, "/law/us/const").text
    client.cookies["django_language"] = "es"
    translated = look(client, "/law/us/const/article/II")
    assert "Frases de la propia ley" in translated.text and "traducción no oficial" in translated.text


def test_results_fold_theirs_away(client):
    assert "In short" in look_for(client, "who becomes president if the president dies").text


# In Spanish where we have not translated


@pytest.fixture
def asked(monkeypatch):
    """What the machine is asked, which answers by the same words in capitals."""
    asked = []
    monkeypatch.setattr(spanish.loaded, "apertium_into_spanish", lambda: "a machine")
    monkeypatch.setattr(spanish, "terms_at", lambda version: None)
    monkeypatch.setattr(spanish, "into_spanish", lambda text, *_rest: (asked.append(text), text.upper())[1])
    return asked


def test_a_machines_stands_beside_the_english_words_and_is_made_once(client, asked):
    rents = "".join(f"The tenant of room {n} pays {n + 2}00 dollars of rent in May. " for n in range(30))
    section_ = a_section(a_document(a_domain()), LONG[:60] + rents)
    upkeep.save_provisions([section_])
    address = section_.locator.strip("/")
    assert section(client, address)["summary"][0]["translation"] is None and not asked
    for _again in range(2):
        with CaptureQueriesContext(connection) as sent:
            every = section(client, address, headers={"HTTP_ACCEPT_LANGUAGE": "es-MX"})["summary"]
        told = every[0]
        assert told["translation"] == {"text": told["text"].upper(), "by": "machine", "official": False}
        assert len(every) > 1 and sum("retrieval_version" in one["sql"] for one in sent) == 1
    assert len(asked) == len(set(asked))
    client.cookies["django_language"] = "es"
    page = look(client, f"/law{section_.locator}").text
    assert told["text"].strip() in page and told["text"].strip().upper() in page and "traducción automática" in page


def test_our_own_spanish_needs_none(client, asked):
    told = section(client, "us/const/article/II", headers={"HTTP_ACCEPT_LANGUAGE": "es"})["summary"]
    assert all(one["text_es"] and one["translation"] is None for one in told) and not asked


def test_a_search_asks_no_machine_and_what_is_unfolded_does(client, django_user_model, asked):
    ann = django_user_model.objects.create_user("ann")
    a_case_file("Lease of Ibarreche", LONG, granted_to=caller_for(ann))
    client.force_login(ann)
    client.cookies["django_language"] = "es"
    found_page = client.get("/search?q=return+the+deposit&domain=client_cases").content.decode()
    [address] = re.findall(r'hx-get="(/summary/[^"]*)"', found_page)
    assert not asked and "THE LANDLORD SHALL RETURN" not in found_page
    assert "THE LANDLORD SHALL RETURN" in client.get(address).content.decode() and asked
    client.logout()
    assert client.get(address).status_code == 404
