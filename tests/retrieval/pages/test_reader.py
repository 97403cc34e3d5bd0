"""The reader: a provision in its place, as a caller may read it on a day."""

import re
from datetime import date

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from retrieval.access.row_security import as_system
from retrieval.models import Citation, Section
from retrieval.pages import reader
from tests.builders import a_document, a_domain, a_section
from tests.retrieval.pages.looking import FOURTH, add_provision, look, look_for

pytestmark = pytest.mark.django_db

BESIDE = (  # what a page shows beside a text: it takes long
    *("parts_of", "outline", "ancestors", "related_to", "terms_used", "versions_of", "cases_on"),
    *("of_section", "written_of", "where_it_went"),
)


def test_the_reader_shows_a_provision_in_its_place(client):
    page = look(client, "/law/us/const/article/I/section/8/clause/3")
    for words in (
        "Commerce Clause", "To regulate Commerce with foreign Nations", "Cite as U.S. Const. art. I, § 8, cl. 3",
        "In force since March 4, 1789", "www.govinfo.gov", "Not legal advice",
    ):  # fmt: skip
        assert words in page.text
    assert page.all("link", rel="canonical")[0]["href"].endswith("/law/us/const/article/I/section/8/clause/3")
    assert page.all("a", rel="prev")[0]["href"] == "/law/us/const/article/I/section/8/clause/2"
    assert page.all("a", rel="next")[0]["href"] == "/law/us/const/article/I/section/8/clause/4"
    assert {"aria-current": "page"}.items() <= page.all(
        "a", href="/law/us/const/article/I/section/8/clause/3"
    )[0].items()


def test_the_hierarchy_is_open_where_one_reads(client):
    page = look(client, "/law/us/const/amendment/XIV/section/1")
    opened = [attributes for attributes in page.all("details") if "open" in attributes]
    assert len(opened) == 1
    assert "/law/us/const/article/III/section/2/clause/1" in page.links()


def test_reading_on_leads_through_the_whole_constitution(db, monkeypatch):
    for part in BESIDE:
        monkeypatch.setattr(reader, part, lambda *_: ())
    address, seen = "/law/us/const/preamble", []
    while address:
        seen.append(address.removeprefix("/law"))
        following = reader.open_locator(seen[-1], reader.Reader()).next
        address = f"/law{following.locator}" if following else None
    in_order = (
        Section.objects.readable(reader.ANONYMOUS).results().filter(document__locator="/us/const").in_order()
    )
    under_another = {"/us/const/article/I/section/8/clause/"}
    assert seen == [s for s in in_order.values_list("locator", flat=True) if not s.startswith(*under_another)]


def test_a_place_above_shows_what_is_below_it_in_order(client):
    page = look(client, "/law/us/const/article/I/section/8")
    names = [a["id"] for a in page.all("section") if a.get("id", "").startswith("clause-")]
    assert names == [f"clause-{number}" for number in range(1, 19)]
    assert "section-8-clause-3" in [
        a.get("id") for a in look(client, "/law/us/const/article/I").all("section")
    ]


def test_what_is_too_long_for_a_page_shows_its_outline(client, monkeypatch):
    monkeypatch.setattr(reader, "LONGEST", 10)
    page = look(client, "/law/us/const/article/III")
    assert not [a for a in page.all("section") if a.get("id", "").startswith("section-")]
    assert page.links().count("/law/us/const/article/III/section/1") == 3


def test_a_large_document_opens_as_one_reads(client, monkeypatch):
    monkeypatch.setattr(reader, "WHOLE_OUTLINE", 10)
    page = look(client, "/law/us/const/article/III/section/2/clause/1")
    assert "/law/us/const/article/III/section/2/clause/2" in page.links()
    assert "/law/us/const/amendment/I" in page.links()
    assert "/law/us/const/article/I/section/2/clause/1" not in page.links()


def test_the_passage_found_is_highlighted(client):
    page = look(client, f"{FOURTH}?q=search&passage=0-40")
    marks = page.all("mark")
    assert marks[0]["id"] == "passage" and len(page.all("mark", id="passage")) == 1
    assert not look(client, FOURTH).all("mark")


