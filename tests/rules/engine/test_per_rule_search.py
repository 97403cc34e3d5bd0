"""One search for every rule that restricts it, or one under all of them."""

import pytest

from retrieval.errors import NotRun
from retrieval.ranking import Ranking, RuleOptions
from rules.engine.actions.effects import covered_by
from rules.engine.per_rule_search import PerRuleSearch
from tests.rule_searches import ask, given, locators, restricting
from tests.rules.engine.compiled_rules import a_ranking, a_rule, sections_of


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
