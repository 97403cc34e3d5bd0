"""Who cites whom: within bounds, and for who may read both ends."""

import json
from datetime import date
from io import StringIO
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.corpus import graph
from retrieval.models import Citation, Domain, Section
from tests.builders import a_case_file, a_document, a_domain, a_section

pytestmark = pytest.mark.django_db
ANA = Caller(("user:1",))
BOTH = ("made", "received")


@as_system()
def cite(source, *targets):
    for target in targets:
        Citation.objects.create(
            source=source, target=target, target_locator=target.locator, text="§ <1>", start=0, end=5
        )


@pytest.fixture
def chain():
    """Four provisions, each citing the next."""
    document = a_document(a_domain())
    sections = [a_section(document, f"text {n}", heading=f"Heading & {n}") for n in range(4)]
    for one, other in zip(sections, sections[1:], strict=False):
        cite(one, other, other)
    return sections


def around(section, caller=ANONYMOUS, *, depth=1, ways=BOTH, limit=100):
    with as_caller(caller):
        found = graph.around(section, caller, None, depth=depth, ways=ways, limit=limit)
    edges = {(edge["source"], edge["target"]) for edge in found["edges"]}
    return {node["locator"]: node["depth"] for node in found["nodes"]}, edges


def test_both_ways_and_two_steps_far(chain):
    a, b, c, d = (section.locator for section in chain)
    assert around(chain[1]) == ({b: 0, a: 1, c: 1}, {(a, b), (b, c)})
    assert around(chain[1], ways=["made"], depth=2) == ({b: 0, c: 1, d: 2}, {(b, c), (c, d)})
    assert around(chain[2], ways=["received"], depth=2) == ({c: 0, b: 1, a: 2}, {(b, c), (a, b)})


def test_no_more_nodes_than_asked_for_and_edges_between_them_alone(chain, monkeypatch):
    nodes, edges = around(chain[1], depth=2, limit=2)
    assert len(nodes) == 2 and edges and all(end in nodes for edge in edges for end in edge)
    monkeypatch.setattr(graph, "FAN_OUT", 1)
    cite(chain[0], chain[2], chain[3])
    assert len(around(chain[0], ways=["made"])[0]) == 2


def test_what_cites_a_provision_very_often_is_looked_through_from_both_ends(monkeypatch, client):
    monkeypatch.setattr(graph, "MOST_CITING", 2)
    document = a_document(a_domain())
    target, *sources = (a_section(document) for _ in range(7))
    for source in reversed(sources):
        cite(source, target)
    listed = [section.locator for section in (*sources[:2], *sources[-2:])]
    page = client.get(f"/law{target.locator}")
    assert [section.locator for section in page.context["page"].cited_by] == listed
    received = client.get(f"/api/v1/sections{target.locator}").json()["citations"]["received"]
    assert [edge["locator"] for edge in received] == listed


def test_an_edge_is_seen_by_who_may_read_both_ends(chain):
    with as_system():
        private = a_case_file("A case", "It rests on this.", granted_to=ANA).sections.get()
    cite(private, chain[0], chain[1])
    cite(chain[0], private)
    assert private.locator not in around(chain[0], depth=2)[0]
    nodes, edges = around(chain[0], ANA)
    assert nodes[private.locator] == 1 and (private.locator, chain[0].locator) in edges
    with as_caller(ANONYMOUS):
        assert graph.related(chain[0], ANONYMOUS, None) == []
    with as_caller(ANA):
        assert chain[1].pk in graph.related(chain[0], ANA, None)


def test_related_are_those_with_most_in_common():
    document = a_document(a_domain())
    here, twice, once, none, x, y = (a_section(document, str(n)) for n in range(6))
    cite(here, x, y)
    cite(twice, x, y)
    cite(once, x)
    cite(none, here)
    assert graph.related(here, ANONYMOUS, None) == [twice.pk, once.pk]
    assert graph.related(x, ANONYMOUS, None) == [y.pk]


def test_of_decisions_that_are_related_alike_the_newest_comes_first():
    decisions = a_document(a_domain())
    here, *others, provision = (a_section(decisions, str(n)) for n in range(5))
    for case, year in zip(others, (1803, 1973, 1857), strict=True):
        Section.objects.filter(pk=case.pk).update(level="case", valid_from=date(year, 1, 1))
        cite(case, provision)
    cite(here, provision)
    old, new, between = others
    assert graph.related(here, ANONYMOUS, None) == [new.pk, between.pk, old.pk]