def test_the_passage_highlighted_ends_where_its_sentence_does(client):
    first = "/us/const/amendment/XIV/section/1"
    text = Section.objects.live().get(locator=first).text
    middle = text.index("subject to the jurisdiction")
    for passage in (f"0-{middle}", f"20-{middle + 9}"):
        page = reader.open_locator(
            first, reader.Reader(question="citizens", passage=tuple(map(int, passage.split("-"))))
        )
        shown = "".join(run.text for p in page.parts[0].paragraphs for run in p.runs if run.in_passage)
        assert shown.endswith("wherein they reside.")


def test_every_result_leads_to_its_highlighted_passage(client):
    for link in look_for(client, "unreasonable searches and seizures").links():
        if "passage=" in link:
            assert look(client, link.split("#")[0]).all("mark", id="passage"), link


def test_citations_in_the_text_and_in_notes_are_links(client):
    fourth = Section.objects.live().get(locator="/us/const/amendment/IV")
    fifth = Section.objects.live().get(locator="/us/const/amendment/V")
    Citation.objects.create(
        source=fourth, target=fifth, target_locator=fifth.locator, text="The right", start=0, end=9
    )
    assert look(client, FOURTH).links().count("/law/us/const/amendment/V") >= 3  # outline, next, the text
    noted = look(client, "/law/us/const/article/I/section/3/clause/1")
    assert "the Seventeenth Amendment" in noted.text
    assert noted.links().count("/law/us/const/amendment/XVII") == 3  # outline, what changed it, the note
    assert "Cited by U.S. Const. art. I, § 3, cl. 1" in look(client, "/law/us/const/amendment/XVII").text


def test_a_provision_lists_the_decisions_on_it_newest_first(client):
    fourth = Section.objects.live().get(locator="/us/const/amendment/IV")
    for number, (name, year) in enumerate([("Old v. State", 1900), ("New v. State", 2000)], start=1):
        place = f"/us/scotus/900/{number}"
        decision = add_provision("supreme_court_cases", place, place, "Held. It may.")
        Section.objects.filter(pk=decision.pk).update(valid_from=date(year, 5, 1), citation=f"900 U.S. {number}")
        decision.document.title = name
        decision.document.save()
        for start in (0, 5):
            Citation.objects.create(
                source=decision, target=fourth, target_locator=fourth.locator, text="It", start=start, end=start + 2
            )
    page = look(client, FOURTH)
    assert "Decisions on it New v. State, 900 U.S. 2 (2000) Old v. State, 900 U.S. 1 (1900)" in page.text
    assert "Cited by" not in page.text


def test_repealed_law_says_so(client):
    page = look(client, "/law/us/const/amendment/XVIII/section/1")
    assert "Repealed on Dec. 5, 1933 by U.S. Const. amend. XXI, § 1." in page.text
    assert "Took effect Jan. 16, 1919" in page.text and "In force since" not in page.text
    assert "/law/us/const/amendment/XXI/section/1" in page.links()
    whole = look(client, "/law/us/const/amendment/XVIII?as_of=2020-01-01").text
    assert "intoxicating liquors" in whole
    found = look(client, "/search?q=amend. XVIII&as_of=2020-01-01").text
    assert "in force on Jan. 1, 2020. Repealed on Dec. 5, 1933 by U.S. Const. amend. XXI, § 1." in found
    later = look(client, "/law/us/const/amendment/XVIII/section/1?as_of=2020-01-01")
    assert "Repealed on Dec. 5, 1933" in later.text
    assert client.get("/law/us/const/amendment/XVIII/section/1?as_of=1900-01-01").status_code == 404


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("place", ["amendment/XVIII", "amendment/XVIII/section/1", "article/II/section/1/clause/3"])
def test_what_ended_a_provision_is_told_once(client, place, language):
    page = look(client, f"/law/us/const/{place}", HTTP_ACCEPT_LANGUAGE=language)
    assert page.all("div", **{"class": "notice changes"})
    assert "Repealed by" not in page.text and "Superseded by" not in page.text


def test_a_note_that_says_more_than_the_change_stays(client):
    page = look(client, "/law/us/const/article/I/section/4/clause/2")
    assert "The day of meeting was changed by section 2 of the Twentieth Amendment." in page.text


def test_a_deeper_place_leads_to_where_it_stands(client):
    section = add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", "(a) One.\n(1) Two.")
    section.anchors.create(locator="/us/usc/t99/s1/a/1", level="paragraph", number="1", start=9, end=17)
    response = client.get("/law/us/usc/t99/s1/a/1")
    assert (response.status_code, response["Location"]) == (302, "/law/us/usc/t99/s1#a-1")
    assert look(client, "/law/us/usc/t99/s1").all("span", id="a-1")


