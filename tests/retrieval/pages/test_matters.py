"""The pages of a matter: what each role sees and does there, and what nobody else does."""

from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from retrieval.access import matters
from retrieval.access.row_security import as_system
from retrieval.models import Deadline, Document, Matter, MatterMember, Upload
from tests.builders import a_document, a_domain
from tests.leases import finish
from tests.matters import CLIENT, PAPER, REFERENCE, handed_in
from tests.retrieval.pages.looking import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def visit(client, firm):
    """Opens the matter's page as somebody, or acts on it."""

    def visiting(name, action="", /, **said):
        if name:
            client.force_login(User.objects.get(username=name))
        else:
            client.logout()
        number = firm.matter.public_id
        if not action:
            return client.get(reverse("retrieval:matter", args=[number]))
        return client.post(reverse("retrieval:change_matter", args=[number]), {"action": action, **said})

    return visiting


def test_a_lead_works_through_a_case(client, firm, visit):
    client.force_login(User.objects.get(username="lea"))
    opened = client.post("/private/matters", {"action": "open", "reference": "Second", "client": "Ada"})
    assert opened.status_code == 302 and "Ada" in client.get(opened["Location"]).content.decode()

    paper = SimpleUploadedFile("lease.txt", PAPER.encode())
    assert visit("lea", "upload", domain="client_cases", file=paper).status_code == 302
    assert "Waiting or being read: 0 %" in Page(visit("lea")).text
    finish()
    visit("lea", "deadline", what="File the brief", due_on="2020-02-03")
    assert "The deadline is kept." in Page(visit("lea")).text
    visit("lea", "member", name="user:stan", role="contributor")
    assert "The member is kept, with this role." in Page(visit("lea")).text
    text = Page(visit("stan")).text
    for words in (REFERENCE, CLIENT, "File the brief", "Overdue since Feb. 3, 2020", "lease.txt", "user:rea"):
        assert words in text
    with as_system():
        number, place = Deadline.objects.get().number, Document.objects.get(owner=firm.matter.principal).locator
    assert visit("stan", "withdraw", name=place).status_code == 403
    assert visit("lea", "withdraw", name=place).status_code == 302
    assert "lease.txt" not in Page(visit("rea")).text
    assert visit("lea", "withdraw", name=place).status_code == 404
    visit("stan", "done", number=number)
    assert "Done on" in Page(visit("rea")).text
    visit("stan", "undone", number=number)
    assert "Overdue since" in Page(client.get("/private")).text
    visit("stan", "drop", number=number)
    visit("lea", "rename", reference="Renamed", client="")
    visit("lea", "remove", name="user:stan")
    assert visit("stan").status_code == 404
    text = Page(visit("rea")).text
    assert "Renamed" in text and CLIENT not in text and "File the brief" not in text


def test_members_read_a_closed_matter_in_it_and_nowhere_else(client, firm, visit):
    document = handed_in(
        firm.matter, firm.lead, "# Lease\n\n1. Rent. Ninety doubloons.\n\n2. Term. A year.\n", "l.md"
    )
    visit("lea", "close")
    assert "Members read and search them here." in Page(visit("rea")).text
    path = f"/law{document.locator}"
    assert client.get(path).status_code == 404
    inside = f"{path}?matter={firm.matter.public_id}"
    contents = client.get(inside)
    links = [
        attributes["href"]
        for tag, attributes in Page(contents).elements
        if tag == "a" and "href" in attributes
    ]
    below = [link for link in links if link.startswith(f"{path}/")]
    assert below and all(f"matter={firm.matter.public_id}" in link for link in below)
    for link in below:
        read = client.get(link)
        assert read.status_code == 200 and CLIENT not in read.content.decode()
    assert any("doubloons" in client.get(link).content.decode() for link in below)
    client.force_login(User.objects.get(username="stan"))
    assert {client.get(link).status_code for link in (inside, *below)} == {404}
    client.logout()
    assert client.get(inside)["Location"].startswith("/login?")
    visit("lea", "reopen")
    client.force_login(User.objects.get(username="rea"))
    assert client.get(path).status_code == 200


