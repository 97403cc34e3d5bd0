"""Only questions that curators wrote, and whose provision everybody's search finds first, are suggested."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from retrieval.models import SearchLog, Section, SuggestedQuestion
from rules.models import Alias, AliasVector
from rules.questions import suggesting

pytestmark = pytest.mark.django_db

AGE = "/us/const/article/II/section/1/clause/5"
FOURTH = "/us/const/amendment/IV"


@pytest.fixture(autouse=True)
def few_names():
    """Names of two provisions alone: a search for each of all takes half a minute."""
    others = Alias.objects.exclude(locator__in=(AGE, FOURTH))
    AliasVector.objects.filter(alias__in=others)._raw_delete("default")
    others._raw_delete("default")


def suggested(locator, language="en"):
    return list(
        SuggestedQuestion.objects.filter(section__locator=locator, language=language)
        .order_by("pk")
        .values_list("text", flat=True)
    )


def test_curators_questions_that_find_their_provision_are_suggested_in_their_language():
    told = suggesting.suggest_again()
    assert told["asked"] and told["share"] == round(told["found"] / told["asked"], 3) >= 0.9
    assert suggested(AGE)[0] == "How old do you have to be to be President?"
    for locator in (AGE, FOURTH):
        assert len(suggested(locator)) == len(suggested(locator, "es")) == suggesting.MOST
    assert all(text.startswith("¿") for text in suggested(FOURTH, "es"))
    assert not SearchLog.objects.exists()


def test_a_question_that_finds_another_provision_is_not_suggested():
    fourth = Section.objects.live().get(locator=FOURTH)
    found, asked = suggesting.verified(
        fourth,
        [("en", "How old do you have to be to be President?"), ("en", "Can the police search my phone?")],
    )
    assert ([one.text for one in found], asked) == (["Can the police search my phone?"], 2)


def test_what_was_suggested_goes_where_it_is_found_no_more(monkeypatch):
    suggesting.suggest_again()
    monkeypatch.setattr(suggesting, "first_found", lambda question: None)
    assert suggesting.suggest_again()["found"] == 0
    assert not SuggestedQuestion.objects.exists()


def test_what_curators_no_longer_name_a_provision_by_goes_though_the_night_has_no_time(monkeypatch):
    monkeypatch.setattr(suggesting, "MOST", 1)
    suggesting.suggest_again()
    Alias.objects.filter(locator=AGE, language="en").update(enabled=False)
    suggesting.suggest_again(seconds=-1)
    assert suggested(AGE) == [] and len(suggested(AGE, "es")) == len(suggested(FOURTH)) == 1


def test_what_was_never_verified_comes_first_and_then_what_was_longest_ago(monkeypatch):
    assert set(tried(monkeypatch)) == {AGE, FOURTH}
    suggesting.suggest_again()
    age = Section.objects.live().get(locator=AGE)
    age.suggested_questions.all().delete()
    assert tried(monkeypatch) == [AGE, FOURTH]
    text = Alias.objects.filter(locator=AGE, language="en", text__endswith="?").first().text
    SuggestedQuestion.objects.create(section=age, language="en", text=text, verified_at=timezone.now())
    assert tried(monkeypatch) == [FOURTH, AGE]


def tried(monkeypatch) -> list[str]:
    """Provisions in the order in which a night asks their questions, without an answer to any."""
    found = []

    def nothing(section, _questions):
        found.append(section.locator)
        return list(section.suggested_questions.all()), 1

    with monkeypatch.context() as patched:
        patched.setattr(suggesting, "verified", nothing)
        patched.setattr(suggesting.SuggestedQuestion.objects, "bulk_create", lambda rows: rows)
        with transaction.atomic():
            suggesting.suggest_again()
            transaction.set_rollback(True)
    return found


def test_what_never_finds_its_provision_takes_half_of_a_night_at_most(monkeypatch):
    suggesting.suggest_again()
    Section.objects.live().get(locator=AGE).suggested_questions.all().delete()
    clock = iter((0.0, 40.0, 40.0))
    monkeypatch.setattr(suggesting.time, "monotonic", lambda: next(clock))
    assert tried(monkeypatch) == [FOURTH]


def test_a_night_ends_in_time():
    assert suggesting.suggest_again(seconds=-1) == {"asked": 0, "found": 0, "share": None}


def test_the_command_does_all_and_tells_the_share():
    printed = StringIO()
    call_command("suggest_questions", stdout=printed)
    assert "%) found their provision first." in printed.getvalue() and suggested(AGE)
