"""Gathers the judged topics to learn from and to test on, and finds test topics that leaked into training."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median_low

from evaluation.models import Topic as TopicRow
from evaluation.topics.leaks import leaks
from evaluation.topics.library import as_topics
from evaluation.topics.topic import SEARCHED, Topic, digest, judged_irrelevant, positive, read_topics
from retrieval.access.caller import ANONYMOUS
from retrieval.errors import ArfError
from retrieval.models import Domain
from retrieval.text.normalization import normalize


@dataclass(frozen=True, slots=True)
class Gathered:
    """Topics to learn from and to test on, and live questions set aside for being too near a test topic."""

    learned: tuple[Topic, ...]
    tested: tuple[Topic, ...]
    aside: tuple[str, ...] = ()


def from_library() -> Gathered:
    """Topics of public domains with judgments of people; never those of models or clicks, which learn from us."""
    rows = TopicRow.objects.filter(domain__in=Domain.objects.visible_to(ANONYMOUS))
    by_split = {
        split: judged(as_topics(rows.filter(split=split).select_related("domain").order_by("name")))
        for split in ("train", "test")
    }
    searched = set(rows.filter(source=SEARCHED).values_list("name", flat=True))
    return set_aside(Gathered(tuple(by_split["train"]), tuple(by_split["test"])), searched)


def judged(topics: Iterable[Topic]) -> list[Topic]:
    """Those with a relevant provision, or known to have none; the same question twice is merged into one."""
    same: dict[tuple[str, str], list[Topic]] = defaultdict(list)
    for topic in topics:
        if topic.relevant or not topic.answerable:
            same[topic.domain, normalize(topic.query)].append(topic)
    return [merged(group) for group in same.values()]


def merged(topics: Sequence[Topic]) -> Topic:
    """The first of them with the grades of all, the lower median where they differ."""
    if len(topics) == 1:
        return topics[0]
    grades: dict[str, list[int]] = defaultdict(list)
    for topic in topics:
        for locator, grade in topic.judged.items():
            grades[locator].append(grade)
    agreed = {locator: median_low(given) for locator, given in sorted(grades.items())}
    return replace(
        topics[0],
        relevant=positive(agreed),
        irrelevant=judged_irrelevant(agreed),
        answerable=any(topic.answerable for topic in topics),
    )


def set_aside(gathered: Gathered, unchosen: set[str]) -> Gathered:
    """Leaves out topics near a test topic whose split nobody chose, as of live questions. Any others are a leak."""
    near = {leak.learned for leak in leaks(queries(gathered.learned), queries(gathered.tested))}
    aside = {topic.id for topic in gathered.learned if topic.id in unchosen and topic.query in near}
    learned = tuple(topic for topic in gathered.learned if topic.id not in aside)
    return replace(gathered, learned=learned, aside=tuple(sorted(aside)))


def from_file(params: dict) -> Gathered:
    """Topics by their own `split`, or, with `test_from`, by the year in `term`, without what is near a later one."""
    path = Path(params["topics"])
    if not path.is_file():
        raise ArfError(f"There is no file {path}.")
    try:
        topics = read_topics(path)
    except (ValueError, ArfError) as problem:
        raise ArfError(f"{path.name} cannot be read: {problem}") from problem
    if (first := params.get("test_from")) is None:
        splits = ([topic for topic in topics if topic.split == split] for split in ("train", "test"))
        return Gathered(*(tuple(judged(split)) for split in splits))
    late = since(path, first)
    gathered = Gathered(
        learned=tuple(judged(topic for topic in topics if topic.id not in late)),
        tested=tuple(judged(topic for topic in topics if topic.id in late)),
    )
    return set_aside(gathered, {topic.id for topic in topics})


def since(path: Path, first: int) -> set[str]:
    """Ids of a file's topics from this year (`term`) on. Raises ArfError where a topic has none."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if any(type(row.get("term")) is not int for row in rows):
        raise ArfError(f"To divide {path.name} by year, each of its topics needs one in “term”.")
    return {str(row["id"]) for row in rows if row["term"] >= first}


def leaks_among(gathered: Gathered, *, dry_run: bool) -> list[str]:
    """Every leak in words. What may be deployed must not have learned from the library's test topics either."""
    kept = [*queries(gathered.tested)]
    if not dry_run:
        public = TopicRow.objects.filter(domain__in=Domain.objects.visible_to(ANONYMOUS))
        kept += public.filter(split=TopicRow.Split.TEST).values_list("query", flat=True)
    return [*paraphrases(gathered), *(str(leak) for leak in leaks(queries(gathered.learned), kept))]


def paraphrases(gathered: Gathered) -> list[str]:
    """Topics of a group that is tested on, however differently they are worded."""
    groups = {topic.group: topic.query for topic in gathered.tested if topic.group}
    return [f"“{t.query}” paraphrases “{groups[t.group]}”" for t in gathered.learned if t.group in groups]


def queries(topics: Iterable[Topic]) -> list[str]:
    return [topic.query for topic in topics]


def counted(gathered: Gathered) -> dict:
    tested = [{"id": topic.id, "query": topic.query, "relevant": topic.relevant} for topic in gathered.tested]
    return {
        "learned": len(gathered.learned),
        "judgments": sum(len(topic.judged) for topic in gathered.learned),
        "tested": len(gathered.tested),
        "aside": list(gathered.aside),
        "test_digest": digest(tested),
    }
