"""The pages of what changed, in both languages; private documents are nobody else's."""

from datetime import date

import pytest

from retrieval.access.row_security import as_system
from retrieval.corpus.changes import keep
from retrieval.models import Domain
from retrieval.pages import changes as pages_changes
from tests.builders import a_document, a_domain, a_section
from tests.retrieval.pages.looking import Page

pytestmark = pytest.mark.django_db
DAY = date(2021, 1, 1)


@pytest.fixture
def changed():
    """A provision in two versions, the later with a word that would be dangerous if it were not escaped."""
    document = a_document(a_domain(slug="manual", name="Manual", name_es="Guía", locator_prefix="/manual"))
    days = ({"valid_from": date(2020, 1, 1), "valid_to": DAY}, {"valid_from": DAY})
    texts = ("An officer may act.", "An officer <b>shall</b> act.")
    for days_of, text in zip(days, texts, strict=True):
        section = a_section(document, text, locator=f"{document.locator}/1", citation="Manual § 1", **days_of)
    keep(document.pk)
    return section


def test_what_changed_is_listed_with_its_redline(client, changed):
    page = Page(client.get("/changes/", {"domain": "manual"}))
    assert "What changed" in page.text and "Manual § 1" in page.text
    content = client.get("/changes/?domain=manual").content.decode()
    assert "<del> may</del><ins> &lt;b&gt;shall&lt;/b&gt;</ins>" in content
    assert "<b>shall" not in content


def test_what_is_new_or_repealed_is_shown_whole_and_only_this_is_marked(client):
    document = a_document(a_domain(slug="manual", name="Manual", locator_prefix="/manual"))
    a_section(document, "Gone.", valid_from=date(2020, 1, 1), valid_to=DAY)
    a_section(document, "Come.\nGone on.", valid_from=DAY, heading="Coming")
    keep(document.pk)
    content = client.get("/changes/?domain=manual").content.decode()
    assert "<del>Gone.</del>" in content and "<p>Come.<br>Gone on.</p>" in content
    assert "<ins>" not in content and content.count("Coming") == 1
    assert ">Repealed</span>" in content
    Domain.objects.filter(slug="manual").update(holds_law=False)
    assert ">Withdrawn</span>" in client.get("/changes/?domain=manual").content.decode()


def test_the_filter_names_all_that_the_list_calls_changes(client):
    page = Page(client.get("/changes/", {"domain": "us_constitution", "kind": "repealed"}))
    assert "Repealed or superseded" in page.text and "Superseded on" in page.text


def test_it_is_said_in_spanish(client, changed):
    content = client.get(
        "/changes/", {"domain": "manual"}, headers={"accept-language": "es"}
    ).content.decode()
    assert "Qué cambió" in content and "Modificada" in content and "Guía" in content


def test_a_repeal_of_a_text_that_stayed_is_told_without_redline(client):
    page = client.get("/changes/", {"domain": "us_constitution", "kind": "repealed"})
    text = Page(page).text
    assert "Repealed on Dec. 5, 1933 by U.S. Const. amend. XXI, § 1. Then:" in text and "Superseded on" in text
    assert "<del>" not in page.content.decode()


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"since": "2021-01-01"}, True),
        ({"since": "2021-01-02"}, False),
        ({"until": "2020-12-31"}, False),
        ({"kind": "new"}, False),
        ({"kind": "changed"}, True),
    ],
)
def test_the_days_and_kinds_asked_for_are_shown(client, changed, asked, found):
    content = client.get("/changes/", {"domain": "manual"} | asked).content.decode()
    assert ("Manual § 1" in content) == found
    assert ("Nothing changed in this time" in content) != found


@pytest.mark.parametrize(
    "asked", [{"domain": "client_cases"}, {"since": "yesterday"}, {"kind": "superseded"}, {"page": "0"}]
)
def test_what_cannot_be_asked_is_refused(client, changed, asked):
    refused = client.get("/changes/", asked)
    page = Page(refused)
    assert refused.status_code == 400 and "Nothing changed" not in page.text
    assert [attributes for tag, attributes in page.elements if attributes.get("role") == "alert"]


def test_changes_come_in_pages(client):
    document = a_document(a_domain(slug="manual", name="Manual", locator_prefix="/manual"))
    a_section(document, "Old.", valid_from=date(2020, 1, 1))
    for _ in range(21):
        a_section(document, "New.", valid_from=DAY)
    keep(document.pk)
    keep(document.pk)
    assert 'href="?domain=manual&amp;page=2"' in client.get("/changes/?domain=manual").content.decode()
    second = client.get("/changes/?domain=manual&page=2").content.decode()
    assert second.count('class="eyebrow"') == 1 and 'rel="next"' not in second


def test_the_last_page_leads_to_older_changes_by_their_day(client, monkeypatch):
    document = a_document(a_domain(slug="manual", name="Manual", locator_prefix="/manual"))
    a_section(document, "Old.", valid_from=date(2020, 1, 1))
    for _ in range(21):
        a_section(document, "New.", valid_from=DAY)
    keep(document.pk)
    monkeypatch.setattr(pages_changes, "MOST_PAGES", 1)
    page = client.get("/changes/?domain=manual&page=1").content.decode()
    assert 'rel="next"' not in page and 'href="?domain=manual&amp;until=2021-01-01"' in page
    assert client.get("/changes/?domain=manual&page=501").status_code == 400


def test_any_two_versions_are_compared(client, changed):
    address = f"/changes{changed.locator}"
    assert "<del> may</del>" in client.get(address).content.decode()
    same = client.get(address, {"old": "2021-01-01", "new": "2021-01-01"}).content.decode()
    assert "<del>" not in same and "<ins>" not in same
    back = client.get(address, {"old": "2021-01-01", "new": "2020-01-01"}).content.decode()
    assert "<ins> may</ins>" in back
    refused = client.get(address, {"old": "1999-01-01"})
    assert refused.status_code == 400 and "1999-01-01 is not one of the available choices" in Page(refused).text


