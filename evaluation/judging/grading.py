"""A judge's grade: kept, taken back and counted; and the final one of a third, where two graded far apart."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import AbstractUser
from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from evaluation.judging.visibility import humans, own_judgments, readable_sections, topics_for
from evaluation.models import ANSWERS, Judgment, NoAnswer, Topic
from retrieval.access.caller import Caller
from retrieval.errors import ArfError, gettext_noop
from retrieval.models import Chunk, Section

FAR_APART = 2  # grades between two judges that a third must settle
MOST_SHOWN = 50  # disagreements at once, the oldest first


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
        raise CannotJudge(gettext_noop("A grade is 0, 1, 2 or 3."))
    if section.domain_id != topic.domain_id:
        raise CannotJudge(gettext_noop("This provision belongs to another domain than the topic."))
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


def nothing_answers(
    topic: Topic, shown: Mapping[Section, Chunk | None], user: AbstractUser
) -> list[Judgment]:
    """Keeps that to this person nothing answers the topic, with grade 0 for what was shown and they have not graded.
    Gives these grades. Raises CannotJudge where they graded something as an answer.
    """
    own = dict(own_judgments(user, topic).values_list("locator", "grade"))
    if max(own.values(), default=0) >= ANSWERS:
        raise CannotJudge(_("You graded a provision as an answer: change that grade first."))
    with transaction.atomic():
        NoAnswer.objects.get_or_create(topic=topic, judge=user.get_username())
        ungraded = [section for section in shown if section.locator not in own]
        return [
            judge(topic, section, shown[section], Judgment.Grade.IRRELEVANT, user) for section in ungraded
        ]


@transaction.atomic
def take_back(user: AbstractUser, topic: Topic, judgments: Collection[int] = ()) -> None:
    """An own word that nothing answers, with those of the grades given with it that are 0 still."""
    NoAnswer.objects.filter(topic=topic, judge=user.get_username()).delete()
    for row in own_judgments(user, topic).filter(pk__in=judgments, grade=Judgment.Grade.IRRELEVANT):
        row.delete()


@transaction.atomic
def undo(user: AbstractUser, judgment: int, before: tuple[int, str] | None) -> Judgment | None:
    """Takes back an own grade: the former grade and explanation stand again, or none. Gives it, if it was."""
    row = own_judgments(user).filter(pk=judgment).select_related("topic").first()
    if row is None:
        return None
    if before is None:
        row.delete()
    else:
        row.grade, row.explanation = before
        row._change_reason = "taken back"
        row.save(update_fields=["grade", "explanation"])
    return row


def progress(user: AbstractUser, topic: Topic, locators: Collection[str]) -> dict[str, int]:
    """How far a judge is: in this topic's pool, today, and altogether."""
    own = own_judgments(user)
    return {
        "done": own.filter(topic=topic, locator__in=locators).count(),
        "pooled": len(locators),
        "today": own.filter(created_at__date=timezone.localdate()).count(),
        "total": own.count(),
    }


# -- Disagreements


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair of which two judges think very differently."""

    topic: Topic
    section: Section
    judgments: tuple[Judgment, ...]

    @property
    def decision(self) -> Judgment | None:
        """The adjudication, if there is one: it is final."""
        return next((judgment for judgment in self.judgments if judgment.adjudicates), None)


def far_apart(caller: Caller) -> QuerySet:
    """Pairs (topic, locator, judges, is_final) that people graded two or more apart, adjudications not counted."""
    graded = Judgment.objects.filter(humans(""), adjudicates=False, topic__in=topics_for(caller))
    final = Judgment.objects.filter(topic=OuterRef("topic"), locator=OuterRef("locator"), adjudicates=True)
    spread = (
        graded.order_by()
        .values("topic", "locator")
        .annotate(judges=Count("pk"), low=Min("grade"), high=Max("grade"), latest=Max("created_at"))
        .annotate(is_final=Exists(final))
    )
    return spread.filter(high__gte=F("low") + FAR_APART).order_by("latest", "topic", "locator")


WAITING = Q(judges=2, is_final=False)


def disagreements(caller: Caller, *, settled: bool = False) -> list[Disagreement]:
    """Pairs of which judges think very differently: those that wait for a third, or those that had one."""
    pairs = far_apart(caller).exclude(WAITING) if settled else far_apart(caller).filter(WAITING)
    found = [disagreement(pair["topic"], pair["locator"], caller) for pair in pairs[:MOST_SHOWN]]
    return [row for row in found if row is not None]


def disagreement(topic_id: int, locator: str, caller: Caller) -> Disagreement | None:
    """None where this caller may not see the pair, or nobody disagrees."""
    topic = topics_for(caller).filter(pk=topic_id).first()
    section = readable_sections(topic, [locator], caller).get(locator) if topic else None
    if section is None or not far_apart(caller).filter(topic=topic, locator=locator).exists():
        return None
    judgments = topic.judgments.filter(humans(""), locator=locator).order_by("created_at")
    return Disagreement(topic, section, tuple(judgments))


def adjudicate(disagreement: Disagreement, grade: int, user: AbstractUser, explanation: str) -> Judgment:
    """A third person's final grade. Raises CannotJudge for one of those who disagree, and where another decided."""
    if disagreement.decision:
        raise CannotJudge(gettext_noop("This pair is settled already."))
    if user.get_username() in {judgment.judge for judgment in disagreement.judgments}:
        raise CannotJudge(gettext_noop("You judged this pair: somebody else must settle it."))
    try:
        return judge(
            disagreement.topic, disagreement.section, None, grade, user, explanation, adjudicates=True
        )
    except IntegrityError as problem:  # somebody else settled it meanwhile
        raise CannotJudge(gettext_noop("This pair is settled already.")) from problem
