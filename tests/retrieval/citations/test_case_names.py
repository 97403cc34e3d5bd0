"""Cases by their names, in the forms people write."""

import time

import pytest

from retrieval.citations.case_names import CaseNames
from retrieval.citations.citation import Source
from retrieval.citations.finding import find_citations, named_case, whole_citations

NAMES = CaseNames(
    [
        ("/us/scotus/5/137", "Marbury v. Madison", ["Marbury"]),
        ("/us/scotus/347/483", "Brown v. Board of Education of Topeka", ()),
        ("/us/scotus/349/294", "Brown v. Board of Education of Topeka", ()),
        ("/us/scotus/372/335", "Gideon v. Wainwright", ()),
        ("/us/scotus/376/254", "New York Times Company v. Sullivan", ()),
        ("/us/scotus/384/436", "Miranda v. Arizona", ()),
        ("/us/scotus/387/1", "In re Gault", ()),
        ("/us/scotus/410/113", "Roe v. Wade", ()),
        ("/us/scotus/467/837", "Chevron U. S. A. Inc. v. Natural Resources Defense Council, Inc.", ()),
        ("/us/scotus/505/833", "Planned Parenthood of Southeastern Pennsylvania v. Casey", ()),
        ("/us/scotus/514/549", "United States v. Lopez", ()),
    ]
)


def named(text):
    return [item.locator for found in NAMES.find(Source.of(text)) for item in found.items]


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("marbury vs madison", "/us/scotus/5/137"),
        ("the Marbury case", "/us/scotus/5/137"),
        ("brown v. board", "/us/scotus/347/483"),
        ("Brown versus the Board of Education", "/us/scotus/347/483"),
        ("gideon v. wainright", "/us/scotus/372/335"),
        ("NYT v Sullivan", "/us/scotus/376/254"),
        ("el caso Miranda contra Arizona", "/us/scotus/384/436"),
        ("in re gault", "/us/scotus/387/1"),
        ("what did roe v wade say about privacy", "/us/scotus/410/113"),
        ("chevron v nrdc", "/us/scotus/467/837"),
        ("Planned Parenthood vs Casey", "/us/scotus/505/833"),
        ("us v lopez", "/us/scotus/514/549"),
        ("U.S. v. López", "/us/scotus/514/549"),
    ],
)
def test_a_case_is_found_by_its_name(text, locator):
    assert named(text) == [locator]


@pytest.mark.parametrize(
    "text",
    [
        "Kramer vs. Kramer",
        "Alien v Predator",
        "brown vs green paint",
        "Roe",
        "v.",
        "roe v",
        "v wade",
        "Brown v. Casey",
    ],
)
def test_what_only_looks_like_one_is_none(text):
    assert named(text) == []


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("Wade v. Roe", "410/113"),
        ("sullivan v new york times", "376/254"),
        ("Arizona v. Miranda", "384/436"),
        ("Madison v. Marbury", "5/137"),
        ("Roe v. Wade", "410/113"),
        ("Board v. Madison", ""),
    ],
)
def test_parties_are_read_the_other_way_round_in_questions_alone(text, locator):
    turned = [c.locator for c in find_citations(text, asked=True, names=NAMES)]
    assert turned == ([f"/us/scotus/{locator}"] if locator else [])
    assert text == "Roe v. Wade" or not named(text) and not whole_citations(text, names=NAMES)


def test_a_state_and_anybody_the_other_way_round_may_be_another_case():
    names = CaseNames(
        [("/us/scotus/491/397", "Texas v. Johnson", ()), ("/us/scotus/21/543", "Johnson v. M'Intosh", ())]
    )
    assert not find_citations("Johnson v. Texas", asked=True, names=names)


OTHERWISE = CaseNames(
    [
        ("/us/scotus/83/130", "Bradwell v. State", ["Bradwell", "Bradwell v. Illinois"]),
        ("/us/scotus/245/366", "Selective Draft Law Cases", ["Arver v. United States"]),
        ("/us/scotus/262/447", "Massachusetts v. Mellon", ["Frothingham v. Mellon"]),
        ("/us/scotus/347/483", "Brown v. Board of Education of Topeka", ["Brown v. Board"]),
        ("/us/scotus/349/294", "Brown v. Board of Education of Topeka", ["Brown v. Board of Education II"]),
        ("/us/scotus/357/449", "National Association for the Advancement of Colored People v. Patterson",
         ["NAACP v. Alabama"]),
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("NAACP v. Alabama", "/us/scotus/357/449"),
        ("naacp v patterson", "/us/scotus/357/449"),
        ("Bradwell v. Illinois", "/us/scotus/83/130"),
        ("Frothingham v. Mellon", "/us/scotus/262/447"),
        ("arver v united states", "/us/scotus/245/366"),
        ("Brown v. Board of Education II", "/us/scotus/349/294"),
        ("Brown v. Board of Education", "/us/scotus/347/483"),
        ("brown v board", "/us/scotus/347/483"),
    ],
)
def test_a_case_is_found_by_another_name_of_its_parties(text, locator):
    assert [found.items[0].locator for found in OTHERWISE.find(Source.of(text))] == [locator]


def test_a_party_of_two_names_of_a_case_is_of_one_case():
    (found,) = OTHERWISE.by_party(Source.of("What was the Mellon case about?"))
    assert found.items[0].locator == "/us/scotus/262/447"


SHORT = CaseNames(
    [
        ("/us/scotus/88/162", "Minor v. Happersett", ["Minor"]),
        ("/us/scotus/388/1", "Loving v. Virginia", ["Loving"]),
        ("/us/scotus/514/549", "United States v. Lopez", ["Lopez"]),
        ("/us/scotus/567/1", "Martin v. Garland", ["Martin", "Garland"]),
    ]
)


