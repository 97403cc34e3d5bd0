"""Sections that a question cites, and provisions that changed them."""

from dataclasses import replace
from datetime import date

import pytest

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.citations.citation import cite
from retrieval.citations.finding import find_citations
from retrieval.corpus import decided_cases, history
from retrieval.models import Anchor, Citation, Domain, Section
from retrieval.ranking import Query, Ranking
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, search
from retrieval.stages.citations import CitationRetriever, ResolveCitations, resolve
from tests.builders import a_case_file, a_document, a_domain, a_section, embedded
from tests.retrieval.pages.looking import look_for
from tests.retrieval.stages.leg_contract import LegContract

pytestmark = pytest.mark.django_db


def test_a_range_of_sections_has_all_that_stands_between_its_ends():
    title = a_document(Domain.objects.get(slug="us_code"), locator="/us/usc/t5", title="Title 5")
    for position, number in enumerate(("551", "552", "552a", "559", "561")):
        a_section(title, locator=f"/us/usc/t5/s{number}", position=position, text=f"Of agencies {number}.")
    answer = search(SearchRequest(text="5 U.S.C. §§ 551-559", domains=("us_code",)))
    assert [result["locator"][-4:].strip("s") for result in answer["results"]] == [
        "551",
        "552",
        "552a",
        "559",
    ]


def test_of_a_title_whose_section_is_not_here_the_first_sections_alone_are_candidates():
    title = a_document(Domain.objects.get(slug="us_code"), locator="/us/usc/t5", title="Title 5")
    root = a_section(title, locator="/us/usc/t5", level="title", is_result=False, is_leaf=False, position=0)
    for number in range(1, 121):
        place = {"locator": f"/us/usc/t5/s{number}", "parent_locator": "/us/usc/t5", "parent": root}
        a_section(title, **place, position=number, text=f"Of agencies {number}.")
    scopes, in_force = in_scope(ANONYMOUS, ("us_code",))
    question = "what does 5 U.S.C. § 99999 say"
    query = Query(question, question, question, "en", scopes, versions=in_force)
    ranking = CitationRetriever()(ResolveCitations()(Ranking(query)))
    assert len(ranking.candidates) == 100


def test_a_rule_of_court_is_answered_where_it_is_loaded_and_else_told_not_to_be_here():
    code, asked = Domain.objects.get(slug="us_code"), ("Fed. R. Civ. P. 6", "Fed. R. Civ. P. 99")
    a_section(a_document(code, locator="/us/usc/t28", title="Title 28"), locator="/us/usc/t28/s6", text="Of courts.")
    before = [search(SearchRequest(text=text, domains=("us_code",))) for text in asked]
    rules = a_document(code, locator="/us/usc/t28a", title="Title 28, Appendix")
    a_section(rules, locator="/us/usc/t28a/courtRules/Civil/rule6", level="courtRule", text="Computing time.")
    here, absent = (search(SearchRequest(text=text, domains=("us_code",))) for text in asked)
    assert [answer["unresolved"] for answer in (*before, here, absent)] == [*asked, None, asked[1]]
    assert [result["locator"] for result in here["results"]] == ["/us/usc/t28a/courtRules/Civil/rule6"]


class TestCitationRetriever(LegContract):
    leg = CitationRetriever()


def ask(text: str, **fields) -> dict:
    return search(SearchRequest(text=text, **fields))


def found(answer: dict) -> list[str]:
    return [result["locator"].removeprefix("/us/const/") for result in answer["results"]]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what changed the 12th amendment", ["amendment/XX/section/3", "amendment/XII"]),
        (
            "which amendment replaced how Article I section 3 chooses senators",
            ["amendment/XVII", "article/I/section/3"],
        ),
        ("qué enmienda derogó la 18", ["amendment/XXI/section/1", "amendment/XVIII"]),
        (
            "What changed Article I, section 2, clause 3?",
            ["amendment/XIV/section/2", "amendment/XVI", "article/I/section/2/clause/3"],
        ),
        ("was the 18th amendment repealed?", ["amendment/XXI/section/1", "amendment/XVIII"]),
        ("what did the 21st amendment repeal?", ["amendment/XVIII", "amendment/XXI"]),
        ("What did the 12th amendment change?", ["article/II/section/1/clause/3", "amendment/XII"]),
        (
            "¿Qué cambió la enmienda 17?",
            ["article/I/section/3/clause/1", "article/I/section/3/clause/2", "amendment/XVII"],
        ),
        ("¿Qué derogó la enmienda 18?", ["amendment/XXI/section/1", "amendment/XVIII"]),
    ],
)
def test_the_change_comes_first_and_then_what_is_cited(question, first):
    answer = ask(question)
    assert found(answer)[: len(first)] == first
    assert answer["confident"] and not answer["abstained"]


