"""The marked-up copy: every word of the brief, safe, with notes in both languages."""

import re
from datetime import date
from html import unescape

import pytest
from django.utils.translation import override

from retrieval.briefs.checking import check_brief
from retrieval.briefs.markup import copy_of, notes, runs
from tests.retrieval.briefs.cases import decisions  # noqa: F401
from tests.retrieval.corpus.past_law import regulations  # noqa: F401

pytestmark = pytest.mark.django_db
TEXT = (
    "<b>Argument</b> & more.\n\nCongress “may make no law.” U.S. Const. amend. I. Plessy v. Ferguson, 163 U.S. 537 "
    "(1896), governs. See U.S. Const. amend. XIV, § 9. The Fifth Amendment provides that “the right of the people to "
    "keep and bear Arms, shall not be infringed.”"
)


@pytest.fixture
def report(decisions):  # noqa: F811
    return check_brief(TEXT)


def test_the_runs_are_the_text(report):
    assert "".join(run.text for run in runs(report)) == TEXT
    kinds = {run.text: run.kinds for run in runs(report)}
    assert kinds["163 U.S. 537"] == "citation overruled"
    assert kinds["“may make no law.”"] == "quotation altered"


def test_each_finding_has_a_note_in_words(report):
    told = {note.said: note for note in notes(report)}
    assert "Overruled on May 17, 1954 by 347 U.S. 483." in told["163 U.S. 537"].words
    assert told["U.S. Const. amend. XIV, § 9"].url.startswith("/law/us/const/amendment/XIV/section/")
    assert told["may make no law."].differences[0].source == "shall"
    assert [note.name for note in notes(report)][-1] == "U.S. Const. amend. II"
    assert [note.number for note in notes(report)] == [1, 2, 3, 4]


def test_a_clause_past_the_last_is_told_to_be_none_beside_the_last():
    (note,) = notes(check_brief("See U.S. Const. art. I, § 8, cl. 19."))
    assert note.words.startswith("There is no U.S. Const. art. I, § 8, cl. 19 in the law here.")
    assert note.name == "U.S. Const. art. I, § 8, cl. 18"


def test_law_of_a_day_before_what_is_here_is_no_finding_and_told_not_to_be_known(regulations):  # noqa: F811
    text = "See 37 C.F.R. § 1.48. A rule of then was 37 C.F.R. § 1.48."
    report = check_brief(text, as_of=date(2004, 1, 1))
    assert (report.findings, report.verification) == ((), "not_verified")
    assert {check["known_from"] for check in report.to_dict()["citations"]} == {"2005-07-01"}
    told = "Whether there was 37 C.F.R. § 1.48 on Jan. 1, 2004 is not known: the texts that are here begin on July 1"
    assert copy_of(report).count(told) == 1
    with override("es"):
        assert "No se sabe si" in copy_of(report)


def test_a_rule_that_is_reserved_now_is_told_to_be_none_and_quoted_as_it_was(regulations):  # noqa: F811
    text = "“A petition may be filed by the other joint inventors.” 37 C.F.R. § 1.47."
    report = check_brief(text)
    assert [note.words for note in notes(report)][0].startswith("37 C.F.R. § 1.47 was not in force on")
    assert [check.status for check in report.quotations] == ["exact"]
    assert not check_brief(text, as_of=date(2012, 1, 1)).findings


def test_law_that_was_withdrawn_is_told_so(regulations):  # noqa: F811
    regulations.sections.filter(valid_to=None).update(valid_to=date(2018, 1, 2))
    report = check_brief("See 37 C.F.R. § 1.48.")
    assert [note.words for note in notes(report)][0].endswith("It was withdrawn on Jan. 2, 2018.")
    assert report.to_dict()["citations"][0]["withdrawn_on"] == "2018-01-02"


def test_the_copy_has_every_word_and_runs_nothing(report):
    page = copy_of(report)
    assert "<b>Argument" not in page and "<script" not in page
    body = re.search(r'<div class="brief".*?>(.*)</div>', page, re.DOTALL)[1]
    assert unescape(re.sub(r"<sup.*?</sup>|<[^>]+>", "", body)) == TEXT


def test_the_copy_is_made_in_spanish(report):
    with override("es"):
        assert "Escrito revisado" in copy_of(report)


def test_what_could_not_be_compared_is_told_with_its_place_and_is_no_finding():
    own = "“El Congreso jamás dictará normas que impongan un culto determinado a los ciudadanos.” U.S. Const. amend. I."
    report = check_brief(own)
    page = copy_of(report)
    assert not report.findings and "1 quotation could not be compared word by word" in page
    assert '<a href="#unchecked-1"><q>El Congreso jamás' in page
    assert '<mark class="quotation unchecked" id="unchecked-1">“El Congreso' in page
    assert "could not be compared" not in copy_of(check_brief(TEXT))


@pytest.mark.parametrize("note", ["", "¹"])
def test_a_quotation_for_which_nothing_is_cited_is_left_to_the_reader(note):
    quoted = f"The Constitution says: “Congress shall establish any religion it likes.”{note}"
    report = check_brief(f"{quoted}\n\n{note} See U.S. Const. art. II. It speaks of the “executive Power.”")
    assert report.verification == "not_verified"
    assert "1 quotation could not be compared word by word" in copy_of(report)
    assert check_brief(quoted).verification == "nothing_to_verify"
