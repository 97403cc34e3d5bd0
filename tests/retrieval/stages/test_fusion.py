"""Reciprocal rank fusion: exact values, order, ties, legs that cannot run."""

from dataclasses import replace

import pytest

from retrieval.access.caller import ANONYMOUS
from retrieval.errors import NotRun
from retrieval.models import Section
from retrieval.ranking import Candidate, DomainScope, Query, Ranking, Reason
from retrieval.stages.fusion import Fuse, fold, merge, ranking_of, reciprocal_rank, texts_by_language

pytestmark = pytest.mark.django_db


class Leg:
    """A leg that finds these sections in this order."""

    def __init__(self, *found: int, weight: float = 1.0, fails: bool = False):
        self.found, self.weight, self.fails = found, weight, fails

    def __call__(self, ranking: Ranking) -> Ranking:
        if self.fails:
            raise NotRun("out of order")
        rows = ((section, section * 10, 1.0 / rank) for rank, section in enumerate(self.found, start=1))
        return Ranking(ranking.query, tuple(fold(f"leg{id(self)}", rows, k=100)))


@pytest.fixture
def sections():
    return list(Section.objects.live().results().order_by("pk")[:60])


@pytest.fixture
def query(sections):
    scope = DomainScope(sections[0].domain_id, "us_constitution", 1, False, ("en",))
    return Query("q", "q", "q", "en", (scope,), ANONYMOUS)


def scores(query: Query, *legs: Leg) -> dict[int, float]:
    return {c.section_id: c.score for c in Fuse(*legs)(Ranking(query)).candidates}


def test_ranks_are_one_based_and_what_a_leg_lacks_adds_nothing(query, sections):
    a, b = sections[0].pk, sections[1].pk
    fused = scores(query, Leg(a, b), Leg(a))
    assert fused[a] == pytest.approx(2 / 61)
    assert fused[b] == pytest.approx(1 / 62)


def test_first_and_fiftieth_make_one_sixty_first_and_one_hundred_tenth(query, sections):
    ids = [section.pk for section in sections[:50]]
    fused = scores(query, Leg(*ids), Leg(ids[-1], *ids[:-1]))
    assert fused[ids[-1]] == pytest.approx(1 / 61 + 1 / 110)
    assert reciprocal_rank(50, 60) == 1 / 110


def test_the_order_of_legs_changes_nothing(query, sections):
    first, second = Leg(sections[0].pk, sections[1].pk), Leg(sections[1].pk, sections[2].pk)
    assert scores(query, first, second) == pytest.approx(scores(query, second, first))


def test_ties_are_broken_by_id(query, sections):
    a, b = sections[0].pk, sections[1].pk
    ranking = Fuse(Leg(b), Leg(a))(Ranking(query))
    assert [c.section_id for c in ranking.candidates] == [a, b]


def test_a_leg_that_cannot_run_leaves_the_others_and_is_reported(query, sections):
    ranking = Fuse(Leg(sections[0].pk), Leg(fails=True))(Ranking(query))
    assert len(ranking.candidates) == 1
    assert ranking.degraded == ("Leg",)
    assert [report.status for report in ranking.reports] == ["applied", "failed"]


def test_a_section_that_may_not_be_read_never_leaves_the_fusion(query, sections):
    hidden = sections[1]
    Section.objects.filter(pk=hidden.pk).update(live=False)
    assert hidden.pk not in scores(query, Leg(sections[0].pk, hidden.pk))


def test_a_section_counts_once_a_leg_by_its_best_chunk():
    folded = fold("dense", [(1, 11, 0.9), (1, 12, 0.8), (2, 21, 0.7)], k=10)
    assert [(c.section_id, c.chunk_id, dict(c.ranks)) for c in folded] == [
        (1, 11, {"dense": 1}),
        (2, 21, {"dense": 2}),
    ]


def test_merging_keeps_every_legs_account():
    merged = merge(
        [
            Candidate(1, scores={"a": 1.0}, ranks={"a": 1}, reasons=(Reason("a"),)),
            Candidate(1, chunk_id=7, scores={"b": 2.0}, ranks={"b": 3}, reasons=(Reason("b"),)),
        ]
    )
    assert merged.ranks == {"a": 1, "b": 3}
    assert [reason.code for reason in merged.reasons] == ["a", "b"]
    assert merged.chunk_id == 7


SPANISH = DomainScope(1, "leyes", corpus_version=1, private=False, languages=("es",))
ENGLISH = DomainScope(2, "laws", corpus_version=1, private=False, languages=("en",))
QUERY = Query(
    original="una busqueda",
    text="a search",
    normalized="a search",
    language="es",
    domains=(SPANISH, ENGLISH),
    respelled="una búsqueda",
)


def test_a_section_stands_where_its_best_chunk_does_and_is_shown_by_it():
    found = fold("dense", [(7, 71, 0.9), (8, 81, 0.8), (7, 72, 0.7)], k=5)
    assert [(c.section_id, c.chunk_id, c.scores, c.ranks) for c in found] == [
        (7, 71, {"dense": 0.9}, {"dense": 1}),
        (8, 81, {"dense": 0.8}, {"dense": 2}),
    ]
    assert found[1].reasons[0] == ("dense", {"rank": 2})


def test_no_more_sections_are_kept_than_asked_for():
    found = fold("lexical", ((section, section, 1.0) for section in range(9)), k=3)
    assert [candidate.section_id for candidate in found] == [0, 1, 2]


def test_the_original_is_looked_for_only_where_texts_are_in_its_language():
    assert texts_by_language(QUERY) == {"en": "a search", "es": "una búsqueda"}
    assert texts_by_language(replace(QUERY, domains=(ENGLISH,))) == {"en": "a search"}


def test_synonyms_are_looked_for_beside_the_english_text():
    query = replace(QUERY, domains=(ENGLISH,), synonyms=("seizure", "warrant"))
    assert texts_by_language(query) == {"en": "a search seizure warrant"}


def test_a_leg_keeps_the_order_it_found():
    found = fold("dense", [(9, 91, 0.5), (3, 31, 0.5)], k=5)
    assert ranking_of(Ranking(QUERY), found).candidates == tuple(found)
