"""Finds which questions may be suggested for a provision: those that curators name it by, and for which a search finds
it first.
"""

import time
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, takewhile

from django.db import transaction
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone

from retrieval.access.caller import ANONYMOUS
from retrieval.corpus.suggested import MOST
from retrieval.models import Section, SuggestedQuestion
from retrieval.models.corpus import SectionQuerySet
from retrieval.request import SearchRequest
from retrieval.search.service import in_scope, run
from rules.models import Alias

SECONDS = 60.0  # of a night; the queue ends a task after two minutes
Questions = list[tuple[str, str]]  # language and text


def suggest_again(seconds: float = SECONDS) -> dict[str, float | None]:
    """Every night, for public provisions in force: half of the time those without suggestions, in any order since some
    never get one, then those verified longest ago. What curators no longer name a provision by goes at once. Gives how
    many questions were asked, how many found their provision first, and their share; none where none was asked.
    """
    begun, tonight = time.monotonic(), timezone.now()
    delete_unnamed()
    named, told = questions_by_place(), {"asked": 0, "found": 0}
    sections = suggestible(locator for _domain, locator in named)
    without = takewhile(lambda _: time.monotonic() < begun + seconds / 2, sections.filter(last=None).order_by("?"))
    for section in chain(without, sections.filter(last__lt=tonight).order_by("last", "pk")):
        if time.monotonic() > begun + seconds:
            break
        questions = named.get((section.domain_id, section.locator), [])
        found, asked = verified(section, questions)
        with transaction.atomic():
            section.suggested_questions.all().delete()
            SuggestedQuestion.objects.bulk_create(found)
        told = {"asked": told["asked"] + asked, "found": told["found"] + len(found)}
    return told | {"share": round(told["found"] / told["asked"], 3) if told["asked"] else None}


def delete_unnamed() -> None:
    named = Alias.objects.in_use().filter(
        domain=OuterRef("section__domain"),
        locator=OuterRef("section__locator"),
        language=OuterRef("language"),
        text=OuterRef("text"),
    )
    SuggestedQuestion.objects.exclude(Exists(named)).delete()


def questions_by_place() -> dict[tuple[int, str], Questions]:
    """Curators' questions in their order, by domain and locator."""
    named: dict[tuple[int, str], Questions] = defaultdict(list)
    questions = Alias.objects.in_use().filter(text__endswith="?").order_by("pk")
    for domain, locator, language, text in questions.values_list("domain", "locator", "language", "text"):
        named[domain, locator].append((language, text))
    return named


def suggestible(locators: Iterable[str]) -> SectionQuerySet:
    """`last`: when its suggestions were verified; None where it has none."""
    sections = Section.objects.readable(ANONYMOUS).filter(locator__in=set(locators))
    return sections.annotate(last=Max("suggested_questions__verified_at"))


def verified(section: Section, questions: Questions) -> tuple[list[SuggestedQuestion], int]:
    """The first questions in each language that find the section first, and how many were asked."""
    found: list[SuggestedQuestion] = []
    asked = 0
    for language, text in questions:
        if sum(one.language == language for one in found) == MOST:
            continue
        asked += 1
        if first_found(text) == section.pk:
            found.append(SuggestedQuestion(section=section, language=language, text=text))
    return found, asked


def first_found(question: str) -> int | None:
    """The section that everybody's search finds first; nothing is logged."""
    ranking = run(SearchRequest(question), ANONYMOUS, *in_scope(ANONYMOUS))
    return ranking.candidates[0].section_id if ranking.candidates and not ranking.abstained else None
