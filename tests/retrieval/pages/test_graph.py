"""The page of the citations around a provision."""

import json
from datetime import date
from xml.etree import ElementTree

import pytest

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_system
from retrieval.corpus import graph
from retrieval.models import Citation, Document, Section
from tests.builders import a_case_file, a_document, a_domain, a_section, grant
from tests.retrieval.pages.looking import look

pytestmark = pytest.mark.django_db
ANN = Caller(("user:1001",))


@pytest.fixture
def chain():
    """Four provisions, each citing the next; the second also something private."""
    document = a_document(a_domain())
    sections = [a_section(document, heading=f"Heading {n}", citation=f"§ {n}") for n in range(4)]
    lease = a_case_file("Lease of Ibarreche", "Words.")
    with as_system():
        secret = lease.sections.get()
        for source, target in [*zip(sections, sections[1:], strict=False), (sections[1], secret)]:
            place = {"target_locator": target.locator, "text": "§", "start": 0, "end": 1}
            Citation.objects.create(source=source, target=target, **place)
    return sections


def test_a_provision_leads_to_what_is_two_steps_around_it_and_to_files(client, chain):
    second = chain[1]
    address = f"/citations{second.locator}"
    assert address in look(client, f"/law{second.locator}").links()
    page = look(client, address)
    assert "Cites § 2: Heading 2 Cited by § 0: Heading 0 Two steps away § 3: Heading 3 by way of § 2" in page.text
    assert "Ibarreche" not in page.text and f"/law{chain[3].locator}" in page.links()
    lines = client.get(address, {"format": "jsonl"}).content.decode().splitlines()
    assert [row["kind"] for row in map(json.loads, lines)] == ["node"] * 4 + ["edge"] * 3
    file = client.get(address, {"format": "graphml"})
    assert len(ElementTree.fromstring(file.content)[-1]) == 7 and file["Content-Disposition"].endswith('.graphml"')


def test_that_more_citations_are_not_followed_is_said(client, chain, monkeypatch):
    told = "From each provision the first 2 citations each way are followed."
    monkeypatch.setattr(graph, "FAN_OUT", 2)
    assert told not in look(client, f"/citations{chain[0].locator}").text
    with as_system():
        for target in chain[1:]:
            place = {"target_locator": target.locator, "text": "§", "start": 2, "end": 3}
            Citation.objects.create(source=chain[0], target=target, **place)
    assert told in look(client, f"/citations{chain[0].locator}").text


def test_no_file_has_what_is_private(client, chain, django_user_model):
    client.force_login(django_user_model.objects.create_user("ann", pk=1001))
    with as_system():
        lease = Document.objects.get(private=True)
        grant(lease, ANN)
        second, private = (f"/citations{section.locator}" for section in (chain[1], lease.sections.get()))
    page = look(client, second)
    assert "Ibarreche" in page.text and "?format=jsonl" in page.links()
    for form in ("jsonl", "graphml"):
        told = client.get(second, {"format": form}).content.decode()
        assert chain[3].locator in told and lease.locator not in told and "Ibarreche" not in told
        look(client, f"{private}?format={form}", 404)
    page = look(client, private)
    assert "Cited by § 1" in page.text and "?format=jsonl" not in page.links()


def test_without_citations_and_of_nothing_there_is_none(client):
    alone = a_section(a_document(a_domain()))
    assert "No citations are known here." in look(client, f"/citations{alone.locator}").text
    for path in ("us/const/amendment/XCIX", "a%00b"):
        look(client, f"/citations/{path}", 404)
        look(client, f"/summary/{path}", 404)


def test_the_link_of_a_text_no_longer_in_force_leads_to_its_citations(client, chain):
    with as_system():
        second = Section.objects.filter(pk=chain[1].pk)
        second.update(valid_from=date(2019, 1, 1), valid_to=date(2020, 1, 1))
    for query in ("", "?as_of=2021-01-01"):
        link = f"/citations{chain[1].locator}{query}"
        assert link in look(client, f"/law{chain[1].locator}{query}").links()
        assert "Cites § 2: Heading 2 Cited by § 0: Heading 0" in look(client, link).text


def test_one_text_of_several_of_a_day_has_its_own_citations(client, chain):
    day = date(2019, 1, 1)
    with as_system():
        Section.objects.filter(pk=chain[1].pk).update(valid_from=day, valid_to=day)
        place = {"locator": chain[1].locator, "citation": "§ 1", "valid_from": day}
        later = a_section(chain[1].document, heading="Later", **place)
        Citation.objects.filter(target=chain[1]).update(target=later)
    query = f"{chain[1].locator}?as_of=2019-01-01&version="
    assert f"/citations{query}1" in look(client, f"/law{query}1").links()
    page = look(client, f"/citations{query}1")
    assert "Cites § 2: Heading 2 Cited by § 0: Heading 0 Two steps away § 3" in page.text
    assert "Later" not in page.text
    look(client, f"/citations{query}2", 404)
