"""Sections that rules exclude from what was found."""

import pytest

from retrieval.ranking import Candidate
from retrieval.targets import Part, Selection
from rules.engine.actions.excluding import DropExcluded
from tests.builders import a_chunk, a_document, a_domain, a_section
from tests.rules.engine.compiled_rules import a_ranking, a_rule, sections_of

pytestmark = pytest.mark.django_db
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
