"""What a curator pins or excludes stays so, whatever the models, the cache and paging make of the rest."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arf_site import pipelines
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Section
from retrieval.pipeline import Pipeline
from retrieval.ranking import Ranking, Reason
from retrieval.request import SearchRequest
from retrieval.search import cache, service
from retrieval.stages.llm_verifier import permuted
from retrieval.stages.present import FindNotes, Present
from retrieval.stages.reranker.reranker import LearnedReranker
from rules import published
from rules.engine.actions.apply import ApplyRuleActions
from rules.models import Rule, compiled
from rules.thresholds.stages import Gates

pytestmark = pytest.mark.django_db
QUESTIONS = ("Can the police search my phone?", "who appoints judges", "zxqv wplk", "amend. V")
SECTIONS = 12  # provisions that rules name
scores = st.floats(0.0, 1.0)


@pytest.fixture
def places() -> list[str]:
    return list(
        Section.objects.live().results().order_by("pk").values_list("locator", flat=True)[::9][:SECTIONS]
    )


@st.composite
def rulebooks(draw) -> list[dict]:
    """A few rules: what each does, to which of the places, in which order."""
    kinds = st.sampled_from(
        [
            {"kind": "pin"},
            {"kind": "pin", "position": 3},
            {"kind": "exclude"},
            {"kind": "boost", "factor": 9.0},
            {"kind": "bury", "factor": 9.0},
        ]
    )
    places = st.lists(st.integers(0, SECTIONS - 1), min_size=1, max_size=3, unique=True)
    rule = st.fixed_dictionaries({"action": kinds, "places": places, "priority": st.integers(1, 5)})
    return draw(st.lists(rule, min_size=1, max_size=5))


def content(rule: dict, number: int, places: list[str]) -> dict:
    return {
        "name": f"rule {number}",
        "domains": [],
        "criteria": [{"kind": "always"}],
        "targets": [{"kind": "section", "value": places[n]} for n in rule["places"]],
        "actions": [rule["action"]],
        "priority": rule["priority"],
        "valid_from": None,
        "valid_to": None,
    }


def named(rules: list[dict], kind: str, places: list[str]) -> set[str]:
    return {places[n] for rule in rules if rule["action"]["kind"] == kind for n in rule["places"]}


@dataclass(frozen=True)
class Scored:
    """Stands for what models make of candidates: any scores, any gates' drops, any verdicts."""

    values: list[float]

    def __call__(self, ranking: Ranking) -> Ranking:
        scored = [
            c.but(
                score=self.values[n % len(self.values)],
                probability=self.values[n % len(self.values)],
                zone="uncertain",
            )
            for n, c in enumerate(ranking.candidates)
        ]
        ranking = ranking.with_candidates(scored)
        low = {c.section_id: Reason("behind_the_best") for c in ranking.candidates if c.probability < 0.2}
        kept = ranking.drop(low, Gates)
        every_other = range(0, len(kept.candidates), 2)
        turned = permuted(kept.candidates, every_other, {}, [1.0] * len(every_other))
        return replace(kept, candidates=tuple(reversed(turned)))


def check(found: list[str], rules: list[dict], places: list[str]) -> None:
    """Exclude beats pin; every pin is there once; the first pins stand at the top, as far as they are wanted there."""
    excluded = named(rules, "exclude", places)
    pinned = named(rules, "pin", places) - excluded
    assert not excluded & set(found)
    assert pinned <= set(found)
    assert len(found) == len(set(found))
    assert not pinned or {found.index(place) for place in pinned} <= set(range(len(pinned) + 4))


few = settings(max_examples=6)


@few
@given(
    rules=rulebooks(), values=st.lists(scores, min_size=1, max_size=20), question=st.sampled_from(QUESTIONS)
)
def test_pins_and_excludes_hold_whatever_models_say(places, rules, values, question):
    stages = []
    for stage in pipelines.default().stages:
        stages.append(stage)
        if isinstance(stage, Gates | LearnedReranker):
            stages.append(Scored(values))
    assert [type(stage) for stage in stages[-3:]] == [ApplyRuleActions, FindNotes, Present]
    trial = [compiled(content(rule, n, places), number=n, version=1) for n, rule in enumerate(rules, start=1)]
    scopes, in_force = service.in_scope(ANONYMOUS, ("us_constitution",))
    query = service.query_of(SearchRequest(question), ANONYMOUS, scopes, in_force)
    with published.as_if_these_rules(trial):
        ranking = Pipeline(*stages)(Ranking(query))
    check([candidate.locator for candidate in ranking.candidates], rules, places)


@few
@given(rules=rulebooks(), question=st.sampled_from(QUESTIONS), size=st.integers(25, 60))
def test_pins_and_excludes_hold_through_cache_and_paging(places, rules, question, size):
    Rule.objects.all().delete()
    for number, rule in enumerate(rules):
        says = content(rule, number, places)
        Rule.objects.create(**says, live=says, status=Rule.Status.PUBLISHED, version=1)
    pages = [all_pages(question, size), all_pages(question, size)]
    cache.answers.answers.clear()
    pages.append(all_pages(question, size))
    assert pages[0] == pages[1] == pages[2]
    check(pages[0], rules, places)


def all_pages(question: str, size: int) -> list[str]:
    found, page = [], 1
    while page:
        asked = SearchRequest(question, domains=("us_constitution",), k=size, page=page)
        answer = service.search(asked)
        found += [result["locator"] for result in answer["results"]]
        page = answer["next"]
    return found
