"""Which body of law a question is about, by what is known of each as soon as it is loaded."""

import numpy as np
import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.indexes import terms
from retrieval.indexes.centroids import Centroids
from retrieval.indexes.terms import NONE, Frequencies
from retrieval.models import Domain
from retrieval.pipeline import Pipeline, get
from retrieval.ranking import Ranking
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, query_of
from retrieval.stages.route import Route, nearness, of_words
from tests.builders import a_document, a_domain, a_section, embedded

pytestmark = pytest.mark.django_db

LEASE = (
    "Tenant shall pay a rent of $1,450 on the first of each month. A late fee of $75 applies after the fifth.",
    "No dog or cat may be kept in the apartment without the written consent of Landlord.",
    "Landlord repairs the roof, the pipes and the heating of the apartment.",
)


@pytest.fixture
def leases():
    document = a_document(a_domain(slug="leases", name="Leases"), title="Lease")
    embedded(*(a_section(document, text) for text in LEASE))
    terms.count_again()
    return document.domain


def routed(text: str) -> Ranking:
    stages = [part for stage in get("default").stages for part in getattr(stage, "stages", (stage,))]
    until = next(n for n, stage in enumerate(stages, start=1) if isinstance(stage, Route))
    query = query_of(SearchRequest(text), ANONYMOUS, *in_scope(ANONYMOUS))
    return Pipeline(*stages[:until])(Ranking(query))


def by_slug(ranking: Ranking) -> dict[str, float]:
    return {d.slug: ranking.query.routes[d.id] for d in ranking.query.domains if d.id in ranking.query.routes}


@pytest.mark.parametrize("text", ["when is the rent due", "may a dog live in the apartment", "who repairs the heating"])
def test_a_domain_that_was_just_loaded_is_asked_about_in_its_own_words(leases, text):
    found = by_slug(routed(text))
    assert found["leases"] > found["us_constitution"]


@pytest.mark.parametrize("text", ["how many senators has each state", "who may declare war"])
def test_the_law_is_asked_about_in_the_words_of_the_law(leases, text):
    found = by_slug(routed(text))
    assert found["us_constitution"] > found["leases"]


def test_a_body_whose_centres_are_not_known_is_as_near_as_the_others():
    """As between another embedder's coming and the next count."""
    one, empty = Centroids(np.eye(2, dtype=np.float32), np.ones(2)), Centroids(np.zeros((0, 0)), np.zeros(0))
    assert nearness(np.array([0.6, 0.8]), [one, None, empty]) == pytest.approx([0.8, 0.8, 0.8])
    assert nearness(None, [one, None]) == nearness(np.ones(2), [None, empty]) == [0.0, 0.0]


def test_probabilities_and_that_of_none_are_told_and_sum_to_one(leases):
    ranking = routed("when is the rent due")
    report = ranking.reports[-1]
    assert report.name == "Route" and report.note.startswith("leases ")
    assert 0 < sum(by_slug(ranking).values()) < 1
    assert sum(float(part.split()[-1]) for part in report.note.split(", ")) == pytest.approx(1, abs=0.011)


def test_a_cited_body_alone_is_asked_about(leases):
    found = by_slug(routed("does the Fourth Amendment forbid a landlord to search the apartment for a dog"))
    assert found["leases"] == 0 < found["us_constitution"]


def test_decisions_are_asked_too_where_law_is_cited_unless_law_is_named(leases):
    domain = Domain.objects.get(slug="supreme_court_cases")
    embedded(a_section(a_document(domain), "A dog at the door of a home is a search.", locator="/us/scotus/569/1"))
    terms.count_again()
    found = by_slug(routed("does the Fourth Amendment forbid a dog at the door"))
    assert found["leases"] == 0 < found["supreme_court_cases"]
    found = by_slug(routed("under the Constitution, does the Fourth Amendment forbid a dog at the door"))
    assert found["supreme_court_cases"] == 0 < found["us_constitution"]


@pytest.mark.parametrize(
    ("text", "named", "other"),
    [
        ("may a dog live there under the Constitution", "us_constitution", "leases"),
        ("what do the leases say of senators", "leases", "us_constitution"),
    ],
)
def test_a_named_body_alone_is_asked_about(leases, text, named, other):
    found = by_slug(routed(text))
    assert found[other] == 0 < found[named]


def test_nothing_is_weighed_where_one_body_of_law_is_loaded():
    ranking = routed("when is the rent due")
    assert not ranking.query.routes and ranking.reports[-1].status == "skipped"


def test_words_that_a_domain_has_and_others_lack_speak_for_it():
    words = np.array([1, 2, 3], np.uint32)
    rare = Frequencies(10, 5.0, words[:2], np.array([5, 1], np.int32))
    other = Frequencies(10, 5.0, words[1:2], np.array([1], np.int32))
    covered, rarity = of_words(words, [rare, other])
    assert covered[0] > covered[1] and rarity[0] > 0 > rarity[1]


def test_a_question_without_words_speaks_for_none():
    nothing = Frequencies(0, 0.0, NONE, NONE.astype(np.int32))
    assert [values.tolist() for values in of_words(NONE, [nothing])] == [[0], [0]]
