"""Where provisions went that are no longer in force, on their pages, in the API and in a search."""

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.moved import went_to, where_it_went
from retrieval.models import Domain, Section
from retrieval.request import SearchRequest
from retrieval.search.service import search
from tests.builders import a_document, a_section

OLD = "/us/usc/t22/s9"


@pytest.mark.parametrize(
    ("heading", "words", "places"),
    [
        ("Transferred", "Section 9 was transferred to section 2708 of this title.", ["/us/usc/t22/s2708"]),
        ("Transferred", "Section was editorially reclassified as section 3023 of Title 50.", ["/us/usc/t50/s3023"]),
        ("Renumbered § 16133]", "", ["/us/usc/t22/s16133"]),
        ("Renumbered §§ 90101 to 90112]", "", ["/us/usc/t22/s90101", "/us/usc/t22/s90112"]),
        (
            "Repealed. Pub. L. 91–452",
            "Section related to witnesses. See sections 6001(a) and 6002 of Title 18, Crimes.",
            ["/us/usc/t18/s6001/a", "/us/usc/t18/s6002"],
        ),
        ("Omitted", "It is now covered by section 5 of this title. See note under section 7 of this title.",
         ["/us/usc/t22/s5"]),
        ("Repealed", "Section, act of 1946, amended section 12 of this title, related to section 9 of this title.", []),
    ],
)  # fmt: skip
def test_words_that_say_where_it_went_are_read(heading, words, places):
    assert went_to(OLD, heading, words) == places


def test_a_place_outside_the_codes_went_nowhere():
    assert went_to("/us/const/amendment/XVIII", "Repealed", "See section 2 of Title 27.") == []


@pytest.fixture
def moved():
    """§ 9, which was transferred to § 2708."""
    code = Domain.objects.get(slug="us_code")
    document = a_document(code, locator="/us/usc/t22", title="Title 22")
    a_section(
        document, locator=OLD, citation="22 U.S.C. § 9", heading="Transferred", status="transferred",
        notes=["Section 9 was transferred to section 2708 of this title, and section 1 of Title 51."],
    )  # fmt: skip
    return a_section(
        document, "Rewards.", locator="/us/usc/t22/s2708", citation="22 U.S.C. § 2708", heading="Rewards"
    )


@pytest.mark.django_db
def test_where_it_went_is_told_and_led_to_where_it_is_here(moved, client):
    old = Section.objects.get(locator=OLD)
    told = where_it_went(old, Section.objects.readable(ANONYMOUS))
    assert [(to.citation, to.section) for to in told] == [
        ("22 U.S.C. § 2708", moved),
        ("51 U.S.C. § 1", None),
    ]
    assert where_it_went(moved, Section.objects.readable(ANONYMOUS)) == []
    page = client.get(f"/law{OLD}").content.decode()
    assert (
        "Its words are now here:" in page and '<a href="/law/us/usc/t22/s2708">22 U.S.C. § 2708</a>' in page
    )
    account = client.get(f"/api/v1/sections{OLD}").json()
    assert account["went_to"][0] == {
        "locator": moved.locator, "citation": "22 U.S.C. § 2708", "title": "Rewards",
    }  # fmt: skip


@pytest.mark.django_db
def test_a_search_for_what_was_transferred_suggests_where_it_went(moved):
    results = search(SearchRequest(text="22 U.S.C. § 9"))["results"]
    assert [result["locator"] for result in results] == [OLD, moved.locator]
    assert results[1]["reasons"] == [{"code": "moved_here", "citation": "22 U.S.C. § 9"}]
