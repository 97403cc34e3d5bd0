"""What rules do to the search."""

import pytest

from retrieval.errors import NotRun
from retrieval.models import Section
from retrieval.ranking import Ranking, RuleOptions
from rules.engine.actions.apply import covered_by
from rules.engine.actions.on_search import PerRuleSearch, put_by
from rules.models import compiled
from tests.rule_searches import (
    ALWAYS,
    FIFTH,
    FIRST,
    THIRD,
    ask,
    given,
    legs_of,
    locators,
    restricting,
    section,
)
from tests.rules.engine.compiled_rules import a_ranking, a_rule, sections_of

pytestmark = pytest.mark.django_db


def test_a_rewrite_is_searched_instead_and_told(rule):
    rule({"kind": "rewrite", "phrase": "flibbertigibbet", "text": "quartering of soldiers"})
    answer = ask("Tell me of the Flibbertigibbet")
    assert answer["rules"]["rewritten"] == "Tell me of the quartering of soldiers"
    assert locators(answer)[0] == THIRD


def test_rewrites_make_no_question_longer_than_one_may_be():
    """Ten that each put a hundred words for one would make a text that no memory holds."""
    text = "tax " * 60
    growing = compiled(
        {"name": "n", "domains": [], "criteria": ALWAYS, "targets": [], "priority": 1, "valid_from": None}
        | {"valid_to": None, "actions": [{"kind": "rewrite", "phrase": "tax", "text": text}] * 10},
        number=1,
        version=1,
    )
    assert put_by([growing] * 10, "a tax", "en") == f"a {text.strip()}"


def test_a_synonym_is_looked_for_besides(rule):
    rule({"kind": "synonym", "text": "quartered soldier"}, criteria=[{"kind": "keywords", "value": "billet"}])
    legs = legs_of("billet")
    assert "lexical" in legs[THIRD]


def test_a_restriction_leaves_nothing_else_and_not_too_little(rule):
    rule("restrict", targets=section("/us/const/article/III"))
    inside = Section.objects.live().results().below("/us/const/article/III").count()
    found = locators(ask("judges and courts", k=50))
    assert found and all(locator.startswith("/us/const/article/III/") for locator in found)
    assert ask("judges and courts", k=50, pipeline="default")["total"] == inside


def test_a_pin_outside_a_restriction_is_not_shown(rule):
    rule("restrict", targets=section("/us/const/article/III"))
    rule("pin", targets=section(FIRST, "/us/const/article/III/section/1"))
    assert FIRST not in locators(ask("judges and courts"))


def test_an_answer_by_citation_alone_keeps_to_rules_too(rule):
    rule("exclude", targets=section(f"{FIFTH}"))
    assert FIFTH not in locators(ask("amend. V"))
    rule("pin", targets=section(THIRD))
    assert locators(ask("amend. I"))[:2] == [THIRD, FIRST]


@pytest.mark.django_db
def test_rules_given_jointly_are_searched_at_once(rule):
    rules = given(restricting("/us/const/article/II"), restricting("/us/const/article/III"))
    found = locators(ask("the president", rules=rules, k=50))
    assert {place.split("/")[4] for place in found} == {"II", "III"}


SECTIONS = {"/a": (1, 2), "/b": (2, 3)}
EACH = RuleOptions(coverage="each")
RULES = tuple(a_rule(n, "restrict", targets=(place,)) for n, place in enumerate(SECTIONS, start=1))


class Within:
    """Stands for a search: finds the sections of what it is restricted to, or all."""

    def __call__(self, ranking: Ranking) -> Ranking:
        include = ranking.query.include
        places = SECTIONS if include is None else [part.value for part in include.parts]
        found = dict.fromkeys(section for place in places for section in SECTIONS[place])
        return ranking.with_candidates(a_ranking(*found).candidates)


class Failing:
    def __call__(self, ranking: Ranking) -> Ranking:
        raise NotRun("nobody is there")


def test_each_rule_has_its_own_search_and_a_section_of_both_stands_once():
    ranking = PerRuleSearch(Within())(a_ranking(fired=RULES, rules=EACH))
    assert sorted(sections_of(ranking)) == [1, 2, 3]
    assert {c.section_id: covered_by(c) for c in ranking.candidates} == {1: {1}, 2: {1, 2}, 3: {2}}
    assert [report.name for report in ranking.reports] == ["Within", "Within"]


@pytest.mark.parametrize(
    ("fired", "rules"), [((), EACH), (RULES, RuleOptions()), ((a_rule(1, "pin"),), EACH)]
)
def test_else_there_is_one_search(fired, rules):
    ranking = PerRuleSearch(Within())(a_ranking(fired=fired, rules=rules))
    assert sections_of(ranking) == [1, 2, 3] and ranking.details["skipped"]


def test_a_search_that_did_not_run_is_told_once():
    ranking = PerRuleSearch(Failing())(a_ranking(fired=RULES, rules=EACH))
    assert ranking.degraded == ("Failing",) and len(ranking.reports) == 2
