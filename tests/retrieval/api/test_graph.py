"""The graph around a provision, over HTTP."""

import pytest

from retrieval.access.row_security import as_system
from retrieval.api.graph import Graph
from retrieval.models import Citation
from tests.builders import a_document, a_domain, a_section
from tests.retrieval.api.asking import API, assert_shape
from tests.retrieval.api.refusals import assert_refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def cited():
    document = a_document(a_domain())
    one, other = a_section(document, "one"), a_section(document, "other")
    with as_system():
        Citation.objects.create(
            source=one, target=other, target_locator=other.locator, text="§ 2", start=0, end=3
        )
    return one, other


def test_a_provision_tells_its_neighbours(client, cited):
    one, other = cited
    answer = client.get(f"{API}/graph{other.locator}", {"direction": "received", "depth": 2}).json()
    assert_shape(answer, Graph)
    assert [node["locator"] for node in answer["nodes"]] == [other.locator, one.locator]
    assert answer["edges"] == [{"source": one.locator, "target": other.locator}]
    assert client.get(f"{API}/graph{other.locator}", {"direction": "made"}).json()["edges"] == []


@pytest.mark.parametrize("wrong", [{"depth": 3}, {"direction": "up"}, {"limit": 0}, {"limit": 251}, {"k": 3}])
def test_what_cannot_be_asked_is_refused(client, wrong):
    assert client.get(f"{API}/graph/us/const/amendment/IV", wrong).status_code == 400


def test_a_place_that_is_not_there_has_no_graph(client):
    assert_refused(client.get(f"{API}/graph/us/const/amendment/XXXI"), 404, "not_found")
