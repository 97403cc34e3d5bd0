"""What a judge may see: topics, judgments, provisions; after the judge's own grade, what language models said."""

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import AbstractUser
from django.db.models import Q, QuerySet

from evaluation.models import Judgment, Topic
from retrieval.access.caller import Caller
from retrieval.models import Domain, LLMVerdict, Section


def topics_for(caller: Caller) -> QuerySet[Topic]:
    """Topics of domains that this judge may search."""
    return Topic.objects.filter(domain__in=Domain.objects.visible_to(caller)).select_related("domain")


def judgments_for(caller: Caller, judgments: QuerySet | None = None) -> QuerySet:
    """Judgments, or their history, that this caller may know of: of a private provision only where it is granted."""
    known = Judgment.objects.all() if judgments is None else judgments
    granted = Section.objects.visible_to(caller).filter(private=True).values("locator")
    public = Q(topic__domain__visibility=Domain.Visibility.PUBLIC)
    return known.filter(public | Q(locator__in=granted), topic__in=topics_for(caller))


def humans(path: str = "judgments__") -> Q:
    return Q(**{f"{path}kind": Judgment.Kind.HUMAN})


def own_judgments(user: AbstractUser, topic: Topic | None = None) -> QuerySet[Judgment]:
    own = Judgment.objects.filter(kind=Judgment.Kind.HUMAN, judge=user.get_username())
    return own if topic is None else own.filter(topic=topic)


def readable_sections(topic: Topic, locators: Collection[str], caller: Caller) -> dict[str, Section]:
    sections = Section.objects.readable(caller).filter(domain=topic.domain, locator__in=locators)
    return {section.locator: section for section in sections.select_related("document", "domain")}


def text_of(section: Section, caller: Caller) -> str:
    """All that the provision says: its own words, or with sections below it, theirs in order."""
    if section.is_leaf:
        return section.text
    readable = Section.objects.readable(caller).filter(document=section.document_id)
    texts = readable.below(section.locator).in_order().values_list("text", flat=True)
    return "\n\n".join(text for text in texts if text)


# -- Language models


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a language model said of a pair. `grade` 0-3 where it graded, else `score` 0-9."""

    model: str
    reason: str
    grade: int | None = None
    score: int | None = None


def opinions(judgment: Judgment) -> list[Opinion]:
    """Language models' verdicts on a pair that this person has judged."""
    graded = judgment.topic.judgments.filter(kind=Judgment.Kind.LLM, locator=judgment.locator)
    verdicts = LLMVerdict.objects.filter(
        query_hash=judgment.topic.query_hash, section_id=judgment.section_id
    ).order_by("model", "prompt_version")
    known = {row.judge for row in graded}  # a verdict becomes a judgment at night
    return [
        *(Opinion(row.judge, row.explanation, grade=row.grade) for row in graded),
        *(Opinion(row.model, row.reason, score=row.score) for row in verdicts if judge_of(row) not in known),
    ]


def judge_of(verdict: LLMVerdict) -> str:
    """A model with another prompt is another judge."""
    return f"{verdict.model} {verdict.prompt_version[:8]}"