def test_what_a_provision_holds_and_what_holds_it_are_not_related():
    document = a_document(a_domain())
    names = ("1", "1/a", "1/a/2", "10")
    above, here, below, beside = (a_section(document, n, locator=f"{document.locator}/{n}") for n in names)
    cited = a_section(document, "cited")
    for section in (above, here, below, beside):
        cite(section, cited)
    assert graph.related(here, ANONYMOUS, None) == [beside.pk]
    assert graph.related(beside, ANONYMOUS, None) == [above.pk, here.pk, below.pk]


THEN, NOW = date(2016, 7, 1), date(2020, 1, 1)


def test_on_an_earlier_day_the_graph_is_that_of_the_day_under_the_names_of_the_day(client):
    document = a_document(a_domain())

    def versions(name: str) -> list[Section]:
        """Its text until 2020, which ends then, and that of today, to which citations lead."""
        place = {"locator": f"{document.locator}/{name}"}
        days = ({"valid_from": date(2015, 1, 1), "valid_to": NOW}, {"valid_from": NOW})
        return [a_section(document, name, heading=f"{name} {n}", **place, **day) for n, day in enumerate(days)]

    here, cited, beside = map(versions, ("here", "cited", "beside"))
    for then, now in (here, beside):
        cite(then, cited[1])
        cite(now, cited[1])
    for day, n in ((THEN, 0), (None, 1)):
        for section, ends in ((here[n], {"cited"}), (cited[n], {"here", "beside"})):
            found = graph.around(section, ANONYMOUS, day, depth=1, ways=BOTH, limit=9)
            assert {node["title"] for node in found["nodes"][1:]} == {f"{name} {n}" for name in ends}
        assert graph.related(here[n], ANONYMOUS, day) == [beside[n].pk]
        asked = {"as_of": day.isoformat()} if day else {}
        told = client.get(f"/api/v1/sections{here[n].locator}", asked).json()["citations"]["made"]
        assert [edge["title"] for edge in told] == [f"cited {n}"]
        page = client.get(f"/law{cited[n].locator}", asked).context["page"]
        assert [one.heading for one in page.cited_by] == [f"here {n}", f"beside {n}"]


def exported(*arguments):
    out = StringIO()
    call_command("export_graph", *arguments, stdout=out)
    return out.getvalue()


def test_a_graph_is_exported_as_json_lines(chain):
    domain = chain[0].domain
    elsewhere = a_section(a_document(a_domain()), "elsewhere")
    cite(chain[3], elsewhere)
    rows = [json.loads(line) for line in exported(domain.slug).splitlines()]
    nodes = {row["locator"] for row in rows if row["kind"] == "node"}
    assert nodes == {elsewhere.locator, *(section.locator for section in chain)}
    edges = [(row["source"], row["target"]) for row in rows if row["kind"] == "edge"]
    assert len(edges) == 7 and {end for edge in edges for end in edge} <= nodes
    assert (
        exported(domain.slug, "--document", chain[0].document.locator).splitlines()
        == exported(domain.slug).splitlines()
    )


def test_a_graph_is_exported_as_graphml_that_can_be_read(chain):
    tree = ElementTree.fromstring(exported(chain[0].domain.slug, "--format", "graphml"))
    names = {"g": "http://graphml.graphdrawing.org/xmlns"}
    ids = {node.get("id") for node in tree.findall(".//g:node", names)}
    edges = tree.findall(".//g:edge", names)
    assert ids == {section.locator for section in chain}
    assert len(edges) == 6 and all({edge.get("source"), edge.get("target")} <= ids for edge in edges)
    assert edges[0].find("g:data[@key='text']", names).text == "§ <1>"


def test_what_is_private_or_unknown_is_not_exported(chain):
    with as_system():
        private = a_case_file("A case", "It rests on this.", granted_to=ANA).sections.get()
    cite(private, chain[0])
    cite(chain[0], private)
    assert private.locator not in exported(chain[0].domain.slug)
    for arguments in (
        ["client_cases"],
        ["mars"],
        [chain[0].domain.slug, "--document", private.document.locator],
    ):
        with pytest.raises(CommandError):
            exported(*arguments)
    assert Domain.objects.filter(slug="client_cases").exists()