CHANGES = [change for change in history.changes() if change.provision.startswith("/us/const/")]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change.provision} by {change.by}")
def test_every_change_of_the_constitution_answers_what_did_it(change):
    results = ask(f"What changed {change.changed}?")["results"]
    by = next(result for result in results if result["locator"] == change.by)
    assert {
        "code": f"{change.effect}_it",
        "citation": change.changed,
        "year": change.day.year,
    } in by["reasons"]
    cited = next(result["rank"] for result in results if result["locator"] == change.provision)
    assert by["rank"] < cited


def test_parts_of_what_is_cited_say_that_they_were_changed():
    results = ask("what changed Article I section 3?")["results"]
    assert [result["reasons"][0]["code"] for result in results] == [
        "changed_it",
        "citation",
        "was_changed",
        "was_changed",
    ]


def test_what_nothing_changed_is_answered_like_any_question():
    answer = ask("What changed the 2nd amendment?")
    assert "amendment/II" in found(answer)
    assert len(answer["results"]) > 2


def test_changes_still_to_come_answer_nothing():
    assert found(ask("what changed the 12th amendment", as_of=date(1900, 1, 1)))[0] == "amendment/XII"


def test_the_page_says_why(client):
    assert (
        "It repealed U.S. Const. amend. XVIII in 1933." in look_for(client, "what repealed amendment 18").text
    )


@pytest.fixture
def labor_law():
    """Two sections of the ADEA among the US Code; gives the query of a text."""
    title = a_document(Domain.objects.get(slug="us_code"), locator="/us/usc/t29", title="Labor")
    for number in (621, 623):
        a_section(title, locator=f"/us/usc/t29/s{number}", citation=f"29 U.S.C. § {number}")

    def asked(text: str) -> Ranking:
        scopes, in_force = in_scope(ANONYMOUS, ["us_code"])
        cited = find_citations(text, asked=True)
        return Ranking(Query(text, text, text, "en", scopes, versions=in_force, citations=cited))

    return asked


def test_an_act_that_is_named_brings_its_first_section(labor_law):
    ranking = CitationRetriever()(labor_law("who is protected by the ADEA"))
    assert [candidate.scores for candidate in ranking.candidates] == [{"citation": 0.5}]
    assert ranking.candidates[0].reasons[0].values == {"act": "Age Discrimination in Employment Act"}


def test_a_section_of_an_act_comes_instead_of_its_first(labor_law):
    ranking = CitationRetriever()(labor_law("what does ADEA 4(a) forbid employers to do"))
    assert [candidate.scores for candidate in ranking.candidates] == [{"citation": 1.0}]


def test_a_letter_glued_to_a_section_may_be_its_subdivision(labor_law):
    query = labor_law("29 USC 623a").query
    assert [(place.section.locator, place.locator) for place in resolve(query, ["/us/usc/t29/s623a"])] == [
        ("/us/usc/t29/s623", "/us/usc/t29/s623/a")
    ]


@pytest.fixture
def decided(monkeypatch):
    """Some decisions among those of the Supreme Court."""
    domain = Domain.objects.get(slug="supreme_court_cases")
    for locator, name in (
        ("/us/scotus/410/113", "Roe v. Wade"),
        ("/us/scotus/384/436", "Miranda v. Arizona"),
        ("/us/scotus/597/215", "Dobbs v. Jackson"),
    ):
        document = a_document(domain, locator=locator, title=name)
        short, known = name.split()[0], {"level": "case", "heading": name, "citation": cite(locator)}
        a_section(document, "Facts.", locator=locator, plain_name=short, **known)
    monkeypatch.setattr(decided_cases, "_known", {})


@pytest.mark.parametrize("text", ["347 U.S. 483", "74 S. Ct. 686"])
def test_parallel_citations_lead_to_the_same_case(text):
    domain = Domain.objects.get(slug="supreme_court_cases")
    document = a_document(domain, locator="/us/scotus/347/483")
    case = a_section(document, "Facts.", locator=document.locator, level="case", citation="347 U.S. 483")
    opinions = a_section(document, locator=f"{document.locator}/opinion", level="opinion", parent=case)
    Anchor.objects.create(section=opinions, locator="/us/case/s-ct/74/686", level="parallel", start=0, end=0)
    (first, *_) = ask(text)["results"]
    assert (first["locator"], first["pin"]) == (case.locator, None)


