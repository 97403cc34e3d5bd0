"""The page of the citations around a provision."""

import json
from xml.etree import ElementTree

import pytest

from retrieval.access.row_security import as_system
from retrieval.models import Citation
from tests.builders import a_case_file, a_document, a_domain, a_section
from tests.retrieval.pages.looking import look

pytestmark = pytest.mark.django_db


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


def test_without_citations_and_of_nothing_there_is_none(client):
    alone = a_section(a_document(a_domain()))
    assert "No citations are known here." in look(client, f"/citations{alone.locator}").text
    look(client, "/citations/us/const/amendment/XCIX", 404)
