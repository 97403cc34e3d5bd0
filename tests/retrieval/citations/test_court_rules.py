"""Rules of the federal courts, as lawyers and everybody else cite them."""

import pytest

from retrieval.citations.citation import cite
from retrieval.citations.finding import find_citations, whole_citations

CIVIL, EVIDENCE = "/us/usc/t28a/courtRules/Civil", "/us/usc/t28a/courtRules/Evid"


def locators(text):
    return [citation.locator for citation in find_citations(text)]


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("Fed. R. Civ. P. 6(a)", f"{CIVIL}/rule6/a"),
        ("Fed.R.Civ.P. 56(c)(1)(A)(i)", f"{CIVIL}/rule56/c/1/A/i"),
        ("Rule 56 of the Federal Rules of Civil Procedure", f"{CIVIL}/rule56"),
        ("Federal Rules of Civil Procedure, Rule 12(b)(6)", f"{CIVIL}/rule12/b/6"),
        ("Rule 12(b)(6), Fed. R. Civ. P.", f"{CIVIL}/rule12/b/6"),
        ("F.R.C.P. 26", f"{CIVIL}/rule26"),
        ("FRE 403", f"{EVIDENCE}/rule403"),
        ("Federal Rule of Evidence 404(b)", f"{EVIDENCE}/rule404/b"),
        ("Fed. R. Crim. P. 12.1(a)", "/us/usc/t18a/courtRules/Crim/rule12.1/a"),
        ("Fed. R. App. P. 4(a)(1)(A)", "/us/usc/t28a/courtRules/App/rule4/a/1/A"),
        ("Fed. R. Bankr. P. 2004", "/us/usc/t11a/courtRules/rule2004"),
        ("Regla 56 de las Reglas Federales de Procedimiento Civil", f"{CIVIL}/rule56"),
        ("Regla Federal de Evidencia 403", f"{EVIDENCE}/rule403"),
    ],
)
def test_a_rule_of_a_federal_court_is_read(text, locator):
    assert [citation.locator for citation in whole_citations(f"What does {text} say?")] == [locator]
    assert locators(f"It was dismissed under {text}, and rightly so.") == [locator]


def test_what_our_own_form_writes_is_read_again():
    for locator in (f"{CIVIL}/rule6/a/1/A", f"{EVIDENCE}/rule801/d/2", "/us/usc/t11a/courtRules/rule9037"):
        assert locators(cite(locator)) == [locator]


def test_lists_and_ranges_of_rules():
    assert locators("Federal Rules of Civil Procedure 59 and 60") == [f"{CIVIL}/rule59", f"{CIVIL}/rule60"]
    assert locators("Fed. R. Civ. P. 12(b)(1) and (6)") == [f"{CIVIL}/rule12/b/1", f"{CIVIL}/rule12/b/6"]
    (first, between, last) = whole_citations("Fed. R. Evid. 401-403")
    assert (first.text, between.text, last.text) == ("Fed. R. Evid. 401", "", "403")
    assert locators("Fed. R. Civ. P. 56, 28 U.S.C. § 1331") == [f"{CIVIL}/rule56", "/us/usc/t28/s1331"]


@pytest.mark.parametrize(
    "text",
    [
        "Mass. R. Civ. P. 56", "Civil Rule 6(a)", "Rule 56", "rule 6 of the federal rules", "the Fre 403 train",
        "the Federal Rules of Evidence 2011 amendments", "Federal Rules of Civil Procedure, 1938", "fre 403 of them",
        "Fed. R. Bankr. P. 2018 edition",
    ],
)  # fmt: skip
def test_what_names_no_rule_of_a_federal_court(text):
    assert locators(text) == []


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("Rule 12(b)(6)", f"{CIVIL}/rule12/b/6"),
        ("What is a rule 12(b)(6) motion to dismiss?", f"{CIVIL}/rule12/b/6"),
        ("summary judgment under Rule 56(a)", f"{CIVIL}/rule56/a"),
        ("relief from a judgment by Rule 60(b)(1)", f"{CIVIL}/rule60/b/1"),
        ("a judgment set aside under Rule 60(b)(1) for an attorney's error", f"{CIVIL}/rule60/b/1"),
        ("I was sued. Can I answer by a Rule 12(b)(6) motion?", f"{CIVIL}/rule12/b/6"),
        ("is prior conduct allowed by Rule 404(b)?", f"{EVIDENCE}/rule404/b"),
        ("a plea under Rule 11(c)(1)(C)", "/us/usc/t18a/courtRules/Crim/rule11/c/1/C"),
        ("¿Qué dice la Regla 56(a)?", f"{CIVIL}/rule56/a"),
        ("¿Regla 56(a)?", f"{CIVIL}/rule56/a"),
        ("What does “Rule 56(a)” say?", f"{CIVIL}/rule56/a"),
    ],
)
def test_in_a_question_a_rule_that_only_one_body_has_is_read_without_its_body(text, locator):
    assert [citation.locator for citation in find_citations(text, asked=True)] == [locator]
    assert locators(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "rule 34 of the lease", "Rule 10 of the handbook", "rule 12(b)(6) of the lease", "rule 56(a) in our handbook",
        "Local Rule 56(a)", "house rule 60(b)", "What does rule 6(e) say?",
        "Rule 56", "rule 12(b)", "rule 12(b)(1)", "Rule 56(z)", "Rule 11(c)",
        "Mass. R. Civ. P. 56(a)", "section 12(b)(6)", "12(b)(6)", "State Bar Rule 4(m)", "Rule 56(a) de la casa",
        "rule 56(a), under the charter", "Rule 56(a)-1", "bylaw-rule 56(a)", "golf's rule 60(b)", "NCAA rule 12(b)(6)",
        "Rule 55(b) Ariz. R. Civ. P.", "Rule 404(b), Ala. R. Evid.", "Rule 60(b) Texas Rules of Civil Procedure",
        "Arizona Rules of Evidence, Rule 404(b)", "Minnesota Rules of Civil Procedure: Rule 60(b)",
        "N.C. Gen. Stat. § 1A-1, Rule 60(b)", "Rule 404(b) M.R.E.", "rule 404(b) ncaa", "Rule 60(b) (Texas)",
        "Chess: rule 65(a)", "the condo association, rule 54(b)",
        "is it allowed in texas under rule 404(b)?", "What does Rule 404(b) say at Acme?",
    ],
)  # fmt: skip
def test_other_rules_than_those_of_one_body_are_not_read_without_it(text):
    assert find_citations(text, asked=True) == () and whole_citations(text) == ()


def test_acronyms_in_small_letters_are_read_where_nothing_else_is_asked():
    assert [citation.locator for citation in whole_citations("frcp 12 b 6")] == [f"{CIVIL}/rule12/b/6"]
    assert [citation.locator for citation in whole_citations("rule 404(b) fre")] == [f"{EVIDENCE}/rule404/b"]
