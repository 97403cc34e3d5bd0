"""Acts that questions name by what public law calls them."""

from dataclasses import replace

import pytest

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_system
from retrieval.citations.acts import named_acts
from retrieval.corpus.named_acts import named_by_others
from retrieval.models import Citation, Section
from retrieval.ranking import DomainScope, Query
from retrieval.stages.acts import acts_named
from tests.builders import a_case_file, a_document, a_domain, a_section

pytestmark = pytest.mark.django_db


@as_system()
def called(name, source, target, **fields):
    Citation.objects.create(
        source=source,
        target=target,
        target_locator=target.locator,
        text="x",
        called=name,
        start=0,
        end=1,
        **fields,
    )


@pytest.fixture
def law():
    """A chapter of two sections, another with one, and a section that cites."""
    document = a_document(a_domain())
    chapter = a_section(
        document, locator=f"{document.locator}/ch1", is_result=False, is_leaf=False, level="chapter"
    )
    inside = [a_section(document, f"{n}", parent_locator=chapter.locator) for n in range(2)]
    return chapter, inside, [a_section(document, f"citing {n}") for n in range(3)]


def named(text):
    readable = Section.objects.readable(ANONYMOUS)
    found = named_by_others(text, lambda: readable, list(named_acts(text)))
    return [(one.act.name, one.act.first, one.act.within) for one in found]


def test_an_act_is_where_those_that_cite_it_say(law):
    chapter, (first, second), citing = law
    called("Heron Protection Act", citing[0], first)
    expected = [("heron protection act", first.locator, chapter.locator)]
    assert named("what does the heron protection act say of nests") == expected
    assert named("a question of herons and their protection") == []


def test_a_section_cited_now_and_then_is_not_its_place(law):
    chapter, (first, second), citing = law
    for source in citing:
        called("Heron Act of 1990", source, second)
    called("Heron Act of 1990", citing[0], chapter)
    assert named("the Heron Act of 1990")[0][1:] == (first.locator, chapter.locator)
    called("Stork Act", citing[0], second)
    assert named("the Stork Act") == [("Stork Act", second.locator, "")]


def test_our_table_wins_and_of_names_the_longest(law):
    _, (first, second), citing = law
    called("Clean Air Act", citing[0], first)
    called("Egret Act", citing[0], first)
    called("Great Egret Act", citing[0], second)
    assert named("the Clean Air Act") == []
    assert [name for name, *_ in named("the Great Egret Act")] == ["Great Egret Act"]


def test_what_private_documents_call_law_is_nobodys_name(law):
    _, (first, _), _ = law
    with as_system():
        private = a_case_file("A case", "It cites.", granted_to=Caller(("user:1",))).sections.get()
    called("Our Secret Act", private, first)
    assert named("the Our Secret Act") == []


def test_each_body_of_law_that_is_searched_has_its_own_acts(law):
    _chapter, (first, _second), citing = law
    called("Heron Protection Act", citing[0], first)
    scopes = [DomainScope(d.pk, d.slug, 1, False, ("en",)) for d in (a_domain(), first.domain)]
    text = "the heron protection act"
    query = Query(text, text, text, "en", tuple(scopes))
    bodies = [replace(query, domains=(scope,)) for scope in scopes]  # as `EachDomain` asks them, one after another
    assert [len(acts_named(body)) for body in bodies] == [0, 1]
