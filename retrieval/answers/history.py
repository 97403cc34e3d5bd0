"""Keeps the questions of people who turned that on, for themselves alone and for a time. Never kept are questions that
reach private documents, and those with somebody's numbers or addresses.
"""

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from retrieval.access.caller import Caller
from retrieval.access.row_security import as_caller, as_system
from retrieval.access.sharing import own_principal
from retrieval.database import has_room
from retrieval.models import KeptQuestion, QuestionHistory
from retrieval.search.log import forget_words
from retrieval.search.service import in_scope
from retrieval.text.personal_data import scrub
from retrieval.text.question_parts import parts

MOST = 200  # questions of one person; the oldest make room
KEPT, PRIVATE, PERSONAL = "kept", "private", "personal"


def person(caller: Caller) -> int | None:
    """The number of the account whose questions may be kept; keys and anonymous people have none, nor does who has not
    confirmed a password that somebody else set.
    """
    kind, _separator, number = own_principal(caller).partition(":")
    return int(number) if kind == "user" else None


def is_on(caller: Caller) -> bool:
    with as_caller(caller):
        return QuestionHistory.objects.filter(pk=person(caller)).exists()


def turn_on(caller: Caller) -> None:
    with as_caller(caller):
        QuestionHistory.objects.bulk_create([QuestionHistory(user_id=person(caller))], ignore_conflicts=True)


def turn_off(caller: Caller) -> None:
    """What was kept before stays until it is erased or old."""
    with as_caller(caller):
        QuestionHistory.objects.filter(pk=person(caller)).delete()


def kept_of(caller: Caller) -> QuerySet[KeptQuestion]:
    """The last first; to be read as the caller."""
    return KeptQuestion.objects.filter(user=person(caller))


def keep(
    text: str, *, searched: Sequence[str], language: str, address: str, domains: Sequence[str], caller: Caller
) -> str | None:
    """Keeps a question that was answered, where its asker wants that: KEPT, or why it is not: PRIVATE or PERSONAL.
    Asked again at the same address it is kept once, with the last time. `searched`: the questions in it as they were
    searched, which the log is to forget with it.
    """
    with as_caller(caller):
        if not is_on(caller) or not has_room():
            return None
        if any(scope.private for scope in in_scope(caller, domains)[0]):
            return PRIVATE
        if scrub(text) != text:
            return PERSONAL
        mine = kept_of(caller)
        again = mine.filter(address=address).first()
        if again is None:
            again = KeptQuestion(user_id=person(caller), text=text, language=language, address=address)
        again.asked_at, again.searched = timezone.now(), [*dict.fromkeys([*again.searched, *searched])]
        again.save()
        mine.filter(pk__in=list(mine.values_list("pk", flat=True)[MOST:])).delete()
    return KEPT


def erase(caller: Caller, number: int | None = None) -> None:
    """One question, or all; the log of searches forgets their words with them, or nothing is erased."""
    with as_caller(caller):
        which = kept_of(caller).filter(pk=number) if number else kept_of(caller)
        forget_words([text for one in which for text in searches_of(one)], own_principal(caller))
        which.delete()


def searches_of(one: KeptQuestion) -> Sequence[str]:
    """What was searched for it; of what was kept before that was noted, what would be."""
    return one.searched or parts(one.text, one.language)


def prune() -> int:
    """Deletes questions older than the settings say; gives how many."""
    oldest = timezone.now() - timedelta(days=settings.ARF_HISTORY_DAYS)
    with as_system():
        return KeptQuestion.objects.filter(asked_at__lt=oldest).delete()[0]
