"""What the embedder learns from is public law, what curators call it and its headings, and no judged question."""

import pytest

from evaluation.embedder import pairs
from evaluation.topics.leaks import leaks
from evaluation.topics.library import topics_of
from retrieval.access.row_security import as_system
from retrieval.models import Domain, Section
from rules.models import Alias
from tests.builders import a_document, a_section, embedded

pytestmark = pytest.mark.django_db


def test_each_english_name_comes_with_the_nearest_passage_of_its_provision():
    found = [pair for pair in pairs.gathered() if pair.named]
    names = set(Alias.objects.in_use().filter(language="en").values_list("text", flat=True))
    asked = {pair.question for pair in found}
    assert asked < names and len(asked) > 0.9 * len(names)
    fourth = Section.objects.get(locator="/us/const/amendment/IV")
    assert any("searches and seizures" in pair.text for pair in found if pair.section == fourth.pk)


def test_what_has_no_name_comes_with_its_heading(monkeypatch):
    Alias.objects.filter(locator="/us/const/amendment/IV").delete()
    found = [pair for pair in pairs.gathered() if not pair.named]
    fourth = Section.objects.get(locator="/us/const/amendment/IV")
    [pair] = [pair for pair in found if pair.section == fourth.pk]
    assert pair.question == fourth.heading and fourth.heading not in pair.text
    monkeypatch.setattr(pairs, "DRAWN", 0)
    assert all(pair.named for pair in pairs.gathered())


def test_no_held_out_question_is_learned_from():
    kept = [topic.query for split in ("tune", "test") for topic in topics_of("us_constitution", split)]
    assert not leaks([pair.question for pair in pairs.gathered()], kept)


def test_private_provisions_are_none_though_every_row_can_be_read():
    document = a_document(Domain.objects.get(slug="client_cases"), title="Lease")
    named, headed = (
        a_section(document, f"The tenant shall {duty} daily.", heading=f"How to {duty}")
        for duty in ("water the garden", "sweep the stairs")
    )
    embedded(named, headed)
    with as_system():
        Alias.objects.create(domain=document.domain, locator=named.locator, text="watering of the garden")
        found = {pair.section for pair in pairs.gathered()}
    assert found and not found & {named.pk, headed.pk}
