"""Documents that a site made itself are cited by their titles, by the names of their domains, and by numbers."""

import pytest

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.citations.citation import cite_plain
from retrieval.citations.titled import as_words
from retrieval.corpus.titled import cited_in, cited_whole, lacking
from retrieval.models import Domain, Section
from retrieval.ranking import replace
from retrieval.search.service import in_scope, reading
from tests.builders import a_case_file, a_document, a_domain, a_section

pytestmark = pytest.mark.django_db
ANA, BO = Caller(("user:71",)), Caller(("user:72",))
ANIMALS = "Marlow County Code, Title 4 (Animals)"


def a_place(document, number, level="section", **fields):
    place = {"number": number, "level": level, "locator": f"{document.locator}/{number}"}
    citation = cite_plain(document.title, level, number, fields.get("heading", ""))
    return a_section(document, f"Of {number}.", citation=citation, **place | fields)


@pytest.fixture
def code(db):
    """Two titles of a county code."""
    domain = a_domain(slug="county_code", name="Marlow County Code", locator_prefix="/county_code")
    for place, title, numbers in (("t4", ANIMALS, ("4-11", "4-12")), ("t9", "county-code-title-9", ("9-31",))):
        document = a_document(domain, locator=f"/county_code/{place}", title=title)
        for number in numbers:
            a_place(document, number)
    return domain


@pytest.fixture
def manual(db):
    domain = a_domain(slug="personnel", name="Personnel", locator_prefix="/personnel")
    document = a_document(domain, locator="/personnel/manual", title="Marlow County Personnel Manual")
    for number in ("1", "2.1", "8"):
        a_place(document, number, heading="Leave")
    a_place(document, "", heading="Compensación", locator="/personnel/manual/pay")
    return document


def cited(text, caller=ANONYMOUS):
    with as_caller(caller):
        return [one.locator for one in cited_whole(text, reading(caller))]


def found(text, caller=ANONYMOUS, **options):
    with as_caller(caller):
        return [(one.text, one.locator) for one in cited_in(text, reading(caller), **options)]


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        (f"{ANIMALS}, § 4-12", "t4/4-12"),
        (f"{ANIMALS.upper()} section 4-12", "t4/4-12"),
        ("county code sec. 4-12", "t4/4-12"),
        ("what does county code sec 4-12 say?", "t4/4-12"),
        ("marlow county code title 4 sec. 4-12(b)", "t4/4-12"),
        ("section 9-31(b) of the county code", "t9/9-31"),
        ("county-code-title-9, § 9-31", "t9/9-31"),
        ("county code 9-31", "t9/9-31"),
        ("County Code, Title 9 (Noise), § 9-31", "t9/9-31"),
        ("Sec. 4-12", "t4/4-12"),
        ("§ 9-31(b)", "t9/9-31"),
    ],
)
def test_a_citation_in_any_form_leads_to_its_place(code, manual, text, locator):
    assert cited(text) == [f"/county_code/{locator}"]


@pytest.mark.parametrize(
    "text",
    [
        "personnel manual 2.1",
        "Marlow County Personnel Manual, § 2.1",
        "manual personnel county section 2.1",
        "personnel § 2.1",
        "§ 2.1",
    ],
)
def test_the_end_of_a_title_leads_to_it(manual, text):
    assert cited(text) == ([] if text.startswith("manual") else ["/personnel/manual/2.1"])


def test_a_heading_leads_to_its_section(manual):
    assert cited("Marlow County Personnel Manual, “Compensacion”") == ["/personnel/manual/pay"]
    assert cited("Marlow County Personnel Manual, “Pensions”") == []


@pytest.mark.parametrize(
    "text",
    [
        "section 8",  # of an article of the Constitution, too
        "what does section 8 of article 1 say",
        "who may keep a dog in the county",
        "county 8",
        f"{ANIMALS}, § 9-31",  # which is in another title
        "manual 2.1",
        "personnel manual 9.9",
        "orange county code sec. 4-12",
        "8 U.S.C. § 1158",
        "fees of 2024",
    ],
)
def test_what_is_not_surely_a_place_in_one_is_none(code, manual, text):
    assert cited(text) == []


def test_a_number_alone_leads_to_the_only_document_that_has_it(code, manual):
    assert cited("§ 4-11") == ["/county_code/t4/4-11"]
    a_place(manual, "4-11")
    assert cited("§ 4-11") == []
    scopes, _ = in_scope(ANONYMOUS, ["personnel"])
    assert cited("section 8") == []  # an article of the Constitution has one
    only = replace(reading(ANONYMOUS), domains=scopes)
    assert [one.locator for one in cited_whole("section 8", only)] == ["/personnel/manual/8"]


def test_a_place_below_is_cited_where_a_provision_is_divided(code):
    section = Section.objects.get(locator="/county_code/t4/4-12")
    assert cited("county code § 4-12(b)(2)") == [section.locator]
    section.anchors.create(locator=f"{section.locator}/b/2", level="paragraph", number="2", start=0, end=2)
    assert cited("county code § 4-12(b)(2)") == [f"{section.locator}/b/2"]


