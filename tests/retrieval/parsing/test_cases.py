"""What is known of a case becomes its own text, and leaves its opinions alone."""

from datetime import date

import pytest

from retrieval.errors import SourceRefused
from retrieval.parsing.cases import case_of, holding_begins, is_case, is_summary

CASE = {
    "locator": "/us/scotus/1/99", "name": "Doe v. Roe", "citation": "1 U.S. 99", "docket": "10",
    "decided": "1956-04-02", "facts": "A dog\nbarked.", "conclusion": "Yes. It may.",
}  # fmt: skip


def test_a_case_has_its_facts_and_what_was_held():
    document = case_of(CASE)
    assert (document.identifier, document.title, document.scope) == ("/us/scotus/1/99", "Doe v. Roe", ())
    assert (document.root.heading, document.root.valid_from) == ("Doe v. Roe", date(1956, 4, 2))
    assert document.root.text == "Facts. A dog barked.\nHeld. Yes. It may."
    assert document.root.notes == ("No. 10",)


def test_a_case_names_the_provisions_it_construes_and_cites_them():
    root = case_of(CASE | {"provisions": ["/us/const/amendment/XIV/section/1", "/us/usc/t42/s1983"]}).root
    assert root.notes == ("No. 10", "Construes U.S. Const. amend. XIV, § 1; 42 U.S.C. § 1983.")
    assert [(ref.locator, ref.text, ref.start) for ref in root.refs] == [
        ("/us/const/amendment/XIV/section/1", "U.S. Const. amend. XIV, § 1", -1),
        ("/us/usc/t42/s1983", "42 U.S.C. § 1983", -1),
    ]


def test_a_case_cites_what_it_is_known_to_have_overruled():
    root = case_of(CASE | {"locator": "/us/scotus/372/335", "provisions": ["/us/const/amendment/VI"]}).root
    assert [ref.locator for ref in root.refs] == ["/us/const/amendment/VI", "/us/scotus/316/455"]
    assert root.notes[-1] == "Construes U.S. Const. amend. VI."


def test_a_case_without_its_date_is_one():
    assert (
        case_of({"locator": "/us/scotus/1/99", "name": "Doe v. Roe", "facts": "Dogs."}).root.valid_from
        is None
    )
    with pytest.raises(SourceRefused, match="“1956” is not a date"):
        case_of(CASE | {"decided": "1956"})


def test_other_rows_are_no_cases():
    assert is_case(CASE) and not is_case({"locator": "/us/usc/t8/s1", "heading": "Dogs"})


def test_what_is_held_stands_behind_the_facts():
    text = case_of(CASE).root.text
    assert text[holding_begins(text) :] == "Yes. It may."
    assert holding_begins("Facts. The hall was Held. It burned.") == 0


def test_a_case_has_a_summary_and_an_opinion_none():
    root = case_of(CASE).root
    assert is_summary(root.level, root.text)
    short = case_of({"locator": "/us/scotus/1/99", "name": "Doe v. Roe", "conclusion": "Yes."})
    assert is_summary("case", short.root.text)
    assert not is_summary("case", "") and not is_summary("majority", root.text)
    assert not is_summary("case", "CHIEF JUSTICE MARSHALL delivered the opinion of the Court.")
