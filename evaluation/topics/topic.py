"""A topic with its agreed grades, as measuring and learning read it, and topics from a file of JSON lines. Pure."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from retrieval.errors import ArfError

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
    """The topics of a JSON lines file, or those of one split. Raises ArfError, naming the line."""
    with path.open(encoding="utf-8") as lines:
        topics = [_topic(line, number, path) for number, line in enumerate(lines, start=1) if line.strip()]
    return [topic for topic in topics if not split or topic.split == split]


def _topic(line: str, number: int, path: Path) -> Topic:
    try:
        row = json.loads(line)
        grades = {locator: int(grade) for locator, grade in row.get("relevant", {}).items()}
        told = {name: row[name] for name in (*COPIED, "domain") if name in row}
        return Topic.graded(grades, id=str(row["id"]), tags=tuple(row.get("tags", ())), **told)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise ArfError(f"{path.name}, line {number}: {problem!r}") from problem


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
