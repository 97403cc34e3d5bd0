"""What may become a topic: nothing that would stand, in nearly the same words or as a paraphrase, on both sides of the
test split. A retrain refuses such topics, and one that is there cannot be taken away again.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.utils.text import Truncator

from evaluation.models import Topic
from evaluation.topics.leaks import leaks
from evaluation.topics.reading import LineRefused
from retrieval.access.caller import ANONYMOUS
from retrieval.errors import gettext_noop
from retrieval.models import Domain

TEST = Topic.Split.TEST


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic of a public domain that somebody would add or word anew."""

    query: str
    split: str
    group: str = ""


def conflicts(asked: Collection[NewTopic]) -> dict[NewTopic, LineRefused]:
    """Why some of them may not be. Of two among them that conflict, the test topic may."""
    if not asked:
        return {}
    tested = {each for each in asked if each.split == TEST}
    refused = crossing(tested, kept(test=False))
    return refused | crossing({*asked} - tested, kept(test=True) | (tested - refused.keys()))


def kept(*, test: bool) -> set[NewTopic]:
    """The topics that are on one side of the test split, of public domains: those of private ones are not learned."""
    rows = Topic.objects.filter(domain__in=Domain.objects.visible_to(ANONYMOUS))
    side = rows.filter(split=TEST) if test else rows.exclude(split=TEST)
    return {NewTopic(*row) for row in side.values_list("query", "split", "group")}


def near_tests(questions: Iterable[str]) -> set[str]:
    """Those that a test topic asks in nearly the same words, wherever they come from: nothing is learned from them."""
    return {leak.learned for leak in leaks(questions, {each.query for each in kept(test=True)})}


def not_to_learn(asked: Collection[NewTopic]) -> set[NewTopic]:
    """The test topics among these, and what asks the same as one of them or of those kept, in nearly its words or as a
    paraphrase.
    """
    tested = {each for each in asked if each.split == TEST}
    return tested | crossing({*asked} - tested, kept(test=True) | tested).keys()


def crossing(new: Collection[NewTopic], others: Collection[NewTopic]) -> dict[NewTopic, LineRefused]:
    found = leaks({each.query for each in new}, {other.query for other in others})
    near = {
        leak.learned: leak.kept for leak in reversed(found)
    }  # the most similar, which come first, are kept
    groups = {other.group: other.query for other in others if other.group}
    alike = {each: near.get(each.query) or groups.get(each.group) for each in new}
    return {each: refusal(each, other) for each, other in alike.items() if other}


def refusal(new: NewTopic, other: str) -> LineRefused:
    if new.split == TEST:
        told = gettext_noop(
            "“%(other)s”, which is learned from or tuned on, asks nearly the same as this test topic"
        )
    else:
        told = gettext_noop("the test topic “%(other)s” asks nearly the same, and must not be learned from")
    return LineRefused(told, other=Truncator(other).chars(80))
