"""Provisions offered for a citation or for words, as far as the caller may read them."""

import pytest

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.models import Domain, SearchLog
from retrieval.search.places import as_locator, described, offered
from tests.builders import a_document, a_domain, a_section, embedded, grant

pytestmark = pytest.mark.django_db
FOURTEENTH = "/us/const/amendment/XIV"
ANN = Caller(("user:77",))


def locators(words, caller=ANONYMOUS, **options):
    return [place.locator for place in offered(words, caller, **options)]


@pytest.fixture
def lease():
    """A private lease, which ann may read."""
    document = a_document(Domain.objects.get(slug="client_cases"), title="Lease of the lighthouse")
    sections = [
        a_section(document, text, number=number, heading=heading, private=True)
        for number, heading, text in (("1", "Term", "A year."), ("2", "Law", "The laws of Ruritania apply."))
    ]
    embedded(*sections)
    grant(document, ANN)
    return [section.locator for section in sections]


@pytest.mark.parametrize("words", ["14th amendment", "14th", "amend. XIV", "enmienda 14", FOURTEENTH])
def test_a_citation_offers_its_place_first_and_what_is_below_it(words):
    assert locators(words)[:3] == [FOURTEENTH, f"{FOURTEENTH}/section/1", f"{FOURTEENTH}/section/2"]


@pytest.mark.parametrize(
    ("words", "locator"),
    [
        ("due process", "/us/const/amendment/V"),
        ("debido proceso", FOURTEENTH),
        ("Treaty Clause", "/us/const/article/II/section/2/clause/2"),
        ("quartering soldiers", "/us/const/amendment/III"),
        ("/us/const/article/I/section/8/cl", "/us/const/article/I/section/8/clause/3"),
    ],
)
def test_words_offer_what_is_named_so_or_says_so(words, locator):
    assert locator in locators(words)


def test_what_means_nothing_offers_nothing():
    assert locators("") == locators("  ?") == locators("/nowhere") == []


def test_a_section_is_found_by_its_documents_name_and_its_number(lease):
    with as_caller(ANN):
        assert locators("lease § 2", ANN)[0] == locators("lighthouse section 2", ANN)[0] == lease[1]


@pytest.mark.parametrize("words", ["lease § 2", "Lease", "Ruritania", "/client_cases"])
def test_private_provisions_are_offered_to_whom_they_are_granted_alone(lease, words):
    with as_caller(ANN):
        assert set(lease) & set(locators(words, ANN))
    assert not set(lease) & set(locators(words))
    assert described(lease, ANONYMOUS) == {}


def test_a_domain_bounds_what_is_offered(lease):
    with as_caller(ANN):
        assert set(locators("law", ANN, domains=("client_cases",))) <= set(lease)


def test_places_are_told_by_citation_heading_and_first_words():
    known = described([FOURTEENTH, "/us/const/amendment/III", "/us/const", "/nowhere"], ANONYMOUS)
    third, whole = known["/us/const/amendment/III"], known[FOURTEENTH]
    assert third.citation == "U.S. Const. amend. III"
    assert third.beginning.startswith(
        "Quartering of soldiers. No soldier shall"
    ) and third.beginning.endswith("…")
    assert "All persons born or naturalized" in whole.beginning  # its own text is that of its first section
    assert known["/us/const"].citation == "Constitution of the United States"
    assert "/nowhere" not in known


def test_nothing_is_logged():
    offered("double jeopardy", ANONYMOUS)
    assert not SearchLog.objects.exists()


def test_a_citation_that_is_typed_is_taken_as_its_locator():
    assert as_locator("14th amendment, section 2", ANONYMOUS) == f"{FOURTEENTH}/section/2"
    assert as_locator("/us/const/x", ANONYMOUS) == "/us/const/x"
    assert as_locator("due process", ANONYMOUS) == "due process"


def test_a_citation_of_a_document_of_ones_own_is_taken_as_its_locator(lease):
    section = a_section(a_document(a_domain(name="County Code"), title="Title 4"), number="4-12")
    for typed in ("county code § 4-12", "Title 4, § 4-12", "Sec. 4-12"):
        assert as_locator(typed, ANONYMOUS) == section.locator
        assert locators(typed)[0] == section.locator
    with as_caller(ANN):
        assert as_locator("Lease of the lighthouse, § 2", ANN) == lease[1]
    assert as_locator("Lease of the lighthouse, § 2", ANONYMOUS) == "Lease of the lighthouse, § 2"


def test_a_place_in_a_section_is_cited_by_all_its_numbers():
    section = a_section(a_document(a_domain()), "(b) An officer\n(2) holds it.", citation="Code, § 4-12")
    place = f"{section.locator}/b/2"
    section.anchors.create(locator=place, level="paragraph", number="2", start=15, end=28)
    assert described([place], ANONYMOUS)[place].citation == "Code, § 4-12(b)(2)"