def test_the_reader_of_a_provision_with_versions_leads_there(client, changed):
    assert f'href="/changes{changed.locator}"' in client.get(f"/law{changed.locator}").content.decode()


def test_the_day_goes_along_to_the_versions_and_back(client, changed):
    asked = "as_of=2020-06-01"
    assert f'href="/changes{changed.locator}?{asked}"' in client.get(f"/law{changed.locator}?{asked}").content.decode()
    content = client.get(f"/changes{changed.locator}?{asked}").content.decode()
    assert f'href="/law{changed.locator}?{asked}"' in content
    assert '<input type="hidden" name="as_of" value="2020-06-01">' in content


def test_a_provision_with_one_version_says_so(client):
    content = client.get("/changes/us/const/amendment/IV").content.decode()
    assert "Only this version is known." in content and "<select" not in content


def test_what_is_not_there_is_not_found(client):
    assert client.get("/changes/us/const/amendment/XL").status_code == 404
    assert client.get("/changes/us/%00").status_code == 404


def test_private_versions_are_shown_to_their_readers_alone(client, case):
    section, owner = case
    with as_system():
        a_section(section.document, "A new strike.", locator=section.locator + "/2", valid_from=DAY)
        keep(section.document_id)
    addresses = ("/changes/client_cases/okonkwo/facts", "/changes/?domain=client_cases")
    assert [client.get(address).status_code for address in addresses] == [404, 400]
    assert "A new strike." not in client.get("/changes/").content.decode()
    client.force_login(owner)
    assert [client.get(address).status_code for address in addresses] == [200, 200]
    response = client.get("/changes/")
    assert "A new strike." in response.content.decode() and "no-store" in response["Cache-Control"]


def two_versions(old, new):
    document = a_document(a_domain(slug="manual", name="Manual", locator_prefix="/manual"))
    place = {"locator": f"{document.locator}/1", "citation": "Manual § 1"}
    a_section(document, old, valid_from=date(2020, 1, 1), valid_to=DAY, **place)
    section = a_section(document, new, valid_from=DAY, **place)
    keep(document.pk)
    return section


def test_a_table_that_was_only_set_anew_is_no_amendment(client):
    two_versions("Small entity -$65.00", "Small entity | $65.00")
    page = Page(client.get("/changes/?domain=manual"))
    assert "Manual Layout only" in page.text and "Manual Amended" not in page.text


def test_what_did_not_change_is_folded(client):
    lines = [f"({n}) Paragraph {n}." for n in range(9)]
    section = two_versions("\n".join(lines), "\n".join(lines).replace("Paragraph 4", "Item 4"))
    page = Page(client.get(f"/changes{section.locator}"))
    assert len(page.all("details")) == 2 and page.text.count("3 unchanged paragraphs") == 2
    assert all(line in page.text for line in lines if "4" not in line)


def test_what_is_wrong_is_told_of_its_field(client):
    page = Page(client.get("/changes/", {"since": "2020-01-01", "until": "2010-01-01"}))
    assert "This day is before the first one." in page.text and "Nothing changed" not in page.text
    assert "Pages are numbered from 1 to 500." in Page(client.get("/changes/", {"page": "9999"})).text


def test_versions_on_what_is_no_day_are_refused(client, changed):
    assert client.get(f"/changes{changed.locator}?as_of=zzz").status_code == 400


@pytest.fixture
def in_one_day():
    """A provision that was handed in four times on one day, the last time with what stands there now."""
    document = a_document(a_domain(slug="manual", name="Manual", locator_prefix="/manual"))
    days = ({"valid_to": DAY}, *[{"valid_from": DAY, "valid_to": DAY}] * 2, {"valid_from": DAY})
    for price, days_of in zip((100, 200, 300, 400), days, strict=True):
        text = f"A price of {price} ducats."
        section = a_section(document, text, locator=f"{document.locator}/1", citation="Manual § 1", **days_of)
    keep(document.pk)
    return section


def test_each_text_of_a_day_is_compared_with_the_one_before_it(client, in_one_day):
    content = client.get("/changes/?domain=manual").content.decode()
    for old, new in ((100, 200), (200, 300), (300, 400)):
        assert f"<del> {old}</del><ins> {new}</ins>" in content
    assert "Layout only" not in content
    links = [link for link in Page(client.get("/changes/?domain=manual")).links() if "?new=" in link]
    for link, (old, new) in zip(links, ((100, 200), (200, 300), (300, 400)), strict=True):
        assert f"<del> {old}</del><ins> {new}</ins>" in client.get(link).content.decode()


def test_each_text_of_a_day_is_read_by_a_link_of_its_own(client, in_one_day):
    address = f"/law{in_one_day.locator}"
    page = Page(client.get(address))
    links = list(dict.fromkeys(link for link in page.links() if link.startswith(f"{address}?as_of")))
    texts = [Page(client.get(link)).text for link in (address, *links)]
    assert all(f"{price} ducats" in text for text, price in zip(texts, (400, 300, 200, 100), strict=True))
    assert "(text 1 of that day)" in page.text
    assert client.get(f"{address}?as_of=2021-01-01&version=3").status_code == 404
    assert client.get(f"{address}?as_of=2021-01-01&version=x").status_code == 400


def test_texts_of_a_day_are_offered_apart(client, in_one_day):
    page = Page(client.get(f"/changes{in_one_day.locator}"))
    values = [attributes["value"] for attributes in page.all("option")]
    assert values == ["2020-12-31", "2021-01-01.1", "2021-01-01.2", "2021-01-01"] * 2
