"""Summaries are kept for what is published, and redone for what changed and what stands above it."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from retrieval.access.row_security import as_system
from retrieval.models import Document, Section, SectionTerms, Summary
from retrieval.summaries import upkeep
from tests.builders import a_document, a_domain, a_section, embedded
from tests.retrieval.ingestion.conftest import domain, ingested, write  # noqa: F401

pytestmark = pytest.mark.django_db
RULES = (
    "Dogs shall be kept on a leash in the park.",
    "A cat may roam wherever it likes.",
    "Hens lay eggs at dawn.",
)


@pytest.fixture
def title():
    """A document of two chapters, each of three provisions."""
    document = a_document(a_domain())
    for number in (1, 2):
        chapter = a_section(
            document,
            level="chapter",
            is_result=False,
            is_leaf=False,
            locator=f"{document.locator}/ch{number}",
        )
        for n, rule in enumerate(RULES):
            under = {"parent": chapter, "parent_locator": chapter.locator, "depth": 1}
            embedded(a_section(document, rule, locator=f"{document.locator}/s{number}{n}", **under))
    save(document)
    return document


@as_system()
def save(document, *changed):
    upkeep.save_above(
        document, [one.pk for one in changed] or list(document.sections.values_list("pk", flat=True))
    )


def of_chapter(document, number):
    return Summary.objects.get(section__locator=f"{document.locator}/ch{number}")


def words(summary):
    texts = dict(summary.document.sections.values_list("pk", "text"))
    return [texts[section][start:end] for section, start, end in summary.sentences]


def test_every_level_is_made_of_sentences_of_its_own_document(title):
    for section in title.sections.filter(is_result=True):
        assert words(section.summaries.get(level=Summary.Level.PROVISION)) == [section.text]
    assert sorted(words(of_chapter(title, 1))) == sorted(RULES)
    of_all = title.summaries.get(section=None)
    assert of_all.level == Summary.Level.DOCUMENT and set(words(of_all)) <= set(RULES)
    assert len(of_all.sentences) == upkeep.MOST_BELOW


def test_a_change_redoes_what_stands_above_it_and_nothing_else(title):
    first, second = of_chapter(title, 1).pk, of_chapter(title, 2).pk
    save(title, title.sections.get(locator=f"{title.locator}/s20"))
    assert of_chapter(title, 1).pk == first
    assert of_chapter(title, 2).pk != second


def test_a_change_costs_the_same_in_a_large_document(title):
    def queries():
        with CaptureQueriesContext(
            connection,
        ) as ran:
            save(title, title.sections.get(locator=f"{title.locator}/s20"))
        return len(ran)

    before = queries()
    for n in range(20):
        a_section(title, "More law.", level="chapter", is_leaf=False, locator=f"{title.locator}/more{n}")
    assert queries() == before


def test_what_holds_no_more_law_stands_for_nothing(title):
    gone = title.sections.get(locator=f"{title.locator}/s10")
    Section.objects.filter(pk=gone.pk).update(status="repealed")
    save(title, gone)
    assert gone.text not in words(of_chapter(title, 1))


def test_a_new_version_is_summarised_and_the_old_one_told_of_no_more(domain, write):  # noqa: F811
    ingested(domain, write("Dogs must be leashed."))
    ingested(domain, write("Dogs must be leashed at night."))
    (of_all,) = Summary.objects.filter(document__domain=domain, section=None)
    assert words(of_all) == ["Dogs must be leashed at night."]


def test_much_cited_and_unlike_ones_stand_for_the_rest():
    vectors = {1: np.array([1.0, 0.0]), 2: np.array([0.98, 0.2]), 3: np.array([0.6, 0.8])}
    vectors = {pk: vector / np.linalg.norm(vector) for pk, vector in vectors.items()}
    places = [[pk, 0, 1] for pk in (1, 2, 3)]
    assert [place[0] for place in upkeep.central(places, vectors, {}, {1})][0] == 2
    assert [place[0] for place in upkeep.central(places, vectors, {1: 400})][0] == 1
    many = {**vectors, **{pk: vectors[2] for pk in (4, 5, 6)}}
    chosen = [place[0] for place in upkeep.central([[pk, 0, 1] for pk in many], many, {})]
    assert 3 in chosen and len(chosen) == upkeep.MOST_BELOW


def test_a_part_is_led_by_what_it_begins_with_and_what_was_changed_stands_behind():
    document = Document.objects.get(locator="/us/const")
    with as_system():
        upkeep.save_above(document, list(document.sections.values_list("pk", flat=True)))
    (of_fourteenth,) = Summary.objects.filter(section__locator="/us/const/amendment/XIV")
    places = Section.objects.in_bulk([place[0] for place in of_fourteenth.sentences])
    assert [places[pk].citation.split("§ ")[1] for pk, *_ in of_fourteenth.sentences][0] == "1"
    assert not [one for one in places.values() if one.citation.endswith("XIV, § 2")]  # "male inhabitants", "twenty-one"


def test_without_vectors_the_first_stand_for_the_rest():
    places = [[pk, 0, 1] for pk in range(9)]
    assert upkeep.central(places, {}, {}) == places[: upkeep.MOST_BELOW]


def test_what_was_there_before_is_summarised_in_turns(title, monkeypatch):
    with as_system():
        title.summaries.all().delete()
    monkeypatch.setattr(upkeep, "BATCH", 4)
    assert upkeep.save_missing(0) == 0 and not title.summaries.exists()
    assert upkeep.save_some(title.pk) is False
    assert title.summaries.count() == 4
    assert upkeep.save_missing() >= 1
    assert title.summaries.count() == len(RULES) * 2 + 2 + 1
    assert upkeep.save_missing() == 0


def test_the_mean_of_a_sections_vectors_is_of_unit_length(title):
    section = title.sections.get(locator=f"{title.locator}/s10")
    (vector,) = upkeep.vectors_of([section.pk]).values()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-3)


def test_the_constitution_was_summarised_when_it_was_published():
    article = Summary.objects.get(section__locator="/us/const/article/I")
    assert article.level == Summary.Level.PART and len(article.sentences) == upkeep.MOST_BELOW
    assert Summary.objects.get(document__locator="/us/const", section=None).sentences
    assert SectionTerms.objects.filter(section__summaries=None, domain__slug="us_constitution").count() == 0