def locators(answer: dict) -> list[str]:
    return [result["locator"] for result in answer["results"]]


@pytest.mark.parametrize(
    "text",
    [
        "roe v wade",
        "Roe contra Wade",
        "410us113",
        "410 U.S. at 163",
        "the case of Roe v. Wade",
        "Roe",
        "What did Roe decide?",
        "¿Qué decidió Roe?",
    ],
)
def test_a_case_is_answered_by_its_name_or_page(decided, text):
    assert locators(ask(text)) == ["/us/scotus/410/113"]


def test_a_private_document_is_not_hidden_by_a_decision_of_its_name(decided):
    scopes, in_force = in_scope(ANONYMOUS, ["supreme_court_cases"])
    scopes = (*scopes, replace(scopes[0], private=True))
    for text, final in (("Miranda", False), ("Miranda v. Arizona", True)):
        read = ResolveCitations()(Ranking(Query(text, text, text, "en", scopes, versions=in_force)))
        assert read.final == final


@pytest.mark.parametrize(
    "text",
    [
        "what overruled Roe v. Wade",
        "was Roe overruled?",
        "Is Roe v. Wade still good law?",
        "¿Qué anuló Roe contra Wade?",
        "¿Sigue vigente Roe contra Wade?",
    ],
)
def test_what_overruled_a_decision_comes_first(decided, text):
    assert locators(ask(text)) == ["/us/scotus/597/215", "/us/scotus/410/113"]


def test_what_a_decision_overruled_comes_before_it(decided):
    assert locators(ask("What did Dobbs overrule?")) == ["/us/scotus/410/113", "/us/scotus/597/215"]


@pytest.fixture
def on_counsel(decided):
    """Decisions that cite the Sixth Amendment, one of them by its opinion."""
    amendment = Section.objects.get(locator="/us/const/amendment/VI")
    due_process = Section.objects.get(locator="/us/const/amendment/XIV/section/1")
    for locator, cited in (("384/436", [amendment, due_process]), ("597/215", [amendment])):
        case = Section.objects.get(locator=f"/us/scotus/{locator}")
        for target in cited:
            made = {"target": target, "target_locator": target.locator, "text": "", "start": -1, "end": -1}
            Citation.objects.create(source=case, **made)


@pytest.mark.parametrize(
    "text",
    [
        "cases construing U.S. Const. amend. VI",
        "Sixth Amendment cases",
        "Which Supreme Court decisions interpret the Sixth Amendment?",
        "¿Qué casos interpretan la Enmienda VI?",
    ],
)
def test_who_asks_for_decisions_on_a_provision_gets_them_before_it(on_counsel, text):
    assert locators(ask(text)) == ["/us/scotus/597/215", "/us/scotus/384/436", "/us/const/amendment/VI"]
    assert locators(ask(text, domains=("supreme_court_cases",))) == ["/us/scotus/597/215", "/us/scotus/384/436"]


def test_who_asks_more_of_decisions_is_answered_by_what_is_likeliest(on_counsel):
    (first, *_) = ask("cases on the Sixth Amendment and appointed counsel for the poor")["results"]
    assert "cites" not in [reason["code"] for reason in first["reasons"]]


def test_a_question_that_names_a_decision_is_never_declined(decided):
    answer = ask("Was Miranda overruled?")
    assert locators(answer)[0] == "/us/scotus/384/436" and not answer["abstained"]


def test_a_page_of_another_reporter_leads_to_the_decision_that_it_is_in():
    domain = Domain.objects.get(slug="court_cases")
    for locator in ("/us/case/f3d/123/401", "/us/case/f3d/123/456", "/us/case/f3d/124/450"):
        a_section(a_document(domain, locator=locator), locator=locator, level="case", citation=cite(locator))
    assert locators(ask("123 F.3d at 459")) == ["/us/case/f3d/123/456"]
    assert ask("123 F.3d at 400")["unresolved"]


def test_a_case_named_in_a_question_is_a_candidate(decided):
    text = "what warnings does miranda v. arisona require"
    scopes, in_force = in_scope(ANONYMOUS, ["supreme_court_cases"])
    read = ResolveCitations()(Ranking(Query(text, text, text, "en", scopes, versions=in_force)))
    assert not read.final
    assert [citation.text for citation in read.query.citations] == ["miranda v. arisona"]
    assert [c.reasons[0].code for c in CitationRetriever()(read).candidates] == ["citation"]


