"""A document is walked from its top to its last provision, and no answer grows with the document."""

from datetime import date

import pytest

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_system
from retrieval.api import serializers, tree
from retrieval.models import Section
from tests.builders import a_case_file, a_document, a_domain, a_section
from tests.retrieval.api.asking import API, assert_shape, section
from tests.retrieval.api.keys import key_with
from tests.retrieval.api.refusals import assert_refused

pytestmark = pytest.mark.django_db


def opened(client, path="us/const", headers=None, **query):
    response = client.get(f"{API}/documents/{path}", query, **(headers or {}))
    assert response.status_code == 200, response.content
    assert_shape(response.json(), serializers.DocumentTree)
    return response.json()


def locators(nodes):
    return [node["locator"] for node in nodes]


@as_system()
def a_wide_document(children, **fields):
    """A document of so many sections, the first of which holds as many again."""
    document = a_document(a_domain(), **fields)
    tops = [a_section(document) for _ in range(children)]
    for _ in range(children):
        a_section(document, parent_locator=tops[0].locator, depth=1)
    return document, tops


def test_a_document_opens_with_its_first_level(client):
    constitution = opened(client)
    assert constitution["title"].startswith("Constitution") and constitution["domain"] == "us_constitution"
    assert len(constitution["children"]) == constitution["total"] == 1 + 7 + 27
    article = next(node for node in constitution["children"] if node["locator"].endswith("article/I"))
    assert (article["level"], article["number"], article["children_total"]) == ("article", "I", 10)
    assert article["children"] == [] and article["sections"] > 10
    results = Section.objects.live().results().filter(domain__slug="us_constitution", valid_to=None)
    assert constitution["results"] == results.count() < constitution["sections"]


def test_deeper_levels_are_opened_in_the_order_of_the_law(client):
    article = next(n for n in opened(client, depth=3)["children"] if n["locator"].endswith("article/I"))
    assert [child["number"] for child in article["children"]] == [str(n) for n in range(1, 11)]
    eighth = article["children"][7]
    assert len(eighth["children"]) == eighth["children_total"] == eighth["sections"] == 18
    assert article["sections"] == sum(1 + child["sections"] for child in article["children"])


def test_a_document_can_be_walked_to_every_provision(client):
    """By what the answers say alone: children, and `under` where there are more."""
    found, to_open = [], [None]
    while to_open:
        under = to_open.pop()
        for child in opened(client, **({"under": under} if under else {}))["children"]:
            found.append(child["locator"])
            to_open += [child["locator"]] * bool(child["children_total"])
    here = Section.objects.live().filter(domain__slug="us_constitution", valid_to=None)
    assert sorted(found) == sorted(here.values_list("locator", flat=True))


def test_below_one_section_its_children_are_paged(client):
    at = {"under": "/us/const/article/I/section/8", "k": 10}
    first, second = opened(client, **at), opened(client, **at, page=2)
    assert first["under"]["citation"] == "U.S. Const. art. I, § 8"
    assert (first["total"], first["next"], second["next"], second["previous"]) == (18, 2, None, 1)
    assert len(first["children"]) == 10 and len(second["children"]) == 8
    assert not set(locators(first["children"])) & set(locators(second["children"]))


def test_an_answer_is_bounded_however_wide_the_document(client, monkeypatch, django_assert_max_num_queries):
    monkeypatch.setattr(tree, "MAX_NODES", 30)
    document, tops = a_wide_document(20)
    with django_assert_max_num_queries(8):
        whole = opened(client, document.locator.strip("/"), depth=5)
    first = whole["children"][0]
    assert len(whole["children"]) == 20 and len(first["children"]) == 10
    assert (first["children_total"], first["sections"], whole["sections"]) == (20, 20, 40)
    rest = opened(client, document.locator.strip("/"), under=first["locator"], page=2, k=10)
    assert len(rest["children"]) == 10 and rest["next"] is None


def test_a_document_that_is_a_provision_itself_opens_below_it(client):
    document = a_document(a_domain())
    title = a_section(document, locator=document.locator)
    chapter = a_section(document, parent_locator=title.locator, depth=1)
    account = opened(client, document.locator.strip("/"))
    assert account["under"]["locator"] == title.locator
    assert locators(account["children"]) == [chapter.locator]


def test_the_tree_is_that_of_a_day(client):
    Section.objects.filter(locator="/us/const/amendment/XXVII").update(valid_to=date(2001, 1, 1))
    assert opened(client)["total"] == 34
    assert "/us/const/amendment/XXVII" in locators(opened(client, as_of="2000-01-01")["children"])
    assert "/us/const/amendment/XXVII" not in locators(opened(client, as_of="1900-01-01")["children"])


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("depth=0", "bad_parameter"),
        ("depth=6", "bad_parameter"),
        ("k=101", "bad_parameter"),
        ("page=0", "bad_parameter"),
        ("under=%00", "bad_parameter"),
        ("level=2", "unknown_parameter"),
    ],
)
def test_bad_parameters_are_refused(client, query, code):
    assert_refused(client.get(f"{API}/documents/us/const?{query}"), 400, code)


@pytest.mark.parametrize(
    "path", ["us/const?under=/us/usc/t8", "us/const/article/I", "us", "nothing", "%0a", "%ff"]
)
def test_what_is_no_document_or_not_in_it_is_not_found(client, path):
    assert_refused(client.get(f"{API}/documents/{path}"), 404, "not_found")


def test_a_private_document_is_there_for_who_may_read_it_alone(client):
    key, granted = key_with("search")
    _, other = key_with("search")
    case = a_case_file("Matter of A", "secret words", granted_to=Caller((f"key:{key.pk}",)))
    hidden = a_case_file("Matter of B", "other words")
    account = opened(client, case.locator.strip("/"), granted)
    assert account["sections"] == account["total"] == 1
    assert section(client, case.locator.strip("/"), headers=granted)["text"] == "secret words"
    refusals = set()
    for place, headers in ((case, {}), (case, other), (hidden, granted)):
        for kind in ("documents", "sections"):
            refusals.add((kind, client.get(f"{API}/{kind}{place.locator}", **headers).content))
    for kind in ("documents", "sections"):
        refusals.add((kind, client.get(f"{API}/{kind}/client_cases/nothing").content))
    assert len(refusals) == 2