def test_a_place_of_another_level_is_meant_where_there_is_no_other(manual):
    a_place(manual, "3", level="rule")
    assert cited("personnel manual, rule 3") == cited("personnel manual, § 3") == ["/personnel/manual/3"]
    assert cited("§ 3") == []


def test_all_places_that_may_be_meant_are_told(code):
    other = a_document(code, locator="/county_code/old", title="Code of 1990")
    a_place(other, "4-12")
    assert cited("county code § 4-12") == ["/county_code/t4/4-12", "/county_code/old/4-12"]
    assert found("the county code § 4-12") == []


TEXT = (
    "Under the Marlow County Code, § 4-12, and Section 9-31(b) of the county code, he pays; see § 4-11. "
    "The Personnel Manual, § 2.1, is silent. Orange County Code § 4-12. 8 U.S.C. § 1158."
)


def test_a_text_is_read_for_what_it_names(code, manual):
    assert found(TEXT) == [
        ("Marlow County Code, § 4-12", "/county_code/t4/4-12"),
        ("Section 9-31(b) of the county code", "/county_code/t9/9-31"),
        ("§ 4-11", "/county_code/t4/4-11"),
        ("Personnel Manual, § 2.1", "/personnel/manual/2.1"),
    ]
    assert found("He pays under § 4-11.") == []
    Section.objects.filter(locator="/county_code/t4/4-11").update(number="4")
    assert len(found("The Marlow County Code, § 4-12; see § 4.")) == 1  # that may be of any act


def test_a_public_title_of_a_word_is_none_in_a_text(code):
    a_place(a_document(code, title="Complaint"), "4")
    assert found("The Complaint, § 4; the complaint, § 9.", ever=True) == []
    assert len(cited("Complaint, § 4")) == 1
    a_place(a_case_file("Petition", granted_to=ANA), "4")
    assert len(found("The Petition, § 4; the petition, § 9.", ANA, ever=True)) == 2


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("county code secs. 4-12, 4-11 and 9-31", "t4/4-12 t4/4-11 t9/9-31"),
        ("sections 4-11 and 9-31 of the county code", "t4/4-11 t9/9-31"),
        ("Secs. 4-11 and 4-12", "t4/4-11 t4/4-12"),
        ("county code secs. 4-11, 4-99", ""),  # which is not here: searched as words
    ],
)
def test_all_that_a_list_cites_is_found_in_its_order(code, text, numbers):
    assert cited(text) == [f"/county_code/{number}" for number in numbers.split()]


def test_a_range_has_all_that_stands_between_its_ends(manual):
    Section.objects.filter(number="8").update(position=9)
    for position, number in enumerate(("3", "4", "5"), 3):
        a_place(manual, number, position=position)
    Section.objects.filter(number="2.1").update(position=2)
    between = [f"/personnel/manual/{number}" for number in ("3", "4", "5")]
    assert cited("personnel manual sections 3 to 5") == cited("personnel manual §§ 3-5") == between
    text = "See Personnel Manual, §§ 3-5, and sections 2.1, 3 and 9 of the Personnel Manual."
    assert [written for written, _ in found(text, ever=True)] == [
        "Personnel Manual, §§ 3", "", "5", "sections 2.1", "3", "9 of the Personnel Manual",
    ]  # fmt: skip
    assert [place for _, place in found(text)] == [*between, "/personnel/manual/2.1", "/personnel/manual/3"]


@pytest.fixture
def good_faith(code):
    """Public documents whose titles are words of any brief."""
    for title in ("Good Faith", "Employee Handbook"):
        a_place(a_document(code, title=title), "3")


@pytest.mark.parametrize(
    "text",
    [
        "Good Faith 3 is no place.", "He acted in good faith, section 3 of the lease notwithstanding.",
        "The duty of good faith, § 3, binds.", "The Covenant of Good Faith, § 3, binds.", "§ 3 of the Good Faith Act.",
        "GOOD FAITH\nSection 3 asks it.", "Good Faith\nSection 3 of the lease asks it.", "Lack of good faith, § 9.",
        "Section 3 of the Employee Handbook Committee's report",
    ],
)  # fmt: skip
def test_ordinary_words_cite_no_public_document_that_is_called_so(good_faith, text):
    assert found(text) == found(text, ever=True) == []


@pytest.mark.parametrize(
    "text", ["Employee Handbook section 3", "the employee handbook, § 3", "section 3 of the employee handbook"]
)
def test_a_public_document_is_cited_by_its_title_as_titles_are_written(good_faith, text):
    assert len(found(f"He is paid under {text}, then.")) == 1
    assert len(found("what does employee handbook section 3 say of pay", asked=True)) == 1


def test_numbers_that_a_document_lacks_are_told_where_they_are_asked_for(code, manual):
    text = f"{ANIMALS}, § 4-99; County Code § 9-99; County Code § 7-1; Personnel Manual § 9"
    assert found(text) == []
    assert [locator for _, locator in found(text, ever=True)] == [
        "/county_code/t4/4-99",
        "/county_code/t9/9-99",
        "/personnel/manual/9",
    ]