def test_a_case_that_is_not_here_is_said_not_to_be(decided):
    answer = ask("Zamorano v. Saxophone")
    assert answer["unresolved"] == "Zamorano v. Saxophone"
    assert answer["abstained"]


def test_a_curated_name_of_a_case_that_is_not_here_still_answers(decided):
    answer = ask("marbury v. madison")
    assert answer["unresolved"] == "marbury v. madison"
    assert not answer["abstained"]


LEASE = "Lease Agreement of 2020"
ANA, BO = Caller(("user:71",)), Caller(("user:72",))


@pytest.fixture
def leases():
    """The locators of § 2 in two documents of one title, by whose they are."""
    found = {}
    for title, caller in ((LEASE, ANA), ("Sale", ANA), (LEASE, BO)):
        document = a_case_file(title, granted_to=caller)
        for number in ("2.1", "2"):
            place = {"number": number, "citation": f"{title}, § {number}"}
            section = a_section(document, f"§ {number} of the {LEASE}: pets are welcome.", **place)
            embedded(section)
        found |= {caller: section.locator} if title == LEASE else {}
    return found


@pytest.mark.parametrize("text", [f"{LEASE}, § 2", f"{LEASE.upper()} section 2", f"{LEASE.lower()} §2"])
def test_a_place_in_a_document_of_the_callers_is_its_answer(leases, text):
    for caller, locator in leases.items():
        answer = search(SearchRequest(text=text), caller)
        assert [result["locator"] for result in answer["results"]] == [locator]
    assert not {*leases.values()} & {*locators(ask(text))}


@pytest.fixture
def county_code():
    """Two sections of a document that a site made itself, in public."""
    domain = a_domain(slug="county_code", name="Marlow County Code", locator_prefix="/county_code")
    document = a_document(domain, locator="/county_code/t4", title="county-code-title-4")
    for number, text in (("4-11", "A dog at large is fined under 4-12."), ("4-12", "A loose dog is impounded.")):
        place = {"number": number, "locator": f"{document.locator}/{number}", "citation": f"t4, § {number}"}
        embedded(a_section(document, text, **place))
    return document


@pytest.mark.parametrize("text", ["county code sec. 4-12", "Sec. 4-12(b)", "county-code-title-4, § 4-12", "§ 4-12"])
def test_a_place_in_a_public_document_of_ones_own_is_its_answer(county_code, text):
    assert locators(ask(text)) == ["/county_code/t4/4-12"]


def test_a_place_of_ones_own_in_a_question_is_a_candidate(county_code):
    answer = ask("does county code sec. 4-12 let an officer take my dog")
    assert locators(answer)[0] == "/county_code/t4/4-12"


@pytest.mark.parametrize(
    "text", ["section 8", "article 1 section 8", "what does section 8 allow congress to do", "8 U.S.C. § 4-12"]
)
def test_real_law_is_no_place_of_ones_own(county_code, text):
    before = locators(ask(text))
    Section.objects.filter(locator="/county_code/t4/4-12").update(number="8")
    assert locators(search(SearchRequest(text=text), ANONYMOUS, fresh=True)) == before


def test_a_section_that_an_amendment_has_not_is_said_not_to_be():
    answer = ask("27th amendment section 3")
    assert answer["unresolved"] == "U.S. Const. amend. XXVII, § 3"
    assert found(answer) == ["amendment/XXVII"]


def test_a_section_that_a_document_of_ones_own_does_not_have_is_told_beside_the_nearest():
    domain = a_domain(slug="staff", name="Staff", locator_prefix="/staff")
    document = a_document(domain, locator="/staff/handbook", title="Staff Handbook")
    for position, number in enumerate(("1", "4", "4.1")):
        place = {"locator": f"/staff/handbook/{number}", "number": number, "citation": f"Staff Handbook, § {number}"}
        a_section(document, f"Of leave {number}.", position=position, **place)
    answer = search(SearchRequest(text="staff handbook § 4.7", domains=("staff",)))
    assert (answer["unresolved"], answer["abstained"]) == ("Staff Handbook, § 4.7", True)
    assert [each["locator"] for each in answer["near_misses"]] == ["/staff/handbook/4.1"]
    assert search(SearchRequest(text="staff handbook § 4.1", domains=("staff",)))["unresolved"] is None
