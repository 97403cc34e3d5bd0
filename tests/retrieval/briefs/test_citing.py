"""Every citation of a brief: the plain ones are tested beside `retrieval.citations`."""

import time

import pytest

from retrieval.briefs.citing import Titled, admits, cited_in
from retrieval.citations.case_names import CaseNames
from retrieval.citations.citation import Citation

NAMES = CaseNames(
    [
        ("/us/scotus/384/436", "Miranda v. Arizona", ("Miranda",)),
        ("/us/scotus/367/643", "Mapp v. Ohio", ()),
        ("/us/scotus/163/537", "Plessy v. Ferguson", ()),
    ]
)
LEASE = Titled("Lease of 2020", "/c/lease")


def locators(text, **others):
    return [cited.locator for cited in cited_in(text, NAMES, **others)]


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("The Twenty-Eighth Amendment forbids it.", "/us/const/amendment/XXVIII"),
        ("See U.S. Const. amend. XXIX.", "/us/const/amendment/XXIX"),
        ("See U.S. Const. art. IX.", "/us/const/article/IX"),
        ("La Enmienda 28 lo prohíbe.", "/us/const/amendment/XXVIII"),
        ("See U.S. Const. amend. XLIV.", "/us/const/amendment/XLIV"),
    ],
)
def test_amendments_that_there_never_were_are_cited_too(text, locator):
    assert locators(text) == [locator]


def test_an_article_of_another_law_is_no_citation():
    assert locators("Article 12 of the Treaty, and Article 9 of the Uniform Commercial Code") == []


def test_a_case_has_the_name_and_year_that_the_brief_gives_it():
    (cited,) = cited_in("See Roe v. Wade, 384 U.S. 436, 444-45 (1966).", NAMES)
    assert (cited.text, cited.name, cited.year) == ("384 U.S. 436", "See Roe v. Wade", 1966)


def test_a_case_is_cited_by_its_name_alone():
    assert locators("Plessy v. Ferguson was wrong. So the Court held.") == ["/us/scotus/163/537"]
    assert locators("In Plessy v. Ferguson, 163 U.S. 537, it was held.") == ["/us/scotus/163/537"]


@pytest.mark.parametrize(
    "text",
    [
        "Plessy v. Ferguson, No. 22-cr-00123 (D. Mass. 2022).",
        "Plessy v. Ferguson, 2022 WL 12345 (D. Mass. 2022).",
        "Plessy v. Ferguson (S.D.N.Y. 2022) is near.",
        "Plessy v. Ferguson (9th Cir. 2022) is near.",
    ],
)
def test_a_case_of_another_court_is_not_the_one_of_that_name(text):
    assert locators(text) == []


@pytest.mark.parametrize("text", ["Plessy v. Ferguson (1896)", "Plessy v. Ferguson, No. 19-1392 (U.S. June 24, 2022)"])
def test_a_case_with_its_year_or_the_courts_docket_is(text):
    assert locators(text) == ["/us/scotus/163/537"]


def test_a_page_is_of_the_decision_cited_before_in_its_volume():
    text = "Miranda v. Arizona, 384 U.S. 436 (1966). Miranda, 384 U.S. at 444. In 410 U.S. at 163 it says."
    assert locators(text) == ["/us/scotus/384/436", "/us/scotus/384/436", "/us/scotus/410/163"]
    assert [cited.page for cited in cited_in(text, NAMES)] == [False, False, True]


@pytest.mark.parametrize(
    ("text", "texts", "last"),
    [
        ("8 U.S.C. § 1158(a). Id.", ["8 U.S.C. § 1158(a)", "Id."], "/us/usc/t8/s1158/a"),
        (
            "8 U.S.C. § 1158(a). Id. § 1101(a)(3).",
            ["8 U.S.C. § 1158(a)", "Id. § 1101(a)(3)"],
            "/us/usc/t8/s1101/a/3",
        ),
        (
            "8 U.S.C. § 1158(a). Id. at § 1101(a)(3).",
            ["8 U.S.C. § 1158(a)", "Id. at § 1101(a)(3)"],
            "/us/usc/t8/s1101/a/3",
        ),
        (
            "U.S. Const. amend. XIV, § 1. Id. § 2.",
            ["U.S. Const. amend. XIV, § 1", "Id. § 2"],
            "/us/const/amendment/XIV/section/2",
        ),
        (
            "Art. I, § 8, cl. 15. Id. cl. 16.",
            ["Art. I, § 8, cl. 15", "Id. cl. 16"],
            "/us/const/article/I/section/8/clause/16",
        ),
        ("Mapp v. Ohio, 367 U.S. 643. Id. at 655.", ["367 U.S. 643", "Id. at 655"], "/us/scotus/367/643"),
    ],
)
def test_id_cites_what_was_cited_last(text, texts, last):
    found = cited_in(text, NAMES)
    assert [cited.text for cited in found] == texts
    assert found[-1].locator == last
    assert all(text[cited.start : cited.end] == cited.text for cited in found)