def test_versions_are_compared_in_the_matter(client, firm, visit):
    document = handed_in(firm.matter, firm.lead)
    visit("lea", "close")
    visit("rea")
    with as_system():
        section = document.sections.exclude(text="").first()
    address, kept = f"/changes{section.locator}", f"matter={firm.matter.public_id}"
    assert client.get(address).status_code == 404
    compared = client.get(f"{address}?{kept}&as_of=1900-01-01")
    elements = Page(compared).elements
    links = [attributes.get("href", "") for tag, attributes in elements if tag == "a"]
    assert f"/law{section.locator}?as_of=1900-01-01&{kept}" in links


def test_a_closed_matter_is_searched_in_it(client, firm, visit):
    handed_in(firm.matter, firm.lead)
    visit("lea", "close")
    visit("rea")
    search = f"/search?q=ninety+doubloons&matter={firm.matter.public_id}"
    page = Page(client.get(search))
    assert "Only documents of the matter." in page.text and "thumbs" not in str(page.elements)
    beside = Page(client.get(f"{search}&domain=us_constitution")).text
    assert "Of private documents, only those of the matter." in beside and "Only documents" not in beside
    hits = [a["href"] for tag, a in page.elements if tag == "a" and "passage=" in a.get("href", "")]
    opened = Page(client.get(hits[0]))
    assert hits and "doubloons" in opened.text
    (back,) = [a["href"] for tag, a in opened.elements if tag == "a" and a.get("href", "").startswith("/search?")]
    assert f"matter={firm.matter.public_id}" in back and "doubloons" in back
    written = str(firm.matter.public_id)
    for other in ("7", "%20", "%0a", written.upper(), written.replace("-", ""), f"{{{written}}}"):
        assert client.get(f"/search?q=x&matter={other}").status_code == 404
    for name in ("stan", "root"):
        client.force_login(User.objects.get(username=name))
        assert client.get(search).status_code == 404
    client.logout()
    for number in (written, "00000000-0000-4000-8000-000000000000"):
        shared = f"/search?q=x&matter={number}"
        assert client.get(shared)["Location"] == f"/login?next={quote(shared)}"
    assert client.get(search, headers={"HX-Request": "true"})["HX-Redirect"].startswith("/login?")


def test_what_is_wrong_with_a_field_that_nobody_sees_is_said_of_it(visit):
    assert "Number: Enter a whole number." in Page(visit("lea", "drop", number="x")).text


def test_a_refusal_is_said_and_loses_nothing(visit, firm):
    for action, said, status, words, wrong in (
        ("deadline", {"what": "File the brief", "due_on": "2030-02-30"}, 400, "There is no such day.", "due_on"),
        ("deadline", {"what": "File the brief", "due_on": ""}, 422, "There is no such day.", "due_on"),
        ("deadline", {"what": "File the brief", "due_on": "0001-01-01"}, 422, "No deadline is before 1900.", "due_on"),
        ("deadline", {"what": " ", "due_on": "2030-02-03"}, 422, "Say what is to be done.", "what"),
        ("deadline", {"what": "x" * 301, "due_on": "2030-02-03"}, 400, "at most 300 characters", "what"),
        ("member", {"name": "zoe", "role": "reader"}, 422, "is no name", "name"),
        ("member", {"name": "user:zoe", "role": "boss"}, 400, "Role", ""),
        ("rename", {"reference": " ", "client": "Ada"}, 422, "needs a reference", "reference"),
        ("upload", {"domain": "client_cases"}, 422, "Choose a file.", "file"),
        ("erase", {"reference": "Vermillion"}, 422, "nothing was erased", "reference"),
        ("leave", {}, 422, "keeps a lead", ""),
    ):
        answer = visit("lea", action, **said)
        assert answer.status_code == status, action
        page = Page(answer)
        alert = [attributes for tag, attributes in page.elements if attributes.get("role") == "alert"]
        assert alert and words in page.text, page.text
        told_of = [a["name"] for _, a in page.elements if "problem" in a.get("aria-describedby", "").split()]
        assert told_of == [wrong][: len(wrong)] and page.all("p", id="problem")
        typed = {attributes.get("value") for _, attributes in page.elements}
        assert set(said.values()) - {"", " ", "reader", "boss", "client_cases"} <= typed
    assert visit("lea", "nonsense").status_code == 404
    with as_system():
        assert (Deadline.objects.count(), MatterMember.objects.count()) == (0, 3)