def test_old_versions_are_read_by_their_day(client):
    add_provision(
        "us_code",
        "/us/usc/t99",
        "/us/usc/t99/s1",
        "Old words.",
        valid_from=date(2000, 1, 1),
        valid_to=date(2010, 1, 1),
    )
    add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", "New words.", valid_from=date(2010, 1, 1))
    now, then = look(client, "/law/us/usc/t99/s1"), look(client, "/law/us/usc/t99/s1?as_of=2005-05-05")
    assert "New words." in now.text and "Old words." not in now.text
    assert "/law/us/usc/t99/s1?as_of=2000-01-01" in now.links()
    assert "Old words." in then.text and "As it stood on May 5, 2005." in then.text
    look(client, "/law/us/usc/t99/s1?as_of=1999-01-01", status=404)


def test_a_version_whose_first_day_is_not_known_is_read_on_its_last(client):
    add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", "Old words.", valid_to=date(2010, 1, 1))
    add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", "New words.", valid_from=date(2010, 1, 1))
    assert "/law/us/usc/t99/s1?as_of=2009-12-31" in look(client, "/law/us/usc/t99/s1").links()
    assert "Old words." in look(client, "/law/us/usc/t99/s1?as_of=2009-12-31").text


def test_law_not_yet_in_force_says_so(client):
    add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", "Next words.", valid_from=date(2999, 1, 1))
    page = look(client, "/law/us/usc/t99/s1?as_of=2999-02-02").text
    assert "not yet in force: it takes effect on Jan. 1, 2999." in page and "In force since" not in page


def test_the_day_goes_along_to_the_search_and_the_document(client):
    links = look(client, "/law/us/const/amendment/IV?q=search&as_of=1950-01-01").links()
    assert {"/search?q=search&as_of=1950-01-01", "/law/us/const?as_of=1950-01-01"} <= set(links)


def test_the_way_back_has_the_filters_of_the_search(client):
    search = "/search?q=jury&domain=us_constitution&language=en&within=%2Fus%2Fconst%2Famendment%2FVI"
    result = next(link for link in look(client, search).links() if "passage=" in link)
    assert search in look(client, result).links()


def test_headings_in_english_are_marked_on_a_spanish_page(client):
    add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", "Words.", heading="Ferries")
    client.cookies["django_language"] = "es"
    page = look(client, "/law/us/usc/t99/s1")
    assert page.all("h1", lang="en") and page.all("span", lang="en")


def test_what_is_no_longer_in_force_is_shown_as_that(client):
    add_provision("us_code", "/us/usc/t99", "/us/usc/t99/s1", "Old words.", valid_to=date(2010, 1, 1))
    assert "This text has not been in force since Jan. 1, 2010." in look(client, "/law/us/usc/t99/s1").text


def test_documents_are_listed_by_domain_and_show_their_contents(client):
    assert "/law/us/const" in look(client, "/law/").links()
    contents = look(client, "/law/us/const")
    assert {"/law/us/const/preamble", "/law/us/const/amendment/XXVII"} <= set(contents.links())


@pytest.mark.parametrize(
    "path", ["us/const/amendment/XL", "nope", "us/const//", "%00", "us/const/../x", "é" * 400]
)
def test_what_is_not_there_is_not_found(client, path):
    page = look(client, f"/law/{path}", status=200 if path == "us/const//" else 404)
    assert page.all("input", name="q")


def test_a_reader_page_costs_few_queries(client, django_assert_max_num_queries):
    with django_assert_max_num_queries(18):
        client.get("/law/us/const/article/I")


def test_private_law_is_absent_for_others(client, case, django_user_model):
    section, _ = case
    absent = client.get("/law/client_cases/nothing/here").content
    stranger = Client()
    stranger.force_login(django_user_model.objects.create_user("stranger", password="x", is_staff=True))
    for other in (client, stranger):
        for path in (section.path, "client_cases/okonkwo", "client_cases/okonkwo/facts/a"):
            response = other.get(f"/law/{path}")
            assert response.status_code == 404
        bodies = [other.get(address).content.lower() for address in ("/", "/law/", "/search?q=ferry+strike")]
        assert not any(word in body for body in bodies for word in (b"okonkwo", b"client_cases"))
    path = section.path.encode()
    assert client.get(f"/law/{section.path}").content.replace(path, b"") == absent.replace(
        b"client_cases/nothing/here", b""
    )