@pytest.mark.parametrize(
    ("text", "words", "locator"),
    [
        ("Amend. IV. Mapp v. Ohio, 367 U.S. 643. The amendment.", "The amendment", "/us/const/amendment/IV"),
        ("La Enmienda IV rige. La misma enmienda dice más.", "La misma enmienda", "/us/const/amendment/IV"),
        ("U.S. Const. art. II, § 2, cl. 1. Clause 2 is so.", "Clause 2", "/us/const/article/II/section/2/clause/2"),
        ("The Fourteenth Amendment binds. Section 5 adds a power.", "Section 5", "/us/const/amendment/XIV/section/5"),
        ("28 U.S.C. § 2244(b)(1). A new claim is heard, 2244(b)(2).", "2244(b)(2)", "/us/usc/t28/s2244/b/2"),
    ],
)  # fmt: skip
def test_what_was_cited_before_is_named_again(text, words, locator):
    last = cited_in(text, NAMES)[-1]
    assert (last.text, last.locator, last.again) == (words, locator, True)


@pytest.mark.parametrize(
    "text",
    [
        "The amendment of this lease was signed.",
        "8 U.S.C. § 1158. The amendment asks more, and section 9 of the lease too.",
        "U.S. Const. amend. IV. That clause and section 2254 say nothing.",
    ],
)
def test_what_was_not_cited_before_is_not_named_again(text):
    assert not any(cited.again for cited in cited_in(text, NAMES))


@pytest.mark.parametrize(
    ("text", "misprinted"),
    [
        ("See Roe v. Poe, 466 U.S. 668 (1984).", False),
        ("See Roe v. Poe, 466 U.S. 668 (1991).", True),
        ("See Roe v. Poe, 466 U.S. 1377 (1984).", True),
        ("See Roe v. Poe, 466 U.S. 1301 (1984) (Rehnquist, J., in chambers).", False),
        ("In 466 U.S. at 1377 it says.", False),
        ("See Roe v. Poe, 700 U.S. 12 (2049).", True),
        ("See Roe v. Poe, 999 U.S. 999.", True),
    ],
)
def test_a_volume_is_of_a_time_and_has_so_many_pages(text, misprinted):
    (cited,) = cited_in(text, NAMES)
    assert cited.is_misprinted is misprinted


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("No warrant was shown (4th Am.).", ["/us/const/amendment/IV"]),
        ("The Fifth Am. forbids it.", ["/us/const/amendment/V"]),
        ("First Am. Compl. at 4; North Am. freight; 9 am.", []),
    ],
)
def test_an_amendment_is_shortened(text, found):
    assert locators(text) == found


def test_id_of_nothing_is_none():
    assert locators("Id. at 3. Nothing was cited.") == []


def test_private_documents_are_cited_by_their_titles():
    text = "Under the lease of 2020, and the Lease of 2020, and the Lease of 2020, § 9."
    place = Citation("Lease of 2020, § 9", 56, 74, "Lease of 2020, § 9", "/c/lease/9")
    assert text[56:74] == place.text
    found = cited_in(text, NAMES, [LEASE], [place])
    assert [cited.locator for cited in found] == ["/c/lease", "/c/lease/9"]
    assert locators(text) == []


@pytest.mark.parametrize(
    ("title", "text", "found"),
    [
        ("COMPLAINT", "The complaint alleges fraud, and each complaint section must be numbered.", []),
        ("Complaint", "Complaint allegations are taken as true.", []),
        ("Lease Agreement", "A lease agreement binds both. The lease agreement clause is civil.", []),
        ("Contrato de arrendamiento", "El Contrato de arrendamiento es un contrato de arrendamiento.", [""]),
        ("contract-01", "See contract-01.", [""]),
        ("lease of the mill", "See the lease of the mill, and the leases of the mill.", [""]),
        ("LEASE AGREEMENT", "The Lease Agreement and the LEASE AGREEMENT bind both.", ["", ""]),
    ],
)
def test_ordinary_words_are_no_title(title, text, found):
    cited = cited_in(text, NAMES, [Titled(title, "/c/d")])
    assert [one.locator.removeprefix("/c/d").removeprefix("/") for one in cited] == found


def test_ordinary_words_do_not_take_over_id():
    text = "28 U.S.C. § 1332(a). The complaint alleges fraud; each complaint section must. Id. § 1367(a)."
    assert locators(text, titled=[Titled("COMPLAINT", "/c/d")])[-1] == "/us/usc/t28/s1367/a"


def test_a_sentence_may_say_itself_that_the_law_is_gone():
    assert admits("Plessy was overruled by Brown.") and admits("La enmienda fue derogada.")
    assert not admits("Plessy holds that the law is valid.")
    assert not admits("Concerning public schools, Plessy permits separation, once counsel is waived.")
    assert not admits("Plessy has never been overruled.") and admits("It was not overruled until 1954.")
    assert admits("The former rule allowed it.") and not admits("The former wife relies on Roe.")


@pytest.mark.parametrize(
    ("text", "locators"),
    [
        ("Dred Scott v. Sandford, 60 U.S. (19 How.) 393 (1857).", ["/us/scotus/60/393"]),
        ("8 C.F.R. § 208.13(b)(1). Id. § 208.16.", ["/us/cfr/t8/s208.13/b/1", "/us/cfr/t8/s208.16"]),
    ],
)
def test_old_reporters_and_short_forms_of_regulations_lead_to_their_places(text, locators):
    assert [cited.locator for cited in cited_in(text, NAMES)] == locators


@pytest.mark.parametrize("cited", ["410 U.S. 113; ", "see u.s. const. art. IX, "])
def test_a_brief_that_cites_the_same_again_and_again_is_not_read_whole_for_each(cited):
    start = time.process_time()
    assert len(cited_in(cited * 10_000, None)) == 10_000
    assert time.process_time() - start < 3
