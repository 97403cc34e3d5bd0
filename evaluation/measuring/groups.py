"""What was measured of topics, by body of law and by language in it: what stands first, what was declined, how far the
probabilities can be relied on, and Spanish beside English.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.measuring.calibration import ALL, Calibration, calibration
from evaluation.measuring.measures import Estimate, paired_difference, ratio
from evaluation.measuring.results import TopicResult
from evaluation.topics.provisions import within
from evaluation.topics.topic import Topic
from retrieval.models import Domain, Section

TOLD = ("nDCG@10", "MRR@10")
ENGLISH, SPANISH = "en", "es"


@dataclass(frozen=True, slots=True)
class Parallel:
    """The same questions in both languages: the mean of each, and Spanish as a share of English."""

    english: float
    spanish: float
    ratio: Estimate


@dataclass(frozen=True, slots=True)
class Group:
    """Means are over answerable topics, `topics` of them. `right_body`, `right_document`: how often what stands first
    is of the body of law, and of the document (the title, the decision), of what is relevant; what was declined has
    neither. `pairs` of topics are the same question in English and in Spanish: `parallel`, by measure.
    """

    topics: int
    measures: dict[str, float]
    right_body: float
    right_document: float
    declined: int
    unanswerable: int
    declined_unanswerable: int
    calibration: Calibration | None
    pairs: int
    parallel: dict[str, Parallel]


@dataclass(frozen=True, slots=True)
class Row:
    """A topic's result and what it was measured for; `values` are empty for one without an answer."""

    result: TopicResult
    values: Mapping[str, float]
    right_body: bool = False
    right_document: bool = False


def grouped(results: Sequence[TopicResult]) -> dict[str, Group]:
    """Of all bodies if there are several, of each, and where topics are of several languages of each of these."""
    return {name: group(rows) for name, rows in by_name(rows_of(results)).items()}


def by_name(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    domains = sorted({row.result.topic.domain for row in rows})
    for name in [ALL, *domains] if len(domains) > 1 else domains:
        inside = [row for row in rows if name in (ALL, row.result.topic.domain)]
        languages = sorted({row.result.topic.language for row in inside})
        found[name] = inside
        for language in languages if len(languages) > 1 else ():
            found[f"{name}, {language}"] = [row for row in inside if row.result.topic.language == language]
    return found


def of_all(groups: Mapping[str, Any]) -> Any | None:
    """That of all topics, of the groups of a run; None in one kept before there were groups."""
    bodies = [told for name, told in groups.items() if ", " not in name]
    return groups.get(ALL) or next(iter(bodies), None)


def group(rows: Sequence[Row]) -> Group:
    answerable = [row for row in rows if row.result.topic.answerable]
    others = [row.result for row in rows if not row.result.topic.answerable]
    pairs = parallel_pairs(answerable)
    return Group(
        topics=len(answerable),
        measures={name: mean(row.values[name] for row in answerable) for name in TOLD},
        right_body=mean(row.right_body for row in answerable),
        right_document=mean(row.right_document for row in answerable),
        declined=sum(row.result.abstained for row in answerable),
        unanswerable=len(others),
        declined_unanswerable=sum(result.abstained for result in others),
        calibration=calibration(row.result.reliability for row in rows),
        pairs=len(pairs),
        parallel={name: parallel(pairs, name) for name in TOLD} if pairs else {},
    )


def mean(values: Iterable[float]) -> float:
    values = list(values)
    return sum(values) / len(values) if values else 0.0


# -- What stands first


def rows_of(results: Sequence[TopicResult]) -> list[Row]:
    prefixes = dict(Domain.objects.values_list("slug", "locator_prefix"))
    documents = documents_of(
        locator for result in results for locator in (*result.shown[:1], *result.topic.relevant)
    )
    return [
        Row(result, result.values, *right_first(result.topic, result.shown, prefixes, documents))
        if result.topic.answerable
        else Row(result, {})
        for result in results
    ]


def right_first(
    topic: Topic, shown: Sequence[str], prefixes: Mapping[str, str], documents: Mapping[str, int]
) -> tuple[bool, bool]:
    if not shown:
        return False, False
    first, relevant = documents.get(shown[0]), {documents.get(locator) for locator in topic.relevant}
    is_in_body = topic.domain in prefixes and within(shown[0], prefixes[topic.domain])
    return is_in_body, first is not None and first in relevant


def documents_of(locators: Iterable[str]) -> dict[str, int]:
    """The document of each, also of a place that is no section of its own; a private one has none here."""
    above = {locator: list(at_and_above(locator)) for locator in set(locators)}
    sections = Section.objects.live().filter(private=False, locator__in={at for each in above.values() for at in each})
    found = dict(sections.values_list("locator", "document"))
    return {
        locator: next(found[at] for at in places if at in found)
        for locator, places in above.items()
        if any(at in found for at in places)
    }


def at_and_above(locator: str) -> Iterable[str]:
    while locator:
        yield locator
        locator = locator.rpartition("/")[0]


# -- The same question in both languages


def parallel_pairs(rows: Sequence[Row]) -> list[tuple[list[Row], list[Row]]]:
    """(English, Spanish) topics of each group of paraphrases that the same provisions control."""
    same: dict[tuple, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        topic = row.result.topic
        if topic.group:
            same[topic.domain, topic.group, controlling(topic)][topic.language].append(row)
    return [(of[ENGLISH], of[SPANISH]) for of in same.values() if of[ENGLISH] and of[SPANISH]]


def controlling(topic: Topic) -> frozenset[str]:
    best = max(topic.relevant.values(), default=0)
    return frozenset(locator for locator, grade in topic.relevant.items() if grade == best)


def parallel(pairs: Sequence[tuple[list[Row], list[Row]]], name: str) -> Parallel:
    english, spanish = ([mean(row.values[name] for row in pair[n]) for pair in pairs] for n in (0, 1))
    return Parallel(mean(english), mean(spanish), ratio(spanish, english))


# -- With the domain named, and without


def differences(
    everywhere: Sequence[TopicResult], named: Sequence[TopicResult]
) -> dict[str, dict[str, Estimate]]:
    """By group and measure, what it costs not to know the body of law, of the same topics in the same order."""
    ours, theirs = (
        by_name([Row(result, result.values) for result in results if result.topic.answerable])
        for results in (everywhere, named)
    )
    return {
        group: {
            name: paired_difference(*([row.values[name] for row in side] for side in (rows, theirs[group])))
            for name in TOLD
        }
        for group, rows in ours.items()
    }
