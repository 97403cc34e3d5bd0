"""A topic with its agreed grades, as measuring and learning read it, and topics from a file of JSON lines."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from evaluation.topics.reading import Entry, LineRefused, Refused, read_jsonl, without_repeats
from retrieval.errors import ArfError, gettext_noop
from rules.authoring.tables import decoded

SEARCHED = "search"  # the source of topics made from what people asked: never shown to others

# The same in files and rows.
COPIED = ("query", "language", "answerable", "kind", "split", "group", "narrative")


@dataclass(frozen=True, slots=True)
class Topic:
    """A query with its agreed grades: `relevant` holds 1-3 by locator, `irrelevant` what was judged 0.

    All else is unjudged. `answerable` is false where the corpus has no answer; a `group` never mixes splits.
    """

    id: str
    query: str
    language: str = "en"
    domain: str = "us_constitution"
    relevant: dict[str, int] = field(default_factory=dict)
    answerable: bool = True
    kind: str = ""
    split: str = ""
    tags: tuple[str, ...] = ()
    group: str = ""
    narrative: str = ""
    irrelevant: frozenset[str] = frozenset()
    source: str = ""

    @classmethod
    def graded(cls, grades: Mapping[str, int], **fields: object) -> "Topic":
        """`grades`: every agreed grade by locator, 0 included."""
        return cls(relevant=positive(grades), irrelevant=judged_irrelevant(grades), **fields)

    @property
    def judged(self) -> dict[str, int]:
        """Every agreed grade, 0 included."""
        return self.relevant | dict.fromkeys(self.irrelevant, 0)


def read_topics(path: Path, *, split: str = "") -> list[Topic]:
    """The topics of a JSON lines file, a line each, or those of one split, read as an import reads them; but where that
    leaves a line out, this raises ArfError, naming it.
    """
    topics: dict[str, Topic] = {}
    for number, line in groupby(read_jsonl(decoded(path.read_bytes())), key=attrgetter("line")):
        try:
            topic = _topic(line)
            if topics.setdefault(topic.id, topic) is not topic:
                raise LineRefused(gettext_noop("an earlier line is topic %(topic)s"), topic=topic.id)
        except LineRefused as problem:
            raise ArfError(f"{path.name}, line {number}: {problem}") from problem
    return [topic for topic in topics.values() if not split or topic.split == split]


def _topic(line: Iterable[Entry | Refused]) -> Topic:
    """Raises LineRefused."""
    held = without_repeats(line)
    if held.refused:
        raise LineRefused(held.refused[0].reason)
    first, told = held.entries[0], dict(held.entries[0].about)
    if not first.topic:
        raise LineRefused(gettext_noop("a topic without an id"))
    if not first.query:
        raise LineRefused(gettext_noop("a topic without a query"))
    return Topic.graded(
        {entry.locator: entry.grade for entry in held.entries if entry.locator},
        id=first.topic,
        query=first.query,
        kind=told.pop("topic_kind", ""),
        tags=tuple(told.pop("tags", ())),
        **told,
    )


def positive(grades: Mapping[str, int]) -> dict[str, int]:
    return {locator: grade for locator, grade in grades.items() if grade > 0}


def judged_irrelevant(grades: Mapping[str, int]) -> frozenset[str]:
    return frozenset(locator for locator, grade in grades.items() if grade == 0)


def digest(topics: Iterable[dict]) -> str:
    """SHA-256 of canonical JSON lines (sorted keys, no spaces, UTF-8) in the order of their ids."""
    lines = (
        json.dumps(topic, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n"
        for topic in sorted(topics, key=lambda topic: topic["id"])
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()