def test_a_refused_file_is_taken_out_by_who_may_add_one(visit, firm):
    visit("lea", "upload", domain="client_cases", file=SimpleUploadedFile("broken.pdf", b"%PDF-1.4 no"))
    finish()
    with as_system():
        number = Upload.objects.get(filename="broken.pdf").public_id
    assert "drop-upload" in visit("lea").content.decode() and "drop-upload" not in visit("rea").content.decode()
    assert visit("rea", "drop-upload", upload=number).status_code == 403
    assert visit("lea", "drop-upload", upload=number).status_code == 302
    assert "broken.pdf" not in Page(visit("lea")).text
    handed_in(firm.matter, firm.lead)
    with as_system():
        read = Upload.objects.get(filename="lease.txt").public_id
    for gone in (number, read, ""):
        assert visit("lea", "drop-upload", upload=gone).status_code == 404


def test_an_opening_that_is_refused_keeps_what_was_typed(client, firm):
    client.force_login(User.objects.get(username="lea"))
    refused = client.post("/private/matters", {"action": "open", "reference": " ", "client": "Ada Byron"})
    assert refused.status_code == 422 and "Ada Byron" in refused.content.decode()


@pytest.mark.parametrize("action", ["deadline", "member", "close", "rename", "erase", "upload", "remove"])
def test_only_whose_role_allows_it_acts(visit, firm, action):
    said = {
        "reference": REFERENCE, "name": "user:rea", "what": "x", "due_on": "2030-01-01", "domain": "client_cases",
    }  # fmt: skip
    said |= {"file": SimpleUploadedFile("a.txt", b"1. A. B.")} if action == "upload" else {}
    assert visit("rea", action, **said).status_code == 403
    assert visit("stan", action, **said).status_code == 404
    assert visit("root", action, **said).status_code == 404
    assert visit("", action, **said)["Location"].startswith("/login?")


def test_a_page_offers_what_the_role_allows(visit, firm):
    matters.set_member(firm.matter, "user:stan", "contributor", firm.lead)

    def offered(name):
        return {
            attributes.get("value")
            for tag, attributes in Page(visit(name)).elements
            if tag == "button" and attributes.get("name") == "action"
        }

    assert offered("rea") == {"leave"}
    assert offered("stan") == {"leave", "deadline", "upload"}
    assert offered("lea") == {"leave", "deadline", "upload", "member", "remove", "rename", "close", "erase"}
    visit("lea", "close")
    assert offered("lea") == {"leave", "member", "remove", "reopen", "erase"}


def test_strangers_and_nobody_see_no_matter(client, visit, firm):
    assert {visit(name).status_code for name in ("stan", "root")} == {404}
    assert visit("")["Location"].startswith("/login?")
    client.force_login(User.objects.get(username="stan"))
    assert REFERENCE not in client.get("/private").content.decode()


def test_the_client_stands_on_the_matters_own_page_alone(client, visit, firm):
    handed_in(firm.matter, firm.lead)
    assert CLIENT in visit("rea").content.decode()
    for path in ("/private", "/law/", "/search?q=ninety+doubloons", f"/search?q={CLIENT.replace(' ', '+')}"):
        assert CLIENT not in client.get(path).content.decode().replace(f'value="{CLIENT}"', "").replace(
            f"“{CLIENT}”", ""
        ), path


def test_an_erased_matter_leads_back_to_ones_documents(client, visit, firm):
    handed_in(firm.matter, firm.lead)
    assert visit("lea", "erase", reference=REFERENCE)["Location"] == "/private"
    assert "The matter is erased" in client.get("/private").content.decode()
    assert "The matter is erased" not in client.get("/private").content.decode()
    assert visit("lea").status_code == 404
    with as_system():
        assert not Matter.objects.exists()


