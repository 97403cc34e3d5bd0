"""The defined terms that a provision uses, by the nearest definition that governs it."""

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.defined import scopes_of, terms_in, terms_used
from retrieval.models import Section
from tests.builders import a_document, a_domain, a_section

pytestmark = pytest.mark.django_db


@pytest.fixture
def law():
    document = a_document(a_domain(), locator="/us/usc/t99")
    chapter = a_section(document, locator="/us/usc/t99/ch1", is_leaf=False)
    here = a_section(document, "An alien’s child or spouse.", locator="/us/usc/t99/s1", parent_locator=chapter.locator)
    return document, chapter, here


def told(law):
    document, chapter, here = law
    found = terms_used(here, [chapter.locator], Section.objects.readable(ANONYMOUS).filter(document=document))
    return [(one.term, one.locator) for one in found]


def define(law, term, scope, name, **fields):
    section = a_section(law[0], "x", locator=f"/us/usc/t99/{name}", **fields)
    section.definitions.create(term=term, locator=f"{section.locator}/a", scope=scope)
    return section


def test_the_nearest_definition_that_governs_is_told_nearest_first(law):
    _, chapter, here = law
    define(law, "alien", "/us/usc/t99", "s7")
    define(law, "child", "/us/usc/t99", "s8")
    define(law, "Child", chapter.locator, "s9")
    define(law, "spouse", here.locator, "s10")
    define(law, "visa", chapter.locator, "s11")
    define(law, "spouse", "/us/usc/t99/ch2", "s12")
    assert told(law) == [("spouse", "/us/usc/t99/s10/a"), ("Child", "/us/usc/t99/s9/a"), ("alien", "/us/usc/t99/s7/a")]


def test_what_is_not_in_force_and_what_it_defines_itself_is_not_told(law):
    _, chapter, here = law
    define(law, "alien", chapter.locator, "s7", live=False)
    here.definitions.create(term="child", locator=here.locator, scope=here.locator)
    assert told(law) == []


def of_words(law, *quoted):
    readable = Section.objects.readable(ANONYMOUS)
    scopes = scopes_of(law[0].locator, law[1].locator, law[2].locator)
    return [(one.term, one.locator) for one in terms_in({scopes: "\n".join(quoted)}, readable)]


def test_of_quoted_words_the_nearest_definitions_are_told_as_they_stand_in_the_words(law):
    _, chapter, here = law
    define(law, "alien", "/us/usc/t99", "s7")
    define(law, "Alien", chapter.locator, "s8")
    define(law, "spouse", "/us/usc/t99", "s9")
    define(law, "visa", chapter.locator, "s10")
    define(law, "child", "/us/usc/t99/ch2", "s11")
    assert of_words(law, "A spouse of aliens.") == [("spouse", "/us/usc/t99/s9/a"), ("Alien", "/us/usc/t99/s8/a")]
    assert of_words(law, "The term “spouse” means an alien.") == [("Alien", "/us/usc/t99/s8/a")]
    assert of_words(law, "A child.") == []


def test_part_of_a_longer_term_is_not_told(law):
    define(law, "State", "/us/usc/t99", "s7")
    define(law, "United States", "/us/usc/t99", "s8")
    assert of_words(law, "Of the United States.") == [("United States", "/us/usc/t99/s8/a")]
    assert len(of_words(law, "A State of the United States.")) == 2


def test_of_quoted_words_no_definition_is_told_that_the_caller_may_not_read(law):
    define(law, "alien", "/us/usc/t99", "s7", live=False)
    assert of_words(law, "An alien.") == []
