"""What a draft of thresholds would change, before it is published: on logged public questions and on judged topics."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from evaluation import library
from evaluation.measures import Estimate, measure_topic, paired_difference
from evaluation.topics import Topic
from retrieval import search, versions
from retrieval.models import SearchLog
from retrieval.ranking import ANONYMOUS, Ranking
from rules import published
from rules.models import DomainThreshold

LOGGED = 200  # questions asked last; each is asked twice, so a preview takes seconds
JUDGED = 150  # topics of the tune split, which thresholds may be chosen on
SHOWN = 10  # results that make an answer


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reader would see first."""

    locators: tuple[str, ...]
    abstained: bool
    confident: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A question that would be answered otherwise."""

    question: str
    before: Answer
    after: Answer

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The two lists side by side."""
        return list(zip_longest(self.before.locators, self.after.locators, fillvalue=""))


@dataclass(frozen=True, slots=True)
class Preview:
    """`logged` and `judged` count the questions asked; the difference is in nDCG@10, None without judged topics."""

    logged: int
    judged: int
    changes: tuple[Change, ...]
    judged_changes: tuple[Change, ...]
    difference: Estimate | None


def preview(draft: DomainThreshold) -> Preview:
    domain = draft.domain.slug
    logged, topics = logged_questions(domain), judged_topics(domain)
    asked = [*logged, *((topic.query, topic.language) for topic in topics)]
    before = answers(asked, domain)
    with published.as_if_published(draft):
        after = answers(asked, domain)
    changes = [
        Change(question, old, new) for (question, _), old, new in zip(asked, before, after, strict=True)
    ]
    split = len(logged)
    return Preview(
        logged=split,
        judged=len(topics),
        changes=changed(changes[:split]),
        judged_changes=changed(changes[split:]),
        difference=gain(topics, changes[split:]),
    )


def changed(changes: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(change for change in changes if change.before != change.after)


def gain(topics: list[Topic], changes: list[Change]) -> Estimate | None:
    pairs = [(t, change) for t, change in zip(topics, changes, strict=True) if t.answerable]
    if not pairs:
        return None
    after, before = ([ndcg(t, getattr(c, when)) for t, c in pairs] for when in ("after", "before"))
    return paired_difference(after, before)


def ndcg(topic: Topic, answer: Answer) -> float:
    return measure_topic(answer.locators, topic.relevant)["nDCG@10"]


def logged_questions(domain: str) -> list[tuple[str, str]]:
    """(text, language) of the last different questions of the public that could reach this domain."""
    kept = SearchLog.objects.filter(caller="public", pipeline="default").exclude(query_text="")
    seen: dict[str, tuple[str, str]] = {}
    rows = kept.values_list("query_hash", "query_text", "language", "domains")[: LOGGED * 10]
    for key, text, language, domains in rows:
        if (not domains or domain in domains) and len(seen) < LOGGED:
            seen.setdefault(key, (text, language))
    return list(seen.values())


def judged_topics(domain: str) -> list[Topic]:
    """The first by name of the tune split: never the test split, which nobody chooses by."""
    return library.topics_of(domain, "tune")[:JUDGED]


def answers(asked: Iterable[tuple[str, str]], domain: str) -> list[Answer]:
    """Without cache and log, in this domain alone."""
    scopes = search.visible_domains(ANONYMOUS, [domain])
    in_force = versions.current(scopes)
    requests = (search.SearchRequest(text=text, language=language) for text, language in asked)
    return [answer_of(search.run(request, ANONYMOUS, scopes, in_force)) for request in requests]


def answer_of(ranking: Ranking) -> Answer:
    locators = tuple(candidate.locator for candidate in ranking.candidates[:SHOWN])
    return Answer(locators, ranking.abstained, ranking.confident)
