"""What stands together is put together behind the first page, and nothing else changes."""

from dataclasses import replace

import pytest

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller
from retrieval.ranking import Candidate, Page, Query, Ranking
from retrieval.stages.parts import GatherParts
from tests.builders import a_document, a_domain, a_section, grant

pytestmark = pytest.mark.django_db


@pytest.fixture
def document():
    return a_document(a_domain())


def part_of(document, size: int) -> list[int]:
    """Provisions that stand in one part."""
    part = a_section(document, is_result=False)
    return [a_section(document, parent=part).pk for _ in range(size)]


def alone(document, number: int) -> list[int]:
    """Provisions that stand at the top of their document, in no part."""
    return [a_section(document).pk for _ in range(number)]


def ranking_of(sections: list[int], **fields) -> Ranking:
    found = [Candidate(pk, score=1.0 / n) for n, pk in enumerate(sections, start=1)]
    return Ranking(Query("q", "q", "q", "en", (), **fields), candidates=tuple(found))


def order(ranking: Ranking) -> list[int]:
    return [candidate.section_id for candidate in ranking.candidates]


def test_the_rest_of_a_part_comes_after_the_first_page(document):
    part, others = part_of(document, 3), alone(document, 6)
    found = [part[0], *others[:3], part[1], *others[3:], part[2]]
    gathered = GatherParts(kept=2, least=0)(ranking_of(found))
    assert order(gathered) == [part[0], others[0], part[1], part[2], *others[1:]]


def test_the_first_page_stays_and_scores_stay_with_their_places(document):
    part, others = part_of(document, 8), alone(document, 8)
    before = ranking_of([*others, *part])
    after = GatherParts(kept=5, least=0)(before)
    assert order(after)[:5] == others[:5] and order(after)[5:13] == part
    assert [one.score for one in after.candidates] == [one.score for one in before.candidates]
    assert sorted(order(after)) == sorted(order(before))


@pytest.mark.parametrize(("page", "gathers"), [(Page(k=2), False), (Page(2, k=1), False), (Page(k=3), True)])
def test_nothing_is_read_where_only_what_stays_is_asked_for(document, page, gathers):
    part, others = part_of(document, 3), alone(document, 6)
    before = ranking_of([part[0], *others[:3], part[1], *others[3:], part[2]], page=page)
    assert (order(GatherParts(kept=2, least=0)(before)) != order(before)) is gathers


def test_a_part_of_few_provisions_counts_more_than_one_of_many_of_which_as_much_was_found(document):
    large, small, others = part_of(document, 30), part_of(document, 2), alone(document, 2)
    found = [*others, large[0], large[1], small[0], small[1]]
    assert order(GatherParts(kept=2, least=0)(ranking_of(found))) == [*others, *small, *large[:2]]


def test_one_of_a_part_moves_nothing(document):
    parts = [part_of(document, 5)[0] for _ in range(6)]
    assert order(GatherParts(kept=2, least=0)(ranking_of(parts))) == parts


def test_what_is_found_late_says_nothing_of_its_part(document):
    part, others = part_of(document, 2), alone(document, 6)
    found = [*others, *part]
    assert order(GatherParts(kept=2, read=6, least=0)(ranking_of(found))) == found


def test_a_final_order_stays(document):
    part, others = part_of(document, 2), alone(document, 4)
    found = replace(ranking_of([*others, *part]), final=True)
    assert order(GatherParts(kept=2, least=0)(found)) == order(found)


def test_parts_that_the_caller_may_not_read_tell_nothing():
    owner, other = Caller(("key:971",)), Caller(("key:972",))
    private = a_document(a_domain(visibility="private"))
    grant(private, owner)
    part, others = part_of(private, 3), alone(private, 5)
    found = [*others, *part]
    for caller, expected in ((owner, [*others[:2], *part, *others[2:]]), (other, found)):
        with as_caller(caller):
            assert order(GatherParts(kept=2, least=0)(ranking_of(found, caller=caller))) == expected


def test_a_small_body_of_law_stays(document):
    part, others = part_of(document, 2), alone(document, 4)
    found = ranking_of([*others, *part])
    assert order(GatherParts(kept=2, least=1)(found)) == order(found)