def test_what_was_in_force_is_found_where_it_is_asked_for(code):
    Section.objects.filter(locator="/county_code/t4/4-12").update(valid_to="2020-01-01")
    assert cited("county code § 4-12") == found("county code § 4-12") == []
    assert len(found("county code § 4-12", ever=True)) == 1


def lacked(text, caller=ANONYMOUS):
    with as_caller(caller):
        return [one.normalized for one in lacking(text, reading(caller))]


@pytest.mark.parametrize(
    "text",
    [
        "personnel manual 9.9", "Marlow County Personnel Manual § 9.9", "section 9.9 of the personnel manual",
        "what does § 9.9 of the Marlow County Personnel Manual say?",
    ],
)  # fmt: skip
def test_a_whole_query_is_told_what_a_document_lacks(manual, text):
    assert lacked(text) == ["Marlow County Personnel Manual, § 9.9"]


@pytest.mark.parametrize(
    "text",
    [
        "manual 9.9", "county 9", "fees of 2024", "personnel manual 9", "marlow county personnel manual 2024",
        "marlow county personnel manual 3t", "personnel 9.9",
        "who is paid under personnel manual 9.9", "orange county code § 4-99", "8 U.S.C. § 9999", "§ 9.9", "",
    ],
)  # fmt: skip
def test_a_query_that_is_no_citation_of_a_document_lacks_nothing(code, manual, text):
    assert lacked(text) == []


def test_what_a_domain_lacks_is_told_of_the_document_with_numbers_like_it(code):
    assert lacked("county code § 9-99") == ["county-code-title-9, § 9-99"] and lacked("county code § 7-1") == []


def test_a_number_behind_a_whole_title_is_its_own_or_a_title(manual):
    assert lacked("marlow county personnel manual 9") == ["Marlow County Personnel Manual, § 9"]
    a_document(manual.domain, title="Marlow County Personnel Manual 9")
    assert lacked("marlow county personnel manual 9") == []


def test_a_withdrawn_document_lacks_all_and_one_not_yet_read_is_not_told(manual):
    Section.objects.filter(document=manual).update(valid_to="2020-01-01")
    assert cited("personnel manual § 2.1") == []
    assert lacked("personnel manual § 2.1") == ["Marlow County Personnel Manual, § 2.1"]
    Section.objects.filter(document=manual).delete()
    assert lacked("personnel manual § 2.1") == []


@pytest.fixture
def leases(db):
    """The place of § 2 in two private documents of one title, by whose they are."""
    places = {}
    for caller in (ANA, BO):
        document = a_case_file("Lease of 2020", granted_to=caller)
        places[caller] = a_place(document, "2").locator
    return places


@pytest.mark.parametrize("text", ["Lease of 2020, § 2", "lease § 2", "§ 2 of the lease", "lease of 2020, section 2"])
def test_private_documents_are_cited_by_whom_they_are_granted_to_alone(leases, text):
    assert {caller: cited(text, caller) for caller in leases} == {ANA: [leases[ANA]], BO: [leases[BO]]}
    assert cited(text) == []


def test_what_a_private_document_lacks_is_told_to_whom_it_is_granted_alone(leases):
    assert lacked("Lease of 2020, § 9", ANA) == ["Lease of 2020, § 9"]
    a_place(a_case_file("Secret plan", granted_to=ANA), "4")
    assert lacked("Secret plan § 9", ANA) and not lacked("Secret plan § 9", BO) and not lacked("Secret plan § 9")


def test_a_private_number_is_no_other_callers(leases, code):
    document = a_case_file("Will", granted_to=ANA)
    place = a_place(document, "4-12")
    assert cited("§ 4-12", ANA) == []  # hers or the county's
    assert cited("§ 4-12", BO) == cited("§ 4-12") == ["/county_code/t4/4-12"]
    assert cited("client cases § 4-12", ANA) == [place.locator] and cited("client cases § 4-12", BO) == []
    assert found("Lease of 2020, § 9 and Lease of 2020, § 2", BO, ever=True)[1][1] == leases[BO]
    assert found("Lease of 2020, § 9 and Lease of 2020, § 2", ever=True) == []


def test_law_of_others_is_none_of_ones_own(code):
    Domain.objects.filter(slug="county_code").update(citation_style="us_code")
    assert cited("county code sec. 4-12") == []


def test_what_may_be_a_place_is_looked_up_in_few_statements(code, manual, django_assert_max_num_queries):
    query = reading(ANONYMOUS)
    for text, most in (("who may keep a dog", 0), ("county code § 4-12", 5), ("§ 4-12", 4), ("county code § 7", 6)):
        with django_assert_max_num_queries(most):
            cited_whole(text, query)
    with django_assert_max_num_queries(5):
        cited_in(TEXT * 20, query)


@pytest.mark.parametrize(
    "title", [ANIMALS, "Guía  del JURADO – 2ª ed.", "Gui\u0301a", "Ærø_1 & ÇÑ", "x" * 90 + " y", ""]
)
def test_the_database_compares_titles_as_texts_are(code, title):
    document = a_document(code, title=title)
    document.refresh_from_db()
    assert document.cited_as in (as_words(title), as_words("Guía"))
    assert document.cited_back == document.cited_as[::-1]
