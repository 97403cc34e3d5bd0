"""Pairs that two judges graded far apart, and the final grade by a third."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractUser
from django.db import IntegrityError
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet

from evaluation.judging.grading import CannotJudge, judge
from evaluation.judging.visibility import humans, readable_sections, topics_for
from evaluation.models import Judgment, Topic
from retrieval.access.caller import Caller
from retrieval.models import Section

FAR_APART = 2  # grades between two judges that a third must settle
MOST_SHOWN = 50  # disagreements at once, the oldest first


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
        raise CannotJudge("This pair is settled already.")
    if user.get_username() in {judgment.judge for judgment in disagreement.judgments}:
        raise CannotJudge("You judged this pair: somebody else must settle it.")
    try:
        return judge(
            disagreement.topic, disagreement.section, None, grade, user, explanation, adjudicates=True
        )
    except IntegrityError as problem:  # somebody else settled it meanwhile
        raise CannotJudge("This pair is settled already.") from problem
