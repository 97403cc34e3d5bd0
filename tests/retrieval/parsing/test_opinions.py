"""Opinions in the forms in which they are published: their parts, authors and the reporter's pages."""

import json
from datetime import date

import pytest

from retrieval.errors import SourceRefused
from retrieval.parsing.opinions import OPENING, day_of, kind_of, locator_of, of_row, paged, read, starred
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
        (json.dumps(CAP | {"citations": []}), "no page of the United States Reports"),
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
    assert locator_of({"citations": ["347 U. S. 483"]}) == "/us/scotus/347/483"
    assert day_of("1956") is None and starred("a < b") == "a < b"
    assert OPENING.match("PER CURIAM.") and not OPENING.match("Justice is blind.")
