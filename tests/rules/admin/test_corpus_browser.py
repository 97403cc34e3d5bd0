"""Values offered while one types."""

import re

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse

from retrieval.access.row_security import as_system
from retrieval.models import Document, Section
from retrieval.models.access import caller_for
from rules.admin import corpus_browser
from tests.builders import a_chunk, a_document, a_domain, a_section, grant
from tests.rule_searches import THIRD

pytestmark = pytest.mark.django_db


def test_places_are_offered_while_one_types(client, curators):
    places = reverse("admin:rules_rule_places")
    offered = client.get(places, {"targets-0-kind": "section", "targets-0-value": "quartering"})
    assert THIRD in offered.content.decode()
    assert "us_constitution" in client.get(places, {"criteria-3-kind": "domain"}).content.decode()
    redirect = {"actions-0-kind": "redirect", "actions-0-text": "third amendment"}
    assert THIRD in client.get(places, redirect).content.decode()
    free = client.get(places, {"criteria-3-kind": "regex", "criteria-3-value": "a"})
    assert "option" not in free.content.decode()


def test_ticks_become_as_few_targets_as_say_the_same():
    ticks = [
        "page /d/x 3",
        "chunk 9",
        "page /d/x 5",
        "section /a/b",
        "page /d/x 4",
        "page /d/x 8",
        "chunk 4",
        "x",
        "chunk x",
    ]
    assert corpus_browser.targets_of(
        [*ticks, "document /d/y", "section /a/b", "section //evil", "page /d/x -1"]
    ) == [
        {"kind": "section", "value": "/a/b"},
        {"kind": "document", "value": "/d/y"},
        {"kind": "document", "value": "/d/x", "pages": "3-5, 8"},
        {"kind": "chunk", "value": [9, 4]},
    ]


BROWSE = "/admin/rules/rule/browse/"
ADD = "/admin/rules/rule/add/"
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def curator(client) -> User:
    person = User.objects.create_user("ann", is_staff=True)
    person.groups.add(Group.objects.get(name="Curator"))
    client.force_login(person)
    return person


@pytest.fixture
def constitution() -> Document:
    return Document.objects.get(locator="/us/const")


@pytest.fixture
def lease(db) -> Document:
    """A file of three pages, the last a scan; its second section runs over from the first page to the second."""
    document = a_document(a_domain(), title="Lease", filename="lease.pdf", pages=3, scanned_pages=[3])
    term = a_section(document, "The term is a year.", number="1", pages=[[0, 1]])
    rent = a_section(
        document, "Rent is due monthly. It is ninety doubloons.", number="2", pages=[[0, 1], [21, 2]]
    )
    a_chunk(term, page_start=1, page_end=1)
    a_chunk(rent, page_start=1, page_end=2)
    return document


def shown(client, headers=None, **asked) -> str:
    response = client.get(BROWSE, asked, **(headers or {}))
    assert response.status_code == 200
    return response.content.decode()


def boxes(page: str) -> list[str]:
    return re.findall(r'name="target" form="browse" value="([^"]+)"', page)


def ticked(page: str) -> list[str]:
    return re.findall(r'name="target" form="browse" value="([^"]+)"[^>]* checked>', page)


def test_documents_are_found_by_name_and_by_domain(client, curator, lease):
    assert "Constitution of the United States" in shown(client) and "lease.pdf" in shown(client)
    assert "lease.pdf" in shown(client, words="LEASE", domain=lease.domain.slug)
    for asked in ({"words": "tenancy"}, {"domain": "us_constitution"}, {"domain": "nowhere"}):
        assert "lease.pdf" not in shown(client, **asked)


def test_a_document_opens_as_a_tree_one_place_at_a_time(client, curator, constitution):
    page = shown(client, document=constitution.pk)
    assert "section /us/const/article/I" in boxes(page)
    assert "section /us/const/article/I/section/8" not in boxes(page)
    way = shown(client, document=constitution.pk, open="/us/const/article/I/section/8")
    assert "section /us/const/article/I/section/8/clause/3" in boxes(way)
    assert "section /us/const/article/II/section/1" not in boxes(way)
    part = shown(client, HTMX, document=constitution.pk, open="/us/const/amendment/V")
    assert "<html" not in part and "Passage" in part and all(box.startswith("chunk ") for box in boxes(part))


