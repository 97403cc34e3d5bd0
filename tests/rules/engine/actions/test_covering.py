"""Every restricting rule covered by its quota."""

from dataclasses import replace

import pytest

from retrieval.models import Section
from retrieval.ranking import Ranking, Reason, RuleOptions
from rules.engine.actions.covering import CheckCoverage, CoverRules
from rules.engine.actions.effects import COVERS, because, rule_reason
from rules.thresholds.gates import Gates
from tests.rule_searches import ask, given, locators, restricting
from tests.rules.engine.compiled_rules import a_ranking, a_rule, sections_of


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
