"""Gates in searches: what is dropped by a domain's thresholds, and what the trace says of it."""

import pytest

from retrieval.corpus.statements import current_versions
from retrieval.models import Domain
from retrieval.ranking import Candidate, Query, Ranking
from retrieval.request import SearchRequest
from retrieval.search.service import run, search, visible_domains
from rules import published
from rules.models import DomainThreshold
from rules.thresholds.gates import Gates
from rules.thresholds.publishing import publish


def a_candidate(number: int, probability: float | None) -> Candidate:
    return Candidate(number, domain_id=1, score=-number, probability=probability)


def test_a_final_ranking_passes():
    query = Query("a", "a", "a", "en", ())
    final = Ranking(query, (a_candidate(1, 0.0),), final=True)
    assert Gates()(final).candidates == final.candidates


# -- In a search


@pytest.fixture
def domain(db):
    return Domain.objects.get(slug="us_constitution")


def a_draft(domain: Domain, **changed) -> DomainThreshold:
    row = domain.thresholds.get(active=True)
    same = {"answer_minimum": row.answer_minimum, "calibration": row.calibration}
    return DomainThreshold(domain=domain, **same | {"reason": "a test", **changed})


def ranked(text: str) -> Ranking:
    scopes = visible_domains(Query("", "", "", "en", ()).caller, ["us_constitution"])
    return run(SearchRequest(text=text), Query("", "", "", "en", ()).caller, scopes, current_versions(scopes))


def test_a_search_drops_by_the_minimum_and_says_so_in_the_trace(domain):
    row = publish(a_draft(domain, minimum=0.1, answer_minimum=0.0))
    ranking = ranked("can the police search my car without a warrant")
    assert ranking.candidates
    assert all(c.probability >= 0.1 and c.gate for c in ranking.candidates)
    gone = [d for d in ranking.dropped if d.stage == "Gates"]
    assert gone and all(d.reason.values["version"] == row.version for d in gone)


def test_when_all_are_below_the_minimum_the_search_abstains_with_near_misses(domain):
    publish(a_draft(domain, minimum=0.999, verify=1.0, accept=1.0, confident=1.0))
    answer = search(SearchRequest(text="best pizza dough hydration"))
    assert answer["abstained"] and answer["near_misses"] and not answer["results"]


def test_the_shipped_thresholds_drop_nothing_at_the_gates(db):
    assert not [d for d in ranked("what is probable cause").dropped if d.stage == "Gates"]


def test_an_answer_says_whether_it_is_confident(domain):
    question = "can the police search my car without a warrant"
    publish(a_draft(domain, verify=0, accept=0, confident=0.0))
    assert search(SearchRequest(text=question))["confident"] is True
    publish(a_draft(domain, confident=1.0))
    assert search(SearchRequest(text=question))["confident"] is False
    assert search(SearchRequest(text="U.S. Const. amend. IV"))["confident"] is True


def test_names_less_alike_than_the_domain_asks_bring_nothing(domain):
    def cosines() -> list[float]:
        ranking = ranked("can my boss read the letters that I get")
        return sorted(c.scores["alias_near"] for c in ranking.candidates if "alias_near" in c.scores)

    publish(a_draft(domain, answer_minimum=0, alias_search=0.1))
    before = cosines()
    middle = before[len(before) // 2]
    publish(a_draft(domain, answer_minimum=0, alias_search=middle))
    assert cosines() == [cosine for cosine in before if cosine >= middle] != before
    publish(a_draft(domain, answer_minimum=0, alias_search=1.0))
    assert cosines() == []


def test_a_draft_is_in_force_only_inside_its_block(domain):
    draft = a_draft(domain, answer_minimum=0.9)
    with published.as_if_published(draft):
        assert published.thresholds(-1)[domain.pk] == published.thresholds_of(draft)
    assert published.thresholds(-1)[domain.pk].answer_minimum < 0.9
