"""What rules do to the results."""

from dataclasses import replace
from datetime import date

import pytest

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_caller
from retrieval.models import Section
from retrieval.ranking import Candidate, Ranking, Reason, RuleOptions
from retrieval.targets import Part, Selection
from rules.engine.actions.apply import COVERS, because, rule_reason
from rules.engine.actions.on_results import (
    CheckCoverage,
    CoverRules,
    CreditAliases,
    DropExcluded,
    RuleAliasRetriever,
)
from rules.thresholds.stages import Gates
from tests.builders import a_case_file, a_chunk, a_document, a_domain, a_section, embedded
from tests.retrieval.stages.leg_contract import LegContract
from tests.rule_searches import (
    FIFTH,
    FIRST,
    QUESTION,
    THIRD,
    ask,
    fired,
    given,
    legs_of,
    locators,
    restricting,
    section,
)
from tests.rules.engine.compiled_rules import a_ranking, a_rule, sections_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("target", "clauses"),
    [
        ({"kind": "filename", "value": "lease.pdf"}, {0, 1, 2}),
        ({"kind": "filename", "value": "lease.pdf", "pages": "3"}, {1, 2}),
        ({"kind": "filename", "value": "lease.pdf", "pages": "1-2"}, {0, 1}),
        ({"kind": "filename", "value": "lease.pdf", "pages": [1]}, {0}),
        ({"kind": "tag", "value": "lease"}, {0, 1, 2}),
        ({"kind": "metadata", "key": "party", "value": "acme"}, {0, 1, 2}),
        ({"kind": "metadata", "key": "party", "comparison": "contains", "value": "cm"}, {0, 1, 2}),
        ({"kind": "metadata", "key": "year", "comparison": "at_least", "value": 2024}, {0, 1, 2}),
        ({"kind": "metadata", "key": "year", "comparison": "at_most", "value": 2024.5}, {0, 1, 2}),
        ({"kind": "metadata", "key": "year", "value": 2024}, {0, 1, 2}),
        ({"kind": "pages", "pages": "1-2"}, {0, 1}),
        ({"kind": "heading", "value": "late payments"}, {1, 2}),
        ({"kind": "heading", "value": "late PAYMENTS"}, {1, 2}),
        ({"kind": "heading", "value": "indemnización"}, {0}),
        ({"kind": "heading", "value": "indemnizacion"}, {0}),
        ({"kind": "heading", "value": "fee"}, {2}),
    ],
)
def test_a_target_names_its_part_of_the_corpus(contract, rule, target, clauses):
    document, sections = contract
    rule("restrict", targets=[target])
    found = locators(ask("the tenant's rent", domains=(document.domain.slug,)))
    assert set(found) == {sections[n].locator for n in clauses}


def test_a_document_and_chunks_can_be_targets(contract, rule):
    document, sections = contract
    chunk = sections[1].chunks.get()
    rule("pin", targets=[{"kind": "chunk", "value": [chunk.pk]}])
    rule("exclude", targets=[{"kind": "document", "value": document.locator, "pages": "1"}])
    found = locators(ask("who pays", domains=(document.domain.slug,)))
    assert found[0] == sections[1].locator and sections[0].locator not in found


def test_what_cites_a_section_can_be_a_target(rule):
    from retrieval.models import Citation

    cited = Citation.objects.filter(source__live=True, source__valid_to=None, target__isnull=False).first()
    made = rule("pin", targets=[{"kind": "cites", "value": cited.target_locator}])
    citing = Section.objects.filter(citations_made__target_locator=cited.target_locator)
    assert locators(ask(QUESTION))[0] in set(citing.values_list("locator", flat=True)), made


def test_the_definitions_a_section_uses_can_be_a_target(rule, contract):
    from retrieval.models import Citation

    document, sections = contract
    Section.objects.filter(pk=sections[2].pk).update(heading="Definitions")
    Citation.objects.create(
        source=sections[0], target=sections[2], target_locator=sections[2].locator, text="2", start=0, end=1
    )
    rule("restrict", targets=[{"kind": "definitions", "value": sections[0].locator}])
    assert locators(ask("rent", domains=(document.domain.slug,))) == [sections[2].locator]


def test_a_new_tag_is_seen_by_the_next_search(contract, rule):
    document, sections = contract
    other = a_document(document.domain, tags=["lease"])
    embedded(a_section(other, "The guest pays nothing."))
    rule("restrict", targets=[{"kind": "tag", "value": "lease"}])
    domains = (document.domain.slug,)
    assert len(locators(ask("who pays rent", domains=domains))) == 4
    other.tags = []
    other.save()
    assert len(locators(ask("who pays rent", domains=domains))) == 3


def test_a_target_lies_in_the_domains_of_its_rule(contract, rule):
    document, sections = contract
    other = a_document(a_domain(), tags=["lease"])
    (elsewhere,) = embedded(a_section(other, "Whoever rents pays."))
    rule("exclude", targets=[{"kind": "tag", "value": "lease"}], domains=[document.domain.slug])
    answer = ask("who pays rent", domains=(document.domain.slug, other.domain.slug))
    assert len(fired(answer)) == 1 and locators(answer) == [elsewhere.locator]