def test_a_file_goes_where_matters_begin_or_one_reads_already_and_other_domains_are_not_told(visit, firm):
    leases, hidden = (a_domain(visibility="private", name=name) for name in ("Leases", "Hidden"))
    a_document(leases, owner=firm.lead.principals[0])

    def offered(name):
        elements = Page(visit(name)).elements
        return {attributes.get("value") for tag, attributes in elements if tag == "option"}

    assert {"client_cases", leases.slug} < offered("lea") and hidden.slug not in offered("lea")
    paper = SimpleUploadedFile("lease.txt", PAPER.encode())
    assert visit("lea", "upload", domain=hidden.slug, file=paper).status_code == 404
    User.objects.filter(username="lea").update(is_staff=True, is_superuser=True)
    assert hidden.slug in offered("lea")


def test_members_are_told_that_they_own_nothing_outside_their_matters(client, visit, firm):
    handed_in(firm.matter, firm.lead)
    visit("rea")
    told = client.get("/private").content.decode()
    assert "Outside your matters you own no private document" in told and "None: you own no" not in told


def test_a_reader_leaves(visit, firm):
    assert visit("rea", "leave")["Location"] == "/private"
    assert visit("rea").status_code == 404


def test_the_permanent_link_in_a_closed_matter_leads_its_members_back(client, visit, firm):
    document = handed_in(firm.matter, firm.lead)
    matters.close(firm.matter, firm.lead)
    visit("rea")
    page = Page(client.get(f"/law{document.locator}/1?matter={firm.matter.public_id}"))
    (link,) = page.all("a", id="permalink")
    assert client.get(link["href"]).status_code == 200
    visit("stan")
    assert client.get(link["href"]).status_code == 404


def test_a_lead_who_removes_herself_is_told_that_she_has_left(client, visit, firm):
    visit("lea", "member", name="user:stan", role="lead")
    visit("stan")
    assert visit("lea", "remove", name="user:lea")["Location"] == "/private"
    assert "You have left the matter." in Page(client.get("/private")).text


def test_what_is_not_in_the_matter_is_told_on_its_page(visit):
    for action, said, told in (
        ("remove", {"name": "user:nobody"}, "The matter has no member of this name."),
        ("drop", {"number": 9}, "The matter has no such deadline."),
        ("drop-upload", {}, "There is no such file."),
    ):
        refused = visit("lea", action, **said)
        assert refused.status_code == 404 and told in Page(refused).text and REFERENCE in Page(refused).text


def test_all_that_was_handed_in_under_one_name_on_one_day_is_read_in_a_closed_matter_too(client, visit, firm):
    prices = (100, 200, 300, 400)
    for price in prices:
        document = handed_in(firm.matter, firm.lead, f"1. Rent. A price of {price} ducats.", "lease.txt")
    matters.close(firm.matter, firm.lead)
    visit("rea")
    address = f"/law{document.locator}/1?matter={firm.matter.public_id}"
    page = Page(client.get(address))
    versions = dict.fromkeys(link for link in page.links() if link.startswith(f"/law{document.locator}/1?as_of="))
    texts = [Page(client.get(link)).text for link in (address, *versions)]
    assert all(f"{price} ducats" in text for price, text in zip(prices[::-1], texts, strict=True))
    links = [link for link in versions if "version=" in link]
    (permanent,) = Page(client.get(links[0])).all("a", id="permalink")
    assert "300 ducats" in Page(client.get(permanent["href"])).text
    visit("stan")
    assert {client.get(link).status_code for link in versions} == {404}


def test_a_paper_of_a_closed_matter_says_that_it_is_closed(client, firm):
    document = handed_in(firm.matter, firm.lead)
    client.force_login(User.objects.get(username="rea"))
    page = f"/law{document.locator}/1?matter={firm.matter.public_id}"
    assert "matter was closed" not in Page(client.get(page)).text
    matters.close(firm.matter, caller=firm.lead)
    assert "This matter was closed on" in Page(client.get(page)).text