def test_private_law_is_read_by_whom_it_was_granted_to(client, case):
    section, owner = case
    client.force_login(owner)
    assert "A ferry strike." in look(client, f"/law/{section.path}").text
    assert "client_cases" in [box["value"] for box in look(client, "/search").all("input", name="domain")]
    assert "/law/client_cases/okonkwo" in look(client, "/law/").links()


def test_a_citation_of_what_one_may_not_read_is_no_link(client, case):
    section, _ = case
    fourth = Section.objects.live().get(locator="/us/const/amendment/IV")
    Citation.objects.create(
        source=fourth, target=section, target_locator=section.locator, text="The right", start=0, end=9
    )
    with as_system():
        Citation.objects.create(
            source=section, target=fourth, target_locator=fourth.locator, text="x", start=0, end=1
        )
    assert b"client_cases" not in client.get(FOURTH).content


def test_what_a_person_sees_is_stored_nowhere_on_the_way(client, case):
    _, owner = case
    assert "no-store" not in client.get(FOURTH).get("Cache-Control", "")
    client.force_login(owner)
    for address in ("/", "/search?q=jury", FOURTH, "/law/"):
        assert "no-store" in client.get(address)["Cache-Control"]


def test_a_provision_lists_those_that_have_citations_in_common_with_it(client):
    with as_system():
        one, other, third = (Section.objects.get(locator=f"/us/const/amendment/{n}") for n in ("I", "II", "III"))
        for source in (one, other):
            Citation.objects.create(source=source, target=third, target_locator=third.locator, start=-1, end=-1)
    page = look(client, "/law/us/const/amendment/I")
    assert "Related provisions" in page.text and "U.S. Const. amend. II" in page.text
    assert "Related provisions" not in look(client, "/law/us/const/article/VII").text


def test_a_link_to_what_is_not_there_names_the_nearest_place_that_is(client):
    page = look(client, "/law/us/const/article/I/section/8/clause/99", status=404)
    assert "The nearest place that is here: U.S. Const. art. I, § 8" in page.text
    assert "/law/us/const/article/I/section/8" in page.links()
    page = look(client, "/law/us/const/amendment/XXXI", status=404)
    assert "/law/us/const" in page.links() and "The nearest place" in page.text
    assert "The nearest place" not in look(client, "/law/mars/1", status=404).text
    spanish = look(client, "/law/us/const/article/99", status=404, HTTP_ACCEPT_LANGUAGE="es").text
    assert "Constitución de los EE. UU." in spanish


def test_the_nearest_place_of_what_is_private_is_told_to_who_may_read_it(client, case):
    section, owner = case
    assert "The nearest place" not in look(client, f"/law{section.locator}/9", status=404).text
    client.force_login(owner)
    assert section.citation in look(client, f"/law{section.locator}/9", status=404).text


def test_a_provision_names_the_defined_terms_that_it_uses(client):
    with as_system():
        place = Section.objects.get(locator="/us/const/amendment/I")
        place.definitions.create(term="dwelling", locator=place.locator, scope="/us/const")
        place.definitions.create(term="Warrants", locator=place.locator, scope="/us/const")
    page = look(client, FOURTH)
    assert "Defined terms “Warrants”: U.S. Const. amend. I" in page.text and "dwelling" not in page.text
    client.cookies["django_language"] = "es"
    assert "Términos definidos “Warrants”" in look(client, FOURTH).text
    told = client.get("/api/v1/sections/us/const/amendment/IV").json()["definitions"]
    assert [(one["term"], one["scope"]) for one in told] == [("Warrants", "/us/const")]


def test_a_domain_has_a_shelf_of_its_own_with_counts_and_pages(client, monkeypatch):
    monkeypatch.setattr(reader, "A_PAGE", 2)
    monkeypatch.setattr(reader, "SHOWN", 1)
    domain = a_domain(name="Manuals", locator_prefix="/manuals")
    for name in "abc":
        document = a_document(domain, locator=f"/manuals/{name}", title=f"Manual {name.upper()}")
        for number in range(ord(name) - ord("a") + 1):
            a_section(document, f"text {number}")
    page = look(client, "/law/manuals")
    assert "Manual A 1 provision" in page.text and "Manual B 2 provisions" in page.text
    assert "Manual C" not in page.text and "?page=2" in page.links()
    assert "Manual C 3 provisions" in look(client, "/law/manuals?page=2").text
    assert "Manual A" in look(client, "/law/manuals?page=x").text
    look(client, "/law/manuals?page=3", status=404)
    everything = look(client, "/law/")
    assert "Manual A 1 provision" in everything.text and "Manual B" not in everything.text
    assert "All 3 documents of Manuals" in everything.text and "/law/manuals" in everything.links()