class TestRuleAliasRetriever(LegContract):
    leg = RuleAliasRetriever()


def test_an_alias_brings_its_provision(rule):
    rule("alias", targets=section(THIRD), criteria=[{"kind": "keywords", "value": "billet"}])
    legs = legs_of("the billet question")
    assert legs[THIRD]["rule"] == 1


RULE = a_rule(1, "exclude")


@pytest.fixture
def chunks():
    """The two chunks of a section, and the one of another."""
    document = a_document(a_domain())
    long, short = a_section(document, "The tenant pays."), a_section(document, "The guest does not.")
    return a_chunk(long), a_chunk(long, position=1), a_chunk(short)


def dropped_from(chunks, *hidden):
    exclude = Selection((Part("chunk", chunks=tuple(chunk.pk for chunk in hidden)),))
    ranking = a_ranking(fired=(RULE,), exclude=exclude)
    found = tuple(Candidate(chunk.section_id, chunk_id=chunk.pk) for chunk in (chunks[0], chunks[2]))
    return DropExcluded()(ranking.with_candidates(found))


def test_a_section_without_a_chunk_left_is_dropped_and_says_by_which_rule(chunks):
    ranking = dropped_from(chunks, chunks[2])
    assert sections_of(ranking) == [chunks[0].section_id]
    (gone,) = ranking.dropped
    assert (gone.reason.code, gone.reason.values["rule"]) == ("rule_exclude", 1)


def test_a_section_of_which_a_chunk_is_left_is_shown_by_that(chunks):
    ranking = dropped_from(chunks, chunks[0])
    assert [c.chunk_id for c in ranking.candidates] == [chunks[1].pk, chunks[2].pk]


def test_bury_lowers_what_would_be_first(rule):
    first = locators(ask(QUESTION))[0]
    rule({"kind": "bury", "factor": 100}, targets=section(first))
    assert locators(ask(QUESTION))[0] != first


def test_a_boost_raises_what_its_targets_reach_and_nothing_else(rule):
    *_, last = before = locators(ask(QUESTION))
    rule({"kind": "boost", "factor": 100}, targets=section(last))
    assert locators(ask(QUESTION)) == [last, *before[:-1]]


@pytest.mark.django_db
def test_each_rule_is_covered_by_its_quota():
    places = ("/us/const/article/II", "/us/const/article/III", "/us/const/amendment/XXVI")
    rules = [restricting(place) for place in places]
    answer = ask("Who is the commander in chief?", rules=given(*rules, coverage="each", quota=2), k=6)
    found = locators(answer)
    for place in places:
        below = Section.objects.live().results().below(place).count()
        assert sum(f"{p}/".startswith(f"{place}/") for p in found) >= min(2, below)
    assert len(found) == len(set(found))
    assert answer["rules"]["uncovered"] == []


EACH = RuleOptions(coverage="each")
ONE, OTHER = (a_rule(n, "restrict", targets=("/a",)) for n in (1, 2))


def found_for(*rules) -> Ranking:
    """Three candidates, of which these rules' searches found the last one each."""
    ranking = a_ranking(1, 2, 3, fired=(ONE, OTHER), rules=EACH)
    covering = zip(reversed(ranking.candidates), rules, strict=False)
    covered = [because(candidate, rule_reason(rule, COVERS)) for candidate, rule in covering]
    return ranking.with_candidates([*ranking.candidates[: -len(rules)], *covered])


def test_what_covers_a_rule_comes_first_even_if_thresholds_dropped_it():
    ranking = found_for(ONE, OTHER).drop({2: Reason("below_minimum")}, Gates)
    covered = CoverRules()(replace(ranking, abstained=True))
    assert sections_of(covered) == [3, 2, 1]
    assert covered.dropped == () and not covered.abstained


def test_rules_with_fewer_results_than_their_quota_are_told():
    ranking = CheckCoverage()(found_for(ONE))
    assert ranking.curated["uncovered"] == [{"rule": 2, "results": 0, "quota": 1}]


@pytest.mark.parametrize("stage", [CoverRules(), CheckCoverage()])
def test_whoever_does_not_ask_for_coverage_gets_the_order_found(stage):
    ranking = stage(a_ranking(1, 2, fired=(ONE,)))
    assert sections_of(ranking) == [1, 2] and ranking.details["skipped"]


def test_a_pin_stands_at_its_place_and_says_why(rule):
    rule({"kind": "pin", "position": 2}, targets=section(THIRD), name="quartering")
    answer = ask(QUESTION)
    assert locators(answer)[1] == THIRD and fired(answer) == ["quartering"]
    assert {"code": "rule_pin", "name": "quartering"}.items() <= answer["results"][1]["reasons"][-1].items()


