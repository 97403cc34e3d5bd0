"""Of which edition a text or a day's law is told to be."""

from datetime import date

import pytest

from retrieval.answers.editions import Edition, notice
from retrieval.corpus.editions import edition_on, edition_with
from tests.retrieval.corpus.past_law import BACK, TITLE, regulations, text_of  # noqa: F401
from tests.retrieval.pages.looking import look

pytestmark = pytest.mark.django_db
LAST = "Code of Federal Regulations, edition of July 1, 2016"


def test_a_text_that_has_ended_is_of_no_edition_that_is_known(regulations):  # noqa: F811
    assert (edition_with(text_of("1.47")), edition_with(text_of("1.48"))) == ("", LAST)
    assert [edition_on(regulations, day) for day in (date(2012, 1, 1), BACK, None)] == ["", LAST, LAST]


@pytest.mark.usefixtures("regulations")
def test_the_page_and_the_api_tell_of_former_text_from_when_to_when_it_was_in_force(client):
    former, now = look(client, f"/law{TITLE}/s1.47?as_of=2012-01-01").text, look(client, f"/law{TITLE}/s1.48").text
    assert "In force July 1, 2005 – July 1, 2013" in former and "edition of July 1, 2016" not in former
    assert "In force since July 1, 2005" in now and f"Edition {LAST}" in now
    for address, told in (
        ("sections/us/cfr/t37/s1.47?as_of=2012-01-01", ""),
        ("sections/us/cfr/t37/s1.48?as_of=2012-01-01", LAST),
    ):
        assert client.get(f"/api/v1/{address}").json()["document"]["publication"] == told
    tree = "/api/v1/documents/us/cfr/t37"
    assert client.get(f"{tree}?as_of=2012-01-01").json()["publication"] == ""
    assert client.get(tree).json()["publication"] == LAST


def test_an_answer_names_the_edition_only_where_all_that_it_quotes_is_in_it():
    last, former = Edition("Title 37", "", LAST, BACK), Edition("Title 37", "", "", None)
    assert "Title 37, Code of Federal Regulations" in notice([last], None, "en", undated=False, is_law=True)
    assert notice([last, former], None, "en", undated=False, is_law=True).startswith("Title 37. This is")
