"""Opinions in the forms in which they are published: their parts, authors and the reporter's pages."""

import json
from datetime import date

import pytest

from retrieval.errors import SourceRefused
from retrieval.parsing.opinions import (
    OPENING,
    court_of,
    day_of,
    kind_of,
    of_row,
    paged,
    places_of,
    read,
    starred,
)
from retrieval.parsing.tree import SourceDocument, page_at

CAP = {
    "name": "JANE DOE v. RICHARD ROE", "name_abbreviation": "Doe v. Roe", "decision_date": "1956-04-02",
    "citations": [{"type": "parallel", "cite": "100 L. Ed. 1"}, {"type": "official", "cite": "350 U.S. 497"}],
    "casebody": {
        "head_matter": "Syllabus. Dogs may bark.",
        "opinions": [
            {"type": "majority", "author": "Mr. Justice Black", "text": "Dogs bark. *498 They may."},
            {"type": "dissent", "author": "Mr. Justice Reed", "text": "*502 They may not."},
        ],
    },
}  # fmt: skip
COURTLISTENER = {
    "case_name": "Doe v. Roe", "date_filed": "1956-04-02", "absolute_url": "/opinion/1/doe-v-roe/",
    "citations": [{"volume": 350, "reporter": "U.S.", "page": "497"}], "syllabus": "<p>Dogs may bark.</p>",
    "sub_opinions": [
        {"type": "020lead", "author_str": "Black",
         "html_with_citations": '<p>Dogs bark.</p><p>They <span class="star-pagination">*498</span> may.</p>'},
        {"type": "030concurrence", "author_str": "Harlan", "plain_text": "I agree."},
        {"type": "030concurrence", "author_str": "Frankfurter", "plain_text": "So do I."},
        {"type": "035concurrenceinpart", "author_str": "Reed",
         "xml_harvard":
         '<opinion><author>Reed</author><p>In <page-number label="501">*</page-number>part.</p></opinion>'},
    ],
}  # fmt: skip
TEXT = """Doe v. Roe, 350 U.S. 497 (1956)

Argued January 9, 1956. Decided April 2, 1956.

Syllabus

Dogs may bark.

MR. JUSTICE BLACK delivered the opinion of the Court.

Dogs bark. *498 They may.

MR. JUSTICE REED, with whom MR. JUSTICE MINTON joins, dissenting.

They may not.
"""
PLACE = "/us/scotus/350/497"


def parts(document: SourceDocument) -> list[tuple]:
    (whole,) = document.root.children
    return [
        (part.locator.removeprefix(f"{PLACE}/opinion/"), part.heading, part.text) for part in whole.children
    ]


def test_a_case_of_the_caselaw_access_project():
    document = of_row(CAP)
    assert (document.identifier, document.title, document.scope) == (
        PLACE,
        "Doe v. Roe",
        (f"{PLACE}/opinion",),
    )
    assert (document.root.given, document.root.valid_from) == (False, date(1956, 4, 2))
    assert parts(document) == [
        ("syllabus", "Syllabus", "Syllabus. Dogs may bark."),
        ("majority", "Majority (Mr. Justice Black)", "Dogs bark. They may."),
        ("dissent", "Dissent (Mr. Justice Reed)", "They may not."),
    ]


def test_a_case_of_courtlistener_and_its_separate_opinions():
    document = of_row(COURTLISTENER)
    assert document.source_url == "https://www.courtlistener.com/opinion/1/doe-v-roe/"
    assert parts(document) == [
        ("syllabus", "Syllabus", "Dogs may bark."),
        ("majority", "Majority (Black)", "Dogs bark.\nThey may."),
        ("concurrence", "Concurrence (Harlan)", "I agree."),
        ("concurrence~2", "Concurrence (Frankfurter)", "So do I."),
        ("concurrence-in-part", "Concurrence in part (Reed)", "Reed\nIn part."),
    ]