def test_priority_then_age_decides_who_is_pinned_first(rule):
    rule("pin", targets=section(FIRST))
    rule("pin", targets=section(THIRD))
    rule("pin", targets=section(FIFTH), priority=1)
    assert locators(ask(QUESTION))[:3] == [FIFTH, FIRST, THIRD]


FOURTEENTH = "/us/const/amendment/XIV"


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("who is a citizen of the United States by birth", 1),
        ("may a rebel who broke his oath hold office", 3),
        ("is the debt of the rebellion void", 4),
    ],
)
def test_an_amendment_is_pinned_once_by_the_section_that_answers_best(rule, question, number):
    def of_amendment(answer):
        return [place for place in locators(answer) if place.startswith(f"{FOURTEENTH}/")]

    before = ask(question)
    assert of_amendment(before)[0] == f"{FOURTEENTH}/section/{number}"
    rule("pin", targets=section(FOURTEENTH))
    after = ask(question)
    assert locators(after)[0] == f"{FOURTEENTH}/section/{number}"
    assert set(of_amendment(after)) <= set(of_amendment(before))


def test_an_amendment_that_the_search_does_not_find_is_pinned_by_its_first_section(rule):
    question = "zxqv wplk"
    rule("pin", targets=section(FOURTEENTH), criteria=[{"kind": "exact", "value": question}])
    assert locators(ask(question)) == [f"{FOURTEENTH}/section/1"]


def test_sections_that_are_named_themselves_are_pinned_each(rule):
    named = [f"{FOURTEENTH}/section/{number}" for number in (2, 5)]
    rule("pin", targets=section(*named, FOURTEENTH))
    assert set(named) <= set(locators(ask("is the debt of the rebellion void"))[:3])


def test_a_pin_answers_where_the_search_would_abstain(rule):
    question = "zxqv wplk"
    assert ask(question)["abstained"]
    rule("pin", targets=section(THIRD), criteria=[{"kind": "exact", "value": question}])
    answer = ask(question)
    assert locators(answer) == [THIRD] and not answer["abstained"] and answer["near_misses"] == []


def test_a_pin_shows_only_what_this_caller_could_have_found(rule):
    lawyer, stranger = Caller(("user:901",)), Caller(("user:902",))
    document = a_case_file("Doe", "The tenant fled.", granted_to=lawyer)
    with as_caller(lawyer):
        rule("pin", targets=[{"kind": "document", "value": document.locator}], caller=lawyer)
    secret = document.locator
    assert locators(ask("who fled", lawyer, domains=()))[0].startswith(secret)
    for caller in (stranger, ANONYMOUS):
        assert not [
            place for place in locators(ask("who fled", caller, domains=())) if place.startswith(secret)
        ]
    assert not [place for place in locators(ask("who fled", lawyer)) if place.startswith(secret)]


def test_a_pin_does_not_show_what_was_not_in_force_on_the_day(rule):
    rule("pin", targets=section(THIRD))
    Section.objects.filter(locator=THIRD).update(valid_from="1791-12-15")
    assert THIRD not in locators(ask(QUESTION, as_of=date(1790, 1, 1)))


def test_a_token_budget_drops_by_priority_and_says_what():
    rules = [
        restricting("/us/const/article/II", priority=2),
        restricting("/us/const/amendment/XXVI", priority=1),
    ]
    answer = ask("vote", rules=given(*rules, coverage="each", token_budget=130), k=50)
    assert locators(answer)[0].startswith("/us/const/amendment/XXVI")
    assert answer["rules"]["withheld"]
    assert set(locators(answer)).isdisjoint(row["locator"] for row in answer["rules"]["withheld"])


def test_a_note_and_a_redirect_are_part_of_the_answer(rule):
    rule({"kind": "note", "text": "Ask a lawyer."}, {"kind": "redirect", "locator": FIRST})
    told = ask(QUESTION)["rules"]
    assert [note["text"] for note in told["notes"]] == ["Ask a lawyer."]
    assert told["redirect"]["url"] == f"/law{FIRST}"


def test_no_redirect_leads_away_from_hotlines(rule):
    rule({"kind": "redirect", "locator": FIRST})
    told = ask(f"I want to kill myself, please help. {QUESTION}?")
    assert told["notice"]["code"] == "crisis" and told["rules"]["redirect"] is None


def test_an_alias_is_credited_if_its_provision_stands_on_the_first_page():
    rules = (a_rule(1, "alias"), a_rule(2, "alias"))
    found = [
        Candidate(n, score=-n, reasons=(Reason("rule_alias", {"rule": 1 + n // 10}),)) for n in range(20)
    ]
    ranking = CreditAliases()(a_ranking(fired=rules).with_candidates(found))
    assert ranking.curated["changed"] == [1]


def test_abstention_that_a_rule_requires_beats_pins(rule):
    rule("abstain")
    rule("pin", targets=section(THIRD))
    answer = ask(QUESTION)
    assert answer["abstained"] and answer["results"] == []
    assert answer["near_misses"][0]["locator"] == THIRD
