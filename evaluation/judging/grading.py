"""A judge's grade: kept, taken back and counted."""

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import AbstractUser
from django.db import transaction
from django.utils import timezone

from evaluation.judging.pools import Pair
from evaluation.judging.visibility import own_judgments
from evaluation.models import Judgment, Topic
from retrieval.errors import ArfError
from retrieval.models import Chunk, Section


class CannotJudge(ArfError):
    """A grade that cannot be kept; the message says why."""

    code = "cannot_judge"


def judge(
    topic: Topic,
    section: Section,
    chunk: Chunk | None,
    grade: int,
    user: AbstractUser,
    explanation: str = "",
    *,
    adjudicates: bool = False,
) -> Judgment:
    """Keeps one person's grade with what was shown; judging again changes that person's own. Raises CannotJudge."""
    if grade not in Judgment.Grade.values:
        raise CannotJudge("A grade is 0, 1, 2 or 3.")
    if section.domain_id != topic.domain_id:
        raise CannotJudge("This provision belongs to another domain than the topic.")
    shown = {"section": section, "chunk": chunk, "grade": grade, "explanation": explanation.strip()}
    if adjudicates:  # its judge may regrade it, and it stays final
        shown["adjudicates"] = True
    judgment, _made = Judgment.objects.update_or_create(
        topic=topic,
        locator=section.locator,
        judge=user.get_username(),
        kind=Judgment.Kind.HUMAN,
        defaults={**shown, "user": user, "created_at": timezone.now()},
    )
    return judgment


@transaction.atomic
def undo(user: AbstractUser, judgment: int, before: tuple[int, str] | None) -> Pair | None:
    """Takes back an own grade: the former grade and explanation stand again, or none. Gives the pair, if it was."""
    row = own_judgments(user).filter(pk=judgment).select_related("topic").first()
    if row is None:
        return None
    if before is None:
        row.delete()
    else:
        row.grade, row.explanation = before
        row._change_reason = "taken back"
        row.save(update_fields=["grade", "explanation"])
    return Pair(row.topic, row.locator, "undone")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a judge is: in this topic's pool, today, and altogether."""

    done: int
    pooled: int
    today: int
    total: int


def progress(user: AbstractUser, topic: Topic, locators: Collection[str]) -> Progress:
    own = own_judgments(user)
    return Progress(
        done=own.filter(topic=topic, locator__in=locators).count(),
        pooled=len(locators),
        today=own.filter(created_at__date=timezone.localdate()).count(),
        total=own.count(),
    )