@pytest.mark.parametrize("document", [of_row(CAP), of_row(COURTLISTENER)])
def test_the_pages_of_the_reporter_are_kept_for_pin_cites(document):
    majority = document.root.children[0].children[1]
    assert majority.pages[0] == (0, 497)
    assert page_at(majority.pages, majority.text.index("bark")) == 497
    assert page_at(majority.pages, majority.text.index("may")) in (497, 498)
    assert page_at(majority.pages, len(majority.text) - 1) == 498


def test_a_text_is_divided_where_a_justice_begins():
    document = read(TEXT.encode(), "doe.txt")
    assert (document.identifier, document.title, document.root.valid_from) == (
        PLACE,
        "Doe v. Roe",
        date(1956, 4, 2),
    )
    assert [locator for locator, _, _ in parts(document)] == ["syllabus", "syllabus~2", "majority", "dissent"]
    assert parts(document)[3][1] == "Dissent (MR. JUSTICE REED)"


def test_html_is_read_as_its_text():
    page = "<html><body>" + "".join(f"<p>{line}</p>" for line in TEXT.split("\n\n")) + "</body></html>"
    assert parts(read(page.encode(), "doe.html"))[2:] == parts(read(TEXT.encode(), "doe.txt"))[2:]


def test_json_is_read_from_a_file():
    assert parts(read(json.dumps(CAP).encode(), "doe.json")) == parts(of_row(CAP))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not JSON"),
        ("{}", "no case of CourtListener"),
        (json.dumps(CAP | {"citations": []}), "no page of a reporter"),
        (json.dumps(CAP | {"casebody": {"opinions": []}}), "no opinion with words"),
        (
            json.dumps(COURTLISTENER | {"sub_opinions": ["https://www.courtlistener.com/1"]}),
            "only its address",
        ),
        (json.dumps(CAP | {"decision_date": "1956-13-40"}), "not a date"),
    ],
)
def test_what_is_no_opinion_is_refused(content, said):
    with pytest.raises(SourceRefused, match=said):
        read(content.encode(), "doe.json")


def test_numbers_that_do_not_follow_are_no_pages():
    assert paged("One *498 two *12 three *499 four", 497) == (
        "One two *12 three four", ((0, 497), (4, 498), (18, 499)),
    )  # fmt: skip


def test_kinds_and_citations_are_told():
    assert [kind_of(said) for said in ("010combined", "040dissent", "030concurrence", "035concurrenceinpart")] == [
        "majority", "dissent", "concurrence", "concurrence in part",
    ]  # fmt: skip
    assert places_of({"citations": ["347 U. S. 483"]}) == ("/us/scotus/347/483", ())
    assert day_of("1956") is None and starred("a < b") == "a < b"
    assert OPENING.match("PER CURIAM.") and not OPENING.match("Justice is blind.")


# -- Courts of other reporters

NINTH = {  # as static.case.law gives it
    "id": 11650001, "name": "Jane SMITH, Plaintiff-Appellant, v. Mark JONES, Defendant-Appellee",
    "name_abbreviation": "Smith v. Jones", "decision_date": "1997-08", "docket_number": "No. 96-15001",
    "first_page": "456", "last_page": "470",
    "citations": [{"type": "official", "cite": "123 F.3d 456"}, {"type": "vendor", "cite": "1997 U.S. App. LEXIS 1"}],
    "court": {"name_abbreviation": "9th Cir.", "id": 8985,
              "name": "United States Court of Appeals for the Ninth Circuit"},
    "jurisdiction": {"id": 39, "name_long": "United States", "name": "U.S."},
    "casebody": {"judges": [], "parties": [], "attorneys": [], "corrections": "", "head_matter": "Before BROWNING.",
                 "opinions": [{"text": "Cats purr. *457 Dogs bark.", "type": "majority", "author": "BROWNING, J."}]},
}  # fmt: skip
DISTRICT = {  # as courtlistener.org gives a cluster whose docket is told with it
    "resource_uri": "https://www.courtlistener.com/api/rest/v4/clusters/2/", "case_name": "Roe v. Poe",
    "date_filed": "1998-03-02", "absolute_url": "/opinion/2/roe-v-poe/",
    "docket": {"court": "https://www.courtlistener.com/api/rest/v4/courts/nysd/", "docket_number": "97 Civ. 1"},
    "citations": [{"volume": 12, "reporter": "F. Supp. 2d", "page": "34", "type": 1}],
    "sub_opinions": [{"type": "010combined", "author_str": "", "plain_text": "Cats may purr."}],
}  # fmt: skip