@pytest.mark.parametrize(
    "text",
    [
        "is shoplifting a minor case",
        "the Lopez case worker",
        "my wife made a loving decision",
        "my Lopez case",
        "el caso de Lopez mi esposo",
        "Judge Martin ruling",
        "attorney general Garland decision",
    ],
)
def test_an_ordinary_word_or_a_person_is_no_case(text):
    assert not list(SHORT.find(Source.of(text)))


@pytest.mark.parametrize(
    "text", ["the loving case", "loving case virginia", "what did the Loving decision change", "el caso de Lopez",
             "what did the loving case change", "the lopez decision and guns near schools"],
)  # fmt: skip
def test_a_short_name_is_read_with_its_capital_and_without(text):
    assert len(list(SHORT.find(Source.of(text)))) == 1


PARTIES = CaseNames(
    [
        ("/us/scotus/343/579", "Youngstown Sheet & Tube Co. v. Sawyer", ()),
        ("/us/scotus/323/134", "Skidmore v. Swift & Co.", ()),
        ("/us/scotus/388/1", "Loving v. Virginia", ()),
        ("/us/scotus/434/106", "Pennsylvania v. Mimms", ()),
        ("/us/scotus/491/397", "Texas v. Johnson", ()),
        ("/us/scotus/21/543", "Johnson v. M'Intosh", ()),
        ("/us/scotus/528/152", "Martinez v. Court of Appeal of California", ()),
        ("/us/scotus/290/398", "Home Building & Loan Association v. Blaisdell", ()),
        ("/us/scotus/1/1", "Best v. Case", ()),
        ("/us/scotus/1/2", "Burden v. Young", ()),
    ]
)


@pytest.mark.parametrize(
    ("text", "locator"),
    [
        ("what is the Skidmore case about", "323/134"),
        ("the Youngstown Sheet & Tube decision", "343/579"),
        ("¿De qué trata el caso Youngstown?", "343/579"),
        ("Was Skidmore overruled?", "323/134"),
        ("police orders under the Mimms ruling", "434/106"),
        ("the Home Building holding on contracts", "290/398"),
        ("What if the Young case was decided", "1/2"),
        ("the Skidmore v. Swift case", ""),  # by both parties
    ],
)
def test_a_case_is_called_by_the_name_of_a_party_that_it_alone_has(text, locator):
    found = [item.locator for one in PARTIES.by_party(Source.of(text)) for item in one.items]
    assert found == ([f"/us/scotus/{locator}"] if locator else [])


@pytest.mark.parametrize(
    "text",
    [
        "the Johnson case", "the Virginia case", "the Court of Appeals decision", "the skidmore case", "Skidmore",
        "Loving case law", "What did Skidmore decide to buy?", "Swift said in the Home case",
        "in the Best case scenario what happens", "in the Best case", "What if the Young case worker",
        "the Young case manager", "the Young case-law", "the Skidmore decision makers",
        "the Association decision", "my Skidmore case", "in the Sheet & Tube case", "Judge Mimms ruled in the case",
    ],
)  # fmt: skip
def test_what_several_cases_have_or_anybody_may_be_called_names_none(text):
    assert not list(PARTIES.by_party(Source.of(text)))


def test_a_party_makes_no_whole_query_and_nothing_in_a_running_text():
    assert whole_citations("the Skidmore case", names=PARTIES) == ()
    assert len(find_citations("the Skidmore case", asked=True, names=PARTIES)) == 1
    assert not list(PARTIES.find(Source.of("So it was held in the Skidmore case.")))


def test_a_name_is_read_where_no_reporter_is():
    both = find_citations("Roe v. Wade, 410 U.S. 113", names=NAMES)
    assert [citation.text for citation in both] == ["410 U.S. 113"]
    assert [c.locator for c in whole_citations("roe v wade", names=NAMES)] == ["/us/scotus/410/113"]
    assert whole_citations("roe v wade and privacy", names=NAMES) == ()


def test_a_query_that_is_a_name_alone():
    assert named_case("the case of Smith vs. Jones?") == "Smith v. Jones"
    assert named_case("smith against jones") == ""


@pytest.mark.parametrize("text", ["violencia contra la mujer", "IRS lien versus levy, what is safe", "bail vs bond"])
def test_what_is_compared_or_done_to_somebody_is_no_case(text):
    assert named_case(text) == ""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("smith v jones", "smith v. jones"),
        ("de Blasio vs Trump", "de Blasio v. Trump"),
        ("caso Roe contra Wade", "caso Roe v. Wade"),
    ],
)
def test_a_case_is_named_by_v_or_by_capitals(text, name):
    assert named_case(text) == name


def test_many_names_are_read_quickly():
    many = CaseNames((f"/us/scotus/{n}/1", f"United States v. Party{n}", ()) for n in range(1, 3001))
    assert [found.items[0].locator for found in many.find(Source.of("US v. Party77"))] == ["/us/scotus/77/1"]
    for text in ("united states v. united states " * 100, "v " * 2000, "a v b " * 600):
        start = time.process_time()
        list(many.find(Source.of(text)))
        assert time.process_time() - start < 2


def test_names_added_to_others_are_found_as_if_all_had_been_read_at_once():
    names = [("/us/scotus/410/113", "Roe v. Wade", ["Roe"]), ("/us/scotus/384/436", "Miranda v. Arizona", [])]
    first = CaseNames(names[:1])
    both, at_once = CaseNames(names[1:], before=first), CaseNames(names)
    assert both.by_word == at_once.by_word and both.slips == at_once.slips
    assert both.cases == at_once.cases and both.short == at_once.short
    assert not list(first.find(Source.of("miranda v arizona"))), "what was known before is as it was"
