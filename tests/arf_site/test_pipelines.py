"""Every pipeline is written out in full: what a trace shows stands there, in its order."""

import re

import pytest

from arf_site import pipelines
from retrieval.access.caller import ANONYMOUS
from retrieval.answers import generation, meaning
from retrieval.pipeline import get
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, run, search
from retrieval.stages.present import FindNotes, Present
from retrieval.stages.query import Normalize
from retrieval.templatetags import law
from rules.engine.actions.apply import ApplyRuleActions
from tests.database import ROOT

INSIDE = ("legs", "actions", "stages", "corrections")  # of a stage: those that run in it


def names_of(*stages) -> set[str]:
    """Of the stages, and of those that run inside others."""
    names = set()
    for stage in stages:
        inside = [within for name in INSIDE for within in getattr(stage, name, ())]
        inside += [stage.search] if hasattr(stage, "search") else []
        names |= {type(stage).__name__} | names_of(*inside)
    return names


@pytest.mark.parametrize("name", pipelines.NAMES)
def test_a_pipeline_begins_with_the_plain_question_and_ends_with_the_page(name):
    first, *_, last = get(name).stages
    assert isinstance(first, Normalize) and isinstance(last, Present)


def test_rules_come_before_the_search_and_after_everything_else():
    for line in (pipelines.default(), pipelines.verified()):
        assert sum(isinstance(stage, ApplyRuleActions) for stage in line.stages) == 2
        assert isinstance(line.stages[-3], ApplyRuleActions)
        assert isinstance(line.stages[-2], FindNotes), "it adds no candidate"


def test_the_page_names_no_stage_that_does_not_exist():
    known = set().union(*(names_of(*get(name).stages) for name in pipelines.NAMES))
    assert set(law.DEGRADED) <= known | {generation.STAGE, meaning.RANKER}  # of an answer, which is no pipeline


@pytest.mark.django_db
@pytest.mark.parametrize("name", pipelines.NAMES)
def test_a_trace_shows_nothing_that_is_not_in_the_pipeline(name):
    answer = search(SearchRequest("who appoints judges", pipeline=name), fresh=True)
    assert {stage["name"] for stage in answer["stages"]} <= names_of(*get(name).stages)


@pytest.mark.django_db
def test_a_trace_of_a_search_that_looks_again_shows_nothing_that_is_not_in_the_pipeline():
    answer = search(SearchRequest("can the police search my phone", ("us_code",)), fresh=True)
    shown = {stage["name"] for stage in answer["stages"]}
    assert {"UntilSufficient", "Sufficient", "SearchEverywhere"} <= shown <= names_of(*get("default").stages)


def test_every_leg_keeps_to_the_contract_of_legs():
    held = {
        leg
        for path in (ROOT / "tests").rglob("test_*.py")
        for leg in re.findall(r"^class \w+\(LegContract\):\n    leg = (\w+)\(", path.read_text(), re.MULTILINE)
    }
    assert {type(leg).__name__ for name in pipelines.NAMES for leg in legs_of(*get(name).stages)} == held


def legs_of(*stages) -> list:
    """Of all the fusions among the stages and inside them."""
    inside = [within for stage in stages for within in (*getattr(stage, "stages", ()), getattr(stage, "search", None))]
    legs = [leg for stage in stages for leg in getattr(stage, "legs", ())]
    return [*legs, *(legs_of(*filter(None, inside)) if inside else ())]


@pytest.mark.django_db
def test_a_ranking_that_is_only_measured_reads_no_page():
    scopes, in_force = in_scope(ANONYMOUS, ("us_constitution",))
    ranking = run(SearchRequest("who appoints judges"), ANONYMOUS, scopes, in_force)
    assert ranking.shown == {}
    assert (ranking.reports[-1].name, ranking.reports[-1].status) == ("Present", "skipped")


@pytest.mark.django_db
def test_the_constitution_which_is_small_stays_in_the_learned_order():
    found = {}
    for name in ("learned", "gathered"):
        request = SearchRequest("full list of powers Congress was given", pipeline=name, k=100)
        found[name] = [result["locator"] for result in search(request, ANONYMOUS)["results"]]
    assert found["gathered"] == found["learned"]