def with_citations(row: dict, *cites: str) -> dict:
    return row | {"citations": [{"cite": cite} for cite in cites]}


def test_a_case_of_a_court_of_appeals_has_its_court_its_year_and_its_place():
    document = of_row(NINTH)
    assert (document.identifier, document.court, document.year) == ("/us/case/f3d/123/456", "9th Cir.", 1997)
    (whole,) = document.root.children
    assert document.root.citation == whole.citation == "Smith v. Jones, 123 F.3d 456 (9th Cir. 1997)"
    assert [part.citation for part in whole.children] == [
        "Smith v. Jones, 123 F.3d 456 (9th Cir. 1997) (syllabus)",
        "Smith v. Jones, 123 F.3d 456 (9th Cir. 1997) (majority)",
    ]
    assert whole.children[1].pages == ((0, 456), (11, 457))


def test_a_case_of_a_district_court_is_read_with_the_court_of_its_docket():
    document = of_row(DISTRICT)
    assert document.identifier == "/us/case/f-supp-2d/12/34"
    assert document.root.citation == "Roe v. Poe, 12 F. Supp. 2d 34 (S.D.N.Y. 1998)"
    assert document.root.valid_from == date(1998, 3, 2)


@pytest.mark.parametrize("cites", [("5 Ill. 2d 10", "124 N.E.2d 1"), ("124 N.E.2d 1", "5 Ill. 2d 10")])
def test_a_case_has_one_place_in_whatever_order_its_citations_come(cites):
    document = of_row(with_citations(NINTH, *cites) | {"court": {"name_abbreviation": "Ill."}})
    assert document.identifier == "/us/case/ne2d/124/1"
    assert document.root.citation == "Smith v. Jones, 124 N.E.2d 1 (Ill. 1997)"
    (parallel,) = document.root.children[0].anchors
    assert (parallel.locator, parallel.number, parallel.level) == ("/us/case/ill-2d/5/10", "5 Ill. 2d 10", "parallel")


def test_the_united_states_reports_come_before_parallel_citations():
    document = of_row(with_citations(CAP, "74 S. Ct. 686", "98 L. Ed. 873", "347 U.S. 483"))
    assert document.identifier == "/us/scotus/347/483"
    assert [one.locator for one in document.root.children[0].anchors] == [
        "/us/case/s-ct/74/686", "/us/case/l-ed/98/873",
    ]  # fmt: skip
    assert (document.court, document.root.citation) == ("", "")
    assert of_row(with_citations(CAP, "144 S. Ct. 2244", "219 L. Ed. 2d 832")).identifier == "/us/case/s-ct/144/2244"


@pytest.mark.parametrize(
    ("said", "court"),
    [
        ({"court_id": "ca2"}, "2d Cir."),
        ({"court": "https://www.courtlistener.com/api/rest/v4/courts/cadc/"}, "D.C. Cir."),
        ({"court": {"name_abbreviation": "Cal. Ct. App."}}, "Cal. Ct. App."),
        ({"docket": "https://www.courtlistener.com/api/rest/v4/dockets/1/"}, ""),
        ({"court": "https://www.courtlistener.com/api/rest/v4/courts/nowhere/"}, ""),
        ({}, ""),
    ],
)
def test_a_court_is_called_as_it_is_cited(said, court):
    assert court_of(said) == court


def test_a_text_says_in_its_front_where_and_when_it_was_decided():
    text = "Smith v. Jones, 123 F.3d 456 (9th Cir. 1997)\n\nBROWNING, Judge.\n\nUnder 347 U.S. 483 cats purr."
    document = read(text.encode(), "smith.txt")
    assert document.root.citation == "Smith v. Jones, 123 F.3d 456 (9th Cir. 1997)"
    assert (document.title, document.court, document.year) == ("Smith v. Jones", "9th Cir.", 1997)
