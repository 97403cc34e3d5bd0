"""Definitions are kept with the section that makes them, under what they govern."""

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.access.row_security import as_caller, as_system
from retrieval.corpus.defined import terms_used
from retrieval.ingestion.defining import keep
from retrieval.models import Definition, Section
from tests.builders import a_case_file, a_document, a_domain, a_section

pytestmark = pytest.mark.django_db
TITLE = "/us/usc/t99"


@pytest.fixture
def title():
    """A title with a chapter of three subchapters, each of one section."""
    document = a_document(a_domain(), locator=TITLE)
    rows = [("ch12", "chapter", "12", ""), ("s1101", "section", "1101", "ch12")]
    rows += [(f"ch12/sch{n}", "subchapter", n, "ch12") for n in ("I", "II", "III")]
    for position, (name, level, number, above) in enumerate(rows):
        a_section(
            document,
            locator=f"{TITLE}/{name}",
            level=level,
            number=number,
            parent_locator=above and f"{TITLE}/{above}",
            is_leaf=level == "section",
            position=position,
        )
    return document


def kept(document, text, name="s1101"):
    section = document.sections.get(locator=f"{TITLE}/{name}")
    section.text = text
    with as_system():
        section.save()
        keep(document, [section])
    return set(Definition.objects.filter(section=section).values_list("term", "locator", "scope"))


def test_a_definition_governs_the_level_that_it_names(title):
    here, chapter = f"{TITLE}/s1101", f"{TITLE}/ch12"
    assert kept(title, "As used in this chapter, the term “alien” means any person.") == {("alien", here, chapter)}
    Definition.objects.all().delete()
    several = kept(title, "As used in subchapters I and II, the term “child” means a person under 21.")
    assert several == {("child", here, f"{chapter}/schI"), ("child", here, f"{chapter}/schII")}


@pytest.mark.parametrize(
    ("words", "scope"),
    [
        ("In this title", TITLE),
        ("In this Act", f"{TITLE}/ch12"),
        ("In this section", f"{TITLE}/s1101"),
        ("In this subpart", f"{TITLE}/s1101"),
        ("In part IX", f"{TITLE}/s1101"),
    ],
)
def test_what_is_not_above_it_governs_nothing_but_its_section(title, words, scope):
    assert kept(title, f"{words}, the term “alien” means any person.") == {("alien", f"{TITLE}/s1101", scope)}


def test_the_place_is_the_deepest_that_is_numbered(title):
    text = "(a) As used in this chapter—\n(1) The term “alien” means any person."
    section = title.sections.get(locator=f"{TITLE}/s1101")
    for name, start in (("a", 0), ("a/1", text.index("(1)"))):
        section.anchors.create(locator=f"{section.locator}/{name}", level="x", number="x", start=start, end=len(text))
    assert kept(title, text) == {("alien", f"{TITLE}/s1101/a/1", f"{TITLE}/ch12")}


@pytest.mark.parametrize(
    ("words", "governs_all"),
    [
        ("As used in this Agreement (and its recitals), the following terms apply:\n", True),
        ("", True),
        ("In this section, ", False),
        ("For purposes of this Article V, ", False),
        ("For purposes of Section 9 only, ", False),
    ],
)
def test_of_a_private_document_what_is_not_limited_governs_all_of_it(words, governs_all):
    with as_system():
        document = a_case_file("Lease", f"{words}“Affiliate” means a parent of a party.", "Any Affiliate may enter.")
        keep(document, list(document.sections.all()))
        (kept,) = Definition.objects.filter(section__document=document)
        used = document.sections.get(text__startswith="Any")
        told = terms_used(used, [], Section.objects.filter(document=document))
        assert kept.scope == (document.locator if governs_all else kept.section.locator)
    assert [found.term for found in told] == ["Affiliate"] * governs_all


def test_private_definitions_are_seen_by_who_may_read_the_document():
    with as_system():
        document = a_case_file("Lease", "In this section, “Premises” means the second floor.")
        keep(document, list(document.sections.all()))
        assert Definition.objects.filter(term="Premises", private=True).exists()
    with as_caller(ANONYMOUS):
        assert not Definition.objects.filter(term="Premises").exists()
