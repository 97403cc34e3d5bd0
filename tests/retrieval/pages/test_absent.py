"""Pages, searches and the API tell of law that is here and not of the day asked for, alike."""

from datetime import date

import pytest

from tests.builders import a_document, a_domain, a_section
from tests.retrieval.corpus.past_law import TITLE, regulations  # noqa: F401
from tests.retrieval.pages.looking import look

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("regulations")]
ENDED = "There was no 37 C.F.R. § 1.265 in force on Jan. 1, 2012: it ended on July 1, 2010."
UNKNOWN = "there was 37 C.F.R. § 1.48 on Jan. 1, 2004 is not known: the texts that are here begin on July 1, 2005."
TO_COME = "There was no 37 C.F.R. § 1.110 in force on Aug. 1, 2005: it begins on July 1, 2006."
TOLD = [("1.265", "2012-01-01", ENDED), ("1.48", "2004-01-01", UNKNOWN), ("1.110", "2005-08-01", TO_COME)]


@pytest.mark.parametrize(("number", "day", "told"), TOLD)
def test_a_search_for_what_is_not_of_the_day_says_why_and_leads_to_its_text(client, number, day, told):
    page = look(client, f"/search?q=37 CFR {number}&as_of={day}")
    assert told in page.text and "There is no" not in page.text
    (link,) = (link for link in page.links() if link.startswith(f"/law{TITLE}/s{number}?as_of="))
    assert "As it stood on" in look(client, link).text


def test_a_search_of_today_tells_of_what_has_ended(client):
    assert "it ended on July 1, 2010." in look(client, "/search?q=37 CFR 1.265").text
    absent = client.get("/api/v1/search?q=37 CFR 1.265(a)").json()["absent"]
    assert (absent["reason"], absent["day"], absent["by"]) == ("no_longer_in_force", "2010-07-01", None)
    assert client.get("/api/v1/search?q=37 CFR 1.48").json()["absent"] is None


@pytest.mark.parametrize(("number", "day", "told"), TOLD[1:])
def test_a_page_of_a_day_before_its_first_text_says_so_and_leads_to_its_texts(client, number, day, told):
    page = look(client, f"/law{TITLE}/s{number}?as_of={day}", status=404)
    assert told in page.text and "mistyped" not in page.text
    assert f"/law{TITLE}/s{number}" in page.links()


def test_a_page_of_a_day_after_the_end_shows_the_text_that_ended(client):
    page = look(client, f"/law{TITLE}/s1.265?as_of=2012-01-01").text
    assert f"{ENDED} This is the text that ended then." in page
    assert "As it stood" not in page and "has not been in force since" not in page
    assert "examination support document" in page
    repealed = look(client, "/law/us/const/amendment/XVIII/section/1?as_of=1940-01-01").text
    assert "§ 1 in force on Jan. 1, 1940. This is the text that ended then." in repealed
    assert "Repealed on Dec. 5, 1933" in repealed and "As it stood" not in repealed
    before = look(client, f"/law{TITLE}/s1.265?as_of=2008-01-01").text
    assert "As it stood on Jan. 1, 2008." in before and "has not been in force since July 1, 2010." in before


def test_a_whole_document_of_a_day_before_it_says_so(client):
    page = look(client, f"/law{TITLE}?as_of=2004-01-01").text
    assert "Whether there was Title 37 on Jan. 1, 2004 is not known" in page and "As it stood" not in page
    assert "it begins on March 4, 1789." in look(client, "/law/us/const?as_of=1700-01-01").text


def test_a_shelf_is_that_of_the_day(client):
    now, then = look(client, "/law/us/cfr"), look(client, "/law/us/cfr?as_of=2008-01-01")
    assert "Title 37 5 provisions" in now.text and "As it stood" not in now.text
    assert "As it stood on Jan. 1, 2008." in then.text and "Title 37 4 provisions" in then.text
    assert f"/law{TITLE}?as_of=2008-01-01" in then.links() and "/law/us/cfr" in then.links()
    none = look(client, "/law/us/cfr?as_of=2004-01-01").text
    assert "Nothing that is here has a text of that day." in none and "Title 37" not in none


def test_a_shelf_without_documents_is_none_today(client):
    a_document(a_domain(locator_prefix="/empty"))
    look(client, "/law/empty", status=404)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("sections/us/cfr/t37/s1.265", "in force on"),
        ("sections/us/cfr/t37/s1.265?as_of=2012-01-01", "in force on 2012-01-01: it ended on 2010-07-01."),
        ("sections/us/cfr/t37/s1.48?as_of=2004-01-01", "the texts that are here begin on 2005-07-01."),
        ("sections/us/cfr/t37/s1.110?as_of=2005-08-01", "in force on 2005-08-01: it begins on 2006-07-01."),
        ("documents/us/cfr/t37?as_of=2004-01-01", "the texts that are here begin on 2005-07-01."),
    ],
)
def test_the_api_tells_why(client, address, told):
    answer = client.get(f"/api/v1/{address}")
    assert answer.status_code == 404 and told in answer.json()["error"]["message"]


def test_versions_to_come_are_told_from_their_day_on(client, regulations):  # noqa: F811
    place = f"{TITLE}/s1.48"
    regulations.sections.filter(locator=place).update(valid_to=date(2999, 3, 1))
    a_section(regulations, "Amended.", locator=place, valid_from=date(2999, 3, 1))
    page = look(client, f"/law{place}?as_of=2020-01-01").text
    assert "from March 1, 2999 on" in page and "July 1, 2005 – March 1, 2999" in page
    assert "has not been in force since" not in page
    assert "from March 1, 2999 on" in look(client, f"/changes{place}").text