def test_pages_show_how_they_begin_and_open_to_their_chunks(client, curator, lease):
    page = shown(client, document=lease.pk)
    assert [box for box in boxes(page) if box.startswith("page")] == [
        f"page {lease.locator} {n}" for n in (1, 2, 3)
    ]
    assert (
        "The term is a year." in page and "It is ninety doubloons." in page and "a scan without text" in page
    )
    assert len(boxes(shown(client, HTMX, document=lease.pk, page=1))) == 2
    assert len(boxes(shown(client, HTMX, document=lease.pk, page=2))) == 1


def test_long_lists_go_on_where_they_were_left(client, curator, monkeypatch, constitution, lease):
    monkeypatch.setattr(corpus_browser, "SHOWN", 3)
    monkeypatch.setattr(corpus_browser, "LEAVES", 2)
    everything = list(constitution.sections.live().filter(parent_locator="", valid_to=None).in_order())
    first = shown(client, HTMX, document=constitution.pk, open=" 0")
    then = shown(client, HTMX, document=constitution.pk, open=" 3")
    wanted = [f"section {section.locator}" for section in everything]
    assert boxes(first) + boxes(then) == wanted[:6] and 'value=" 6"' in then
    assert "/us/const/article/V/" not in first
    assert f"page {lease.locator} 3" in boxes(shown(client, HTMX, document=lease.pk, first=3))
    deep = shown(client, document=constitution.pk, open="/us/const/amendment/XIV/section/1")
    assert "section /us/const/amendment/XIV/section/1" in boxes(deep)


def test_without_scripts_ticks_are_kept_from_page_to_page_and_open_a_rule(
    client, curator, constitution, lease
):
    ticks = ["section /us/const/amendment/V", f"page {lease.locator} 2", f"page {lease.locator} 1", "chunk 7"]
    page = shown(client, document=constitution.pk, target=ticks)
    assert set(ticked(page)) == set(ticks) and f"page 2 of {lease.locator}" in page
    assert f'formaction="{ADD}"' in page
    form = client.get(ADD, {"document": constitution.pk, "words": "", "target": ticks}).content.decode()
    for box in ("/us/const/amendment/V", lease.locator, "1-2", "7"):
        assert f'value="{box}"' in form


def test_the_form_offers_the_browser_beside_its_targets_alone(client, curator):
    form = client.get(ADD).content.decode()
    assert form.count('class="arf-looking"') == 1 and f'href="{BROWSE}"' in form


def test_a_private_document_is_shown_to_whom_it_was_granted_and_to_nobody_else(client, curator):
    domain = a_domain(visibility="private", name="Hidden files")
    secret = a_document(domain, title="Secret lease", filename="secret.pdf", pages=1, private=True)
    with as_system():
        section = a_section(secret, "Ninety doubloons.", private=True, pages=[[0, 1]])
        a_chunk(section, page_start=1, page_end=1)
    asked = (
        {"document": secret.pk},
        {"document": secret.pk, "open": section.locator},
        {"document": secret.pk, "page": 1},
    )
    for each in asked:
        for headers in ({}, HTMX):
            assert client.get(BROWSE, each, **headers).status_code == 404
    assert client.get(BROWSE, {"document": 10**9}).status_code == 404
    assert not re.search("Secret|Hidden|secret.pdf|doubloons", shown(client) + shown(client, words="secret"))
    with as_system():
        grant(secret, caller_for(curator))
    assert "Hidden files" in shown(client) and "secret.pdf" in shown(client, words="secret")
    assert "Ninety doubloons." in shown(client, HTMX, document=secret.pk, page=1)


def test_what_was_withdrawn_is_not_offered(client, curator, lease):
    Section.objects.filter(document=lease).update(valid_to="2020-01-01")
    assert "lease.pdf" not in shown(client)


@pytest.mark.parametrize("role", ["", "Judge"])
def test_only_who_reads_rules_picks_targets(client, role):
    person = User.objects.create_user("jay", is_staff=True)
    person.groups.set(Group.objects.filter(name=role))
    client.force_login(person)
    assert client.get(BROWSE).status_code == 403


@pytest.mark.parametrize("asked", [{"document": "x"}, {"open": "const"}, {"page": "0"}, {"open": "/a b c"}])
def test_what_no_page_asks_for_is_not_there(client, curator, asked):
    assert client.get(BROWSE, asked).status_code == 404


def test_looking_costs_a_fixed_number_of_queries(
    client, curator, constitution, django_assert_max_num_queries
):
    with django_assert_max_num_queries(20):
        client.get(BROWSE, {"document": constitution.pk, "open": "/us/const/amendment/V"}, **HTMX)
    assert reverse("admin:rules_rule_browse") == BROWSE
