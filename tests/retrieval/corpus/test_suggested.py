"""Questions suggested for a provision: its own, then its neighbours', as far as the reader may see them."""

import pytest

from retrieval.access.caller import ANONYMOUS, Caller
from retrieval.access.row_security import as_system
from retrieval.corpus.suggested import questions_near
from retrieval.models import SuggestedQuestion
from tests.builders import a_case_file, a_document, a_domain, a_section

pytestmark = pytest.mark.django_db


@pytest.fixture
def sections():
    document = a_document(a_domain(), locator="/us/usc/t99")
    return [a_section(document, "x", locator=f"/us/usc/t99/s{n}", position=n) for n in range(1, 30)]


def suggest(section, *texts, language="en"):
    SuggestedQuestion.objects.bulk_create(
        SuggestedQuestion(section=section, language=language, text=text) for text in texts
    )


def near(section, language="en", caller=ANONYMOUS, **options):
    return questions_near(section, language, caller, **options)


def test_its_own_come_first_then_those_of_the_nearest(sections):
    suggest(sections[7], "Eighth?")
    suggest(sections[3], "Fourth?")
    suggest(sections[4], "Fifth?", "Fifth again?")
    suggest(sections[4], "¿Quinta?", language="es")
    assert near(sections[4]) == ["Fifth?", "Fifth again?", "Fourth?"]
    assert near(sections[4], "es") == ["¿Quinta?"]


def test_what_stands_far_off_is_not_suggested(sections):
    suggest(sections[25], "Far?")
    assert near(sections[4]) == [] and near(sections[20]) == ["Far?"]


def test_what_was_just_asked_is_not_suggested(sections):
    suggest(sections[4], "One?", "Two?", "Three?", "Four?")
    assert near(sections[4], but=["  two? "]) == ["One?", "Three?", "Four?"]
    assert near(sections[4], but=["Two? One?", "two?", "One?"]) == ["Three?", "Four?"]


def test_what_is_no_longer_in_force_or_not_readable_suggests_nothing(sections):
    suggest(sections[4], "Old?")
    sections[4].live = False
    sections[4].save()
    assert near(sections[5]) == []
    reader = Caller(("user:902",))
    document = a_case_file("Matter of Ibarreche", "The bakery burned.", granted_to=reader)
    with as_system():
        secret = document.sections.get()
        suggest(secret, "Who burned the bakery?")
    assert near(secret) == []