def test_a_shelf_has_title_9_before_title_10(client):
    domain = a_domain(locator_prefix="/codes")
    for number in ("10", "9", "9a", "100"):
        a_section(a_document(domain, locator=f"/codes/t{number}", title=f"Title {number}"), "text")
    shown = reader.shelf_of(domain, reader.ANONYMOUS, range(10)).documents
    in_order = ["Title 9", "Title 9a", "Title 10", "Title 100"]
    assert [document.title for document in shown] == in_order
    below = client.get("/api/v1/sections/codes").json()["children"]
    assert [each["title"] for each in below] == in_order


def test_a_shelf_asks_for_no_documents_but_those_it_shows(db):
    domain = a_domain()
    first, other = (a_section(a_document(domain), "text").document for _ in range(2))
    with CaptureQueriesContext(connection) as asked:
        shelf = reader.shelf_of(domain, reader.ANONYMOUS, range(1))
    assert (shelf.documents, shelf.total) == ([first], 2)
    assert not any(re.search(rf"\b{other.pk}\b", query["sql"]) for query in asked)


def test_a_private_shelf_holds_what_its_reader_may_read(client, case):
    section, owner = case
    prefix = section.domain.locator_prefix
    look(client, f"/law{prefix}", status=404)
    client.force_login(owner)
    assert section.document.title in look(client, f"/law{prefix}").text


def test_a_document_of_which_nothing_is_published_yet_has_a_page(client):
    a_document(a_domain(), locator="/codes/t42", title="Title 42")
    assert "Title 42" in look(client, "/law/codes/t42").text


def test_a_document_tells_how_many_provisions_its_parts_hold(client):
    under = Section.objects.readable(reader.ANONYMOUS).results().below("/us/const/article/III")
    assert f"Article III: The Judicial Branch {under.count()} provisions" in look(client, "/law/us/const").text


def test_the_permanent_link_of_a_former_text_leads_to_it_and_its_citation_has_a_year(client):
    document = a_document(a_domain(locator_prefix="/us/cfr"), locator="/us/cfr/t37")
    place = {"locator": "/us/cfr/t37/s1.16", "citation": "37 C.F.R. § 1.16"}
    begin, change = date(2003, 7, 1), date(2008, 7, 1)
    a_section(document, "Former fees.", valid_from=begin, valid_to=change, **place)
    a_section(document, "Fees.", valid_from=change, **place)
    for day, year in (("2006-01-01", 2006), ("2008-01-01", 2007), ("2003-08-01", 2003)):
        page = look(client, f"/law/us/cfr/t37/s1.16?as_of={day}&q=fees")
        (link,) = page.all("a", id="permalink")
        assert "Former fees." in look(client, link["href"]).text
        assert page.all("link", rel="canonical")[0]["href"].endswith("s1.16")
        assert f"Cite as 37 C.F.R. § 1.16 ({year})" in page.text
    today = look(client, "/law/us/cfr/t37/s1.16")
    assert "Cite as 37 C.F.R. § 1.16 Copy" in today.text
    assert today.all("a", id="permalink")[0]["href"].endswith("s1.16")


def test_a_document_that_was_withdrawn_says_so_on_each_of_its_pages(client):
    document = a_document(a_domain(), title="Handbook")
    repealed = a_section(document, "Gowns are worn.", valid_to=date(2020, 1, 1))
    section = a_section(document, "Wigs are worn.")
    assert "withdrawn" not in look(client, f"/law{repealed.locator}").text
    Section.objects.filter(pk=section.pk).update(valid_to=date(2021, 3, 4))
    for place in (section, document):
        assert "withdrawn on March 4, 2021" in look(client, f"/law{place.locator}").text
    earlier = look(client, f"/law{repealed.locator}").text
    assert "withdrawn on March 4, 2021" in earlier and "not been in force since Jan. 1, 2020" in earlier
