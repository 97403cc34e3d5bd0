"""Notes are searched where that is asked for, and stay apart from what answers."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.engines import loaded
from retrieval.models import Document, Section
from retrieval.ranking import Query
from retrieval.request import SearchRequest
from retrieval.search.notes import notes_with, private_notes, public_notes, searched, with_snippets
from retrieval.search.service import in_scope, run, search
from tests.builders import a_document, a_domain, a_section, embedded, grant

pytestmark = pytest.mark.django_db
READER = Caller(("user:41",))


@pytest.fixture
def noted(reindex):
    """A section of law, one whose note says what its text does not, and a repealed one of which the notes are left."""
    document = a_document(a_domain(slug="statutes"))
    text = a_section(document, "A zyzzyva may be kept by any person.", heading="Keeping")
    notes = ["Source: 61 Stat. 1.", "A zyzzyva was free before 1997."]
    other = a_section(document, "Fees are set by rule.", notes=notes)
    gone = a_section(document, status="repealed", notes=["Section 3, which taxed the zyzzyva, was repealed."])
    embedded(text, other)
    reindex()
    return text, other, gone


def answer(question: str, caller: Caller = ANONYMOUS, **asked) -> dict:
    return search(SearchRequest(question, **asked), caller, fresh=True)


def locators(found: list[dict]) -> list[str]:
    return [each["locator"] for each in found]


def test_a_note_is_told_as_a_note_and_never_as_a_result(noted):
    text, other, gone = noted
    found = answer("zyzzyva", domains=("statutes",), notes=True)
    assert {*locators(found["in_notes"])} == {other.locator, gone.locator}
    assert gone.locator not in locators(found["results"] + found["near_misses"])
    note = next(each for each in found["in_notes"] if each["locator"] == other.locator)
    assert (note["note"], note["snippet"]) == (2, "A zyzzyva was free before 1997.")
    assert [note["snippet"][start:end] for start, end in note["marks"]] == ["zyzzyva"]


def test_without_the_option_nothing_is_told_of_notes(noted):
    found = answer("zyzzyva", domains=("statutes",))
    assert "in_notes" not in found
    assert next(line["status"] for line in found["stages"] if line["name"] == "FindNotes") == "skipped"


def test_the_ranking_is_the_same_with_the_option_and_without(noted):
    for question in ("zyzzyva", "who sets the fees", "How old must the president be?"):
        plain, with_notes = answer(question), answer(question, notes=True)
        ranked = [[(one["locator"], one["score"]) for one in found["results"]] for found in (plain, with_notes)]
        assert ranked[0] == ranked[1]


def test_a_note_must_have_all_the_words_that_say_what_is_asked(noted):
    assert answer("what of the zyzzyva and the unicorn", domains=("statutes",), notes=True)["in_notes"] == []


def test_only_notes_within_the_places_and_on_the_day_asked_for_are_told(noted):
    _, other, gone = noted
    found = answer("zyzzyva", within=(gone.locator,), notes=True)
    assert locators(found["in_notes"]) == [gone.locator]
    type(gone).objects.filter(pk=other.pk).update(valid_to="2000-01-01")
    assert locators(answer("zyzzyva", domains=("statutes",), notes=True)["in_notes"]) == [gone.locator]


def test_notes_of_private_documents_are_found_by_whom_they_were_granted_to_alone(reindex):
    document = a_document(a_domain(slug="files", visibility="private"))
    section = a_section(document, "The rent is due on Monday.", notes=["None.", "Handed over by Mr. Zyzzyva."])
    embedded(section)
    grant(document, READER)
    reindex()
    (note,) = answer("zyzzyva", READER, domains=("files",), notes=True)["in_notes"]
    assert (note["locator"], note["note"], note["snippet"]) == (section.locator, 2, "Handed over by Mr. Zyzzyva.")
    stranger = Caller(("user:42",))
    assert "zyzzyva" not in str(answer("zyzzyva", stranger, notes=True)["in_notes"])
    grant(a_document(section.domain), stranger)
    assert answer("zyzzyva", stranger, domains=("files",), notes=True)["in_notes"] == []
    index = loaded.notes_index()
    assert not index.search({"en": "handed over by mr"}, domains=[section.domain_id], as_of=None, limit=10)


@as_system()
def test_the_words_of_private_notes_are_kept_and_follow_notes_and_language():
    private = a_section(a_document(a_domain(visibility="private")), notes=["Pays rents.", "Leases."])
    public = a_section(a_document(a_domain()), notes=["Pays rents."])

    def words_of(section):
        return Section.objects.values_list("note_words", flat=True).get(pk=section.pk)

    assert words_of(private) == "'leas':3 'pay':1 'rent':2" and words_of(public) is None
    Section.objects.filter(pk=private.pk).update(notes=["Pays."])
    assert words_of(private) == "'pay':1"
    Document.objects.filter(pk=private.document_id).update(language="es")
    assert words_of(private) == "'pays':1"


def test_a_search_makes_no_words_of_private_notes():
    document = a_document(a_domain(slug="files", visibility="private"))
    a_section(document, notes=["Handed over by Mr. Zyzzyva."])
    grant(document, READER)
    with as_caller(READER), CaptureQueriesContext(connection) as asked:
        domains, _ = in_scope(READER, ("files",))
        assert private_notes(Query("zyzzyva", "zyzzyva", "", "en", domains, caller=READER), 10)
    assert not any("to_tsvector" in query["sql"] for query in asked)


def test_without_an_index_the_search_says_so_and_answers(noted, settings, tmp_path):
    settings.ARF_LEXICAL_DIR = tmp_path / "other"
    settings.ARF_LEXICAL_DIR.mkdir()
    found = answer("zyzzyva", domains=("statutes",), notes=True)
    assert "FindNotes" in found["degraded"] and found["in_notes"] == []


def test_what_is_no_longer_there_is_not_told(noted):
    scopes, versions = in_scope(ANONYMOUS, ("statutes",))
    query = run(SearchRequest("zyzzyva", ("statutes",)), ANONYMOUS, scopes, versions).query
    _, other, _ = noted
    assert (other.pk, 1) in public_notes(query) and private_notes(query, 10) == []
    assert searched(query).filter(pk=other.pk).exists()
    assert [note["note"] for note in with_snippets(query, {other.pk: 0, -1: None})] == [1]
    assert len(notes_with(query, most=1)) == 1


def test_the_texts_of_what_has_notes_are_not_read_for_them(noted, django_assert_num_queries):
    scopes, versions = in_scope(ANONYMOUS, ("statutes",))
    query = run(SearchRequest("zyzzyva", ("statutes",)), ANONYMOUS, scopes, versions).query
    _, other, gone = noted
    with django_assert_num_queries(1):
        assert len(list(with_snippets(query, {other.pk: 0, gone.pk: 0}))) == 2
