"""What people ask, from the search log: the questions asked most, those declined and those abandoned. Private searches
are neither shown nor counted.

A page of results is abandoned where nothing on it was opened or thumbed, and either the same caller reworded the
question within two minutes, or asked nothing more in that time. The log does not tell anonymous readers from each
other: of theirs only a rewording is known to be by the same.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from evaluation.topics.writing import table
from retrieval.access.caller import ANONYMOUS
from retrieval.models import Click, Feedback, SearchLog
from retrieval.models.log import READERS
from retrieval.text.analyzer import LANGUAGES, terms

PERIODS = (1, 7, 30, 90)  # days
MOST_READ = 20_000  # searches of a period, the newest: what a page reads in a second
MOST_SHOWN = 100
SOON = timedelta(minutes=2)
NEAR = 200  # searches of one caller, or of all anonymous ones, that are compared with the next
ALIKE = 0.5  # share of the words of both that a rewording keeps
KINDS = ("top", "declined", "abandoned")


@dataclass(frozen=True, slots=True)
class CountedQuestion:
    """One question however often it was asked; `times` of what the list counts. `text` and `last` are the newest."""

    text: str
    language: str
    times: int
    last: datetime
    reworded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """`read`: searches looked at; `cut` where the period has more than are read."""

    days: int
    read: int
    cut: bool
    lists: dict[str, list[CountedQuestion]]


def report(days: int, *, now: datetime | None = None) -> Report:
    """Reads the newest searches of the period by their time, which is indexed."""
    searches = list(public_searches((now or timezone.now()) - timedelta(days=days))[: MOST_READ + 1])
    cut, searches = len(searches) > MOST_READ, searches[:MOST_READ]
    searches.reverse()
    lists = {
        "top": counted(searches),
        "declined": counted(log for log in searches if log.abstained or not log.result_count),
        "abandoned": counted(*abandoned(searches)),
    }
    return Report(days, len(searches), cut, lists)


def public_searches(since: datetime) -> QuerySet[SearchLog]:
    """Newest first, each with whether something on it was `opened`."""
    used = [Exists(model.objects.filter(log=OuterRef("pk"))) for model in (Click, Feedback)]
    known = SearchLog.objects.filter(created_at__gte=since, private=False, channel__in=READERS)
    columns = "query_hash", "query_text", "language", "caller", "channel", "abstained", "result_count"
    rows = known.exclude(query_text="").annotate(opened=used[0] | used[1])
    return rows.order_by("-created_at").only("created_at", *columns)


def counted(
    searches: Iterable[SearchLog], rewordings: Sequence[SearchLog | None] | None = None
) -> list[CountedQuestion]:
    """By question, the most frequent first. `rewordings`: for each search the one that followed it, if any."""
    asked: dict[str, list[tuple[SearchLog, SearchLog | None]]] = defaultdict(list)
    searches = list(searches)
    for log, rewording in zip(searches, rewordings or [None] * len(searches), strict=True):
        asked[log.query_hash].append((log, rewording))
    questions = [question_of(rows) for rows in asked.values()]
    return sorted(questions, key=lambda one: (-one.times, one.text))[:MOST_SHOWN]


def question_of(rows: Sequence[tuple[SearchLog, SearchLog | None]]) -> CountedQuestion:
    newest = rows[-1][0]
    reworded = dict.fromkeys(rewording.query_text for _log, rewording in rows if rewording)
    return CountedQuestion(newest.query_text, newest.language, len(rows), newest.created_at, tuple(reworded))


# -- Abandoned


def abandoned(searches: Sequence[SearchLog]) -> tuple[list[SearchLog], list[SearchLog | None]]:
    """Searches, oldest first, that their readers gave up, each with what it was reworded to."""
    followed = following(searches)
    unused = [log for log in searches if log.channel == "page" and log.result_count and not log.opened]
    left = [log for log in unused if followed[log.pk].rewording or not followed[log.pk].asked_more]
    return left, [followed[log.pk].rewording for log in left]


@dataclass(slots=True)
class Followed:
    """By what the same caller soon asked: the first rewording, and whether they, being known, asked on at all."""

    rewording: SearchLog | None = None
    asked_more: bool = False


def following(searches: Sequence[SearchLog]) -> dict[object, Followed]:
    """By search."""
    found: dict[object, Followed] = {log.pk: Followed() for log in searches}
    recent: dict[str, deque[SearchLog]] = defaultdict(lambda: deque(maxlen=NEAR))
    stems = {log.query_hash: stems_of(log) for log in searches}
    for log in searches:
        before = recent[log.caller]
        while before and log.created_at - before[0].created_at > SOON:
            before.popleft()
        for earlier in before:
            told = found[earlier.pk]
            told.asked_more |= log.caller != ANONYMOUS.scope_key
            is_other = earlier.query_hash != log.query_hash
            if is_other and not told.rewording and alike(stems[earlier.query_hash], stems[log.query_hash]):
                told.rewording = log
        before.append(log)
    return found


def stems_of(log: SearchLog) -> frozenset[str]:
    return frozenset(terms(log.query_text, log.language if log.language in LANGUAGES else "en"))


def alike(first: frozenset[str], second: frozenset[str]) -> bool:
    """By the share of common stems in all of both (Jaccard)."""
    return len(first & second) >= ALIKE * len(first | second) > 0


# -- As a file


def as_csv(told: Report, kind: str) -> str:
    return table(
        [
            {
                "question": question.text,
                "language": question.language,
                "times": question.times,
                "last": question.last.isoformat(),
                "reworded": " | ".join(question.reworded),
            }
            for question in told.lists[kind]
        ]
    )
