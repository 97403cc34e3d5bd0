"""What publishers' pages lead to, and what they send instead."""

import json

import pytest

from retrieval.errors import SourceRefused
from retrieval.fetching.publishers import PUBLISHERS, Asked, Publisher, Wanted, check_kind
from tests.retrieval.fetching.laws import CASE

ADDRESS = "https://uscode.house.gov/download/download.shtml"
PAGE = """<html><p>Public Law 119-102 (07/23/2026), except 119-101</p>
<a href="releasepoints/us/pl/119/102not101/xml_uscAll@119-102not101.zip">[XML]</a>
<a href="releasepoints/us/pl/119/102not101/xml_usc05A@119-102not101.zip">[XML]</a>
<a href="releasepoints/us/pl/119/102not101/xml_usc08@119-102not101.zip">[XML]</a>
<a href="releasepoints/us/pl/119/102not101/pdf_usc08@119-102not101.zip">[PDF]</a></html>"""


def leads_to(slug: str, content: str, address: str = ADDRESS, **asked) -> list[Wanted]:
    publisher, asked = PUBLISHERS[slug], Asked(**asked)
    return list(publisher.following(publisher.first(address, asked), content.encode(), asked))


def test_the_code_is_one_file_of_its_release_point_unless_titles_are_named():
    (whole,) = leads_to("us_code", PAGE)
    base = "https://uscode.house.gov/download/releasepoints/us/pl/119/102not101"
    assert whole.url == f"{base}/xml_uscAll@119-102not101.zip"
    assert (whole.edition, whole.kind) == ("2026-07-23", "zip")
    assert [each.name for each in leads_to("us_code", PAGE, titles=("8", "5a"))] == [
        "usc05A.zip",
        "usc08.zip",
    ]


@pytest.mark.parametrize(
    ("page", "titles", "why"),
    [
        ("<html><p>Moved</p></html>", (), "its form has changed"),
        (PAGE.replace("Public Law", "Law"), (), "its form has changed"),
        (PAGE.replace("07/23", "13/45"), (), "its form has changed"),
        (PAGE, ("99",), "no title 99"),
        (PAGE.replace("Public Law 119-102", "Public Law 119-10"), (), "has no title all"),
    ],
)
def test_a_page_of_another_form_is_refused(page, titles, why):
    with pytest.raises(SourceRefused, match=why):
        leads_to("us_code", page, titles=titles)


TITLES = {
    "titles": [
        {"number": 6, "latest_issue_date": "2025-01-02", "reserved": False},
        {"number": 35, "latest_issue_date": None, "reserved": True},
        {"number": 8, "up_to_date_as_of": "2025-01-03", "reserved": False},
    ]
}
ECFR = "https://www.ecfr.gov/api/versioner/v1/titles.json"


def test_titles_of_the_cfr_are_asked_for_as_of_their_last_issue():
    found = leads_to("code_of_federal_regulations", json.dumps(TITLES), ECFR)
    assert [(each.url, each.edition) for each in found] == [
        ("https://www.ecfr.gov/api/versioner/v1/full/2025-01-02/title-6.xml", "2025-01-02"),
        ("https://www.ecfr.gov/api/versioner/v1/full/2025-01-03/title-8.xml", "2025-01-03"),
    ]
    assert [
        each.name for each in leads_to("code_of_federal_regulations", json.dumps(TITLES), ECFR, titles=("8",))
    ] == ["title-8.xml"]


@pytest.mark.parametrize(
    "content",
    [
        "<html>",
        "[]",
        '{"titles": [{"name": "x"}]}',
        '{"rows": []}',
        '{"titles": [{"number": 6, "latest_issue_date": "2026-13-45"}]}',
        '{"titles": [{"number": 6, "latest_issue_date": 20260102}]}',
    ],
)
def test_an_answer_of_another_form_is_refused(content):
    with pytest.raises(SourceRefused, match="of the form that is known"):
        leads_to("code_of_federal_regulations", content, ECFR)


def test_a_title_that_is_about_to_be_published_is_waited_for():
    titles = {"titles": [TITLES["titles"][0] | {"processing_in_progress": True}]}
    with pytest.raises(SourceRefused, match="fetch it later"):
        leads_to("code_of_federal_regulations", json.dumps(titles), ECFR)


CASES = "https://www.courtlistener.com/api/rest/v4/clusters/?docket__court=scotus"


def test_cases_are_followed_by_their_opinions_and_the_next_page():
    unreported = CASE | {
        "id": 9,
        "citations": [],
        "sub_opinions": ["https://www.courtlistener.com/api/opinions/9/"],
    }
    reported = CASE | {"sub_opinions": ["https://www.courtlistener.com/api/rest/v4/opinions/71/"]}
    page = {"next": f"{CASES}&cursor=x", "results": [reported, unreported]}
    found = leads_to("supreme_court_cases", json.dumps(page), CASES)
    assert [(each.name, each.leaf) for each in found] == [("opinion-71.json", True), ("cases-2.json", False)]
    asked = Asked(since="2024-06-01")
    first = PUBLISHERS["supreme_court_cases"].first(CASES, asked)
    assert first.url == f"{CASES}&date_filed__gte=2024-06-01"


MANUAL = "https://www.uscis.gov/policy-manual"
LINKS = """<html><a href="/policy-manual/volume-7?x=1#top">7</a><a href="/policy-manual/volume-7-part-a-chapter-1">1</a>
<a href="/policy-manual/volume-12">12</a><a href="/policy-manual/updates">U</a>
<a href="https://elsewhere.example/policy-manual/volume-1">1</a><a href="/green-card">G</a></html>"""


def test_the_manual_leads_to_its_volumes_parts_and_chapters_alone():
    found = leads_to("uscis_policy", LINKS, MANUAL)
    assert [(each.name, each.leaf) for each in found] == [
        ("volume-12.html", False), ("volume-7.html", False), ("volume-7-part-a-chapter-1.html", True),
    ]  # fmt: skip
    assert found[1].url == f"{MANUAL}/volume-7"
    assert [each.name for each in leads_to("uscis_policy", LINKS, MANUAL, titles=("12",))] == [
        "volume-12.html"
    ]
    with pytest.raises(SourceRefused, match="links no volumes"):
        leads_to("uscis_policy", "<html><p>Moved</p></html>", MANUAL)


def test_any_address_is_one_file():
    wanted = Publisher().first("https://law.example/files/law%20a.jsonl?x=1", Asked())
    assert (wanted.name, wanted.kind) == ("law_20a.jsonl", "jsonl")
    assert Publisher().first("https://law.example/..", Asked()).name == "_"


@pytest.mark.parametrize(
    ("kind", "beginning", "why"),
    [
        ("xml", b"", "is empty"),
        ("xml", b" \n", "is empty"),
        ("xml", b"<!DOCTYPE html><html>", "not XML"),
        ("zip", b"<html>", "not ZIP"),
        ("json", b"<html>", "not JSON"),
    ],
)
def test_what_is_something_else_is_refused(kind, beginning, why):
    with pytest.raises(SourceRefused, match=why):
        check_kind(Wanted("law", "https://law.example", kind), beginning)


@pytest.mark.parametrize(
    ("kind", "beginning"),
    [("xml", b'\xef\xbb\xbf<?xml version="1.0"?>'), ("zip", b"PK\x03\x04"), ("jsonl", b"{}")],
)
def test_what_is_asked_for_is_not(kind, beginning):
    check_kind(Wanted("law", "https://law.example", kind), beginning)
