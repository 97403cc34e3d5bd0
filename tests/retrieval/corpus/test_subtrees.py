"""What stands below a node, whatever its locators say."""

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.access.row_security import as_system
from retrieval.corpus.filters import in_selection
from retrieval.corpus.subtrees import within
from retrieval.errors import NotFound
from retrieval.models import Chunk, Section
from tests.builders import a_case_file, a_chunk, a_document, a_domain, a_section

pytestmark = pytest.mark.django_db


def found(*locators):
    chunks = Chunk.objects.filter(in_selection(within(locators, ANONYMOUS, None)))
    return set(chunks.values_list("section__locator", flat=True))


@pytest.fixture
def title():
    """A title as the US Code names it: sections beside their chapters."""
    document = a_document(a_domain(), locator="/us/usc/t99")
    names = [
        ("ch1", 0, ""),
        ("s1", 1, "ch1"),
        ("s2", 1, "ch1"),
        ("ch2", 0, ""),
        ("s3", 1, "ch2"),
        ("s4", 0, ""),
    ]
    for position, (name, depth, above) in enumerate(names):
        a_chunk(
            a_section(
                document,
                name,
                locator=f"/us/usc/t99/{name}",
                parent_locator=above and f"/us/usc/t99/{above}",
                depth=depth,
                position=position,
            )
        )
    return document


def test_a_chapter_holds_the_sections_below_it_though_their_locators_do_not_say_so(title):
    assert found("/us/usc/t99/ch1") == {"/us/usc/t99/ch1", "/us/usc/t99/s1", "/us/usc/t99/s2"}
    assert found("/us/usc/t99/s4") == {"/us/usc/t99/s4"}


def test_a_document_holds_all_of_it_and_several_places_what_any_holds(title):
    a_chunk(a_section(a_document(title.domain), "elsewhere"))
    assert found(title.locator) == {f"/us/usc/t99/{name}" for name in ("ch1", "s1", "s2", "ch2", "s3", "s4")}
    both = {"/us/usc/t99/ch2", "/us/usc/t99/s3", "/us/usc/t99/s4"}
    assert found("/us/usc/t99/ch2", "/us/usc/t99/s4") == both


def test_a_place_in_a_section_means_the_section(title):
    section = Section.objects.get(locator="/us/usc/t99/s2")
    section.anchors.create(locator="/us/usc/t99/s2/a", level="subsection", number="a", start=0, end=1)
    assert found("/us/usc/t99/s2/a") == {"/us/usc/t99/s2"}


def test_a_domain_is_one_part_however_many_documents_it_holds(title):
    for _ in range(3):
        a_chunk(a_section(a_document(title.domain), "elsewhere"))
    other = a_chunk(a_section(a_document(a_domain()), "abroad")).section.locator
    everything = title.domain.locator_prefix
    assert len(found(everything)) == 9
    assert len(within([everything, other], ANONYMOUS, None).parts) == 2
    assert found(everything, other) == found(everything) | {other}


def test_what_the_caller_may_not_read_is_not_there():
    with as_system():
        private = a_case_file("A case", "Rent is due.")
        section = private.sections.get().locator
    for locator in (private.locator, section, "/no/such/place"):
        with pytest.raises(NotFound):
            within([locator], ANONYMOUS, None)
    assert within([], ANONYMOUS, None) is None
