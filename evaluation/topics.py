"""Topics kept for measuring: read from JSON lines or a BEIR folder. Pure."""

import csv
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

SEARCHED = "search"  # the source of topics made from what people asked: never shown to others


class BadTopics(ValueError):
    """A topics file that cannot be read; names the line."""


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

    @property
    def judged(self) -> dict[str, int]:
        """Every agreed grade, 0 included."""
        return self.relevant | dict.fromkeys(self.irrelevant, 0)


def read_topics(path: Path, *, split: str = "") -> list[Topic]:
    """The topics of a JSON lines file, or those of one split. Raises BadTopics."""
    with path.open(encoding="utf-8") as lines:
        topics = [_topic(line, number, path) for number, line in enumerate(lines, start=1) if line.strip()]
    return [topic for topic in topics if not split or topic.split == split]


def _topic(line: str, number: int, path: Path) -> Topic:
    try:
        row = json.loads(line)
        grades = {locator: int(grade) for locator, grade in row.get("relevant", {}).items()}
        return Topic(
            id=str(row["id"]),
            query=row["query"],
            language=row.get("language", "en"),
            domain=row.get("domain", "us_constitution"),
            relevant=positive(grades),
            answerable=row.get("answerable", True),
            kind=row.get("kind", ""),
            split=row.get("split", ""),
            tags=tuple(row.get("tags", ())),
            group=row.get("group", ""),
            narrative=row.get("narrative", ""),
            irrelevant=judged_irrelevant(grades),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise BadTopics(f"{path.name}, line {number}: {problem!r}") from problem


@dataclass(frozen=True, slots=True)
class BeirSet:
    """A data set in BEIR layout: documents (id, title, text) and judged topics."""

    name: str
    documents: tuple[tuple[str, str, str], ...]
    topics: tuple[Topic, ...]


def read_beir(folder: Path, *, domain: str, split: str = "test") -> BeirSet:
    """corpus.jsonl, queries.jsonl and qrels/<split>.tsv; queries without a judgment are left out."""
    documents = tuple(
        (row["_id"], row.get("title", ""), row["text"]) for row in _json_lines(folder / "corpus.jsonl")
    )
    grades: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / f"{split}.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            grades.setdefault(row["query-id"], {})[f"/{domain}/{row['corpus-id']}"] = int(row["score"])
    topics = tuple(
        Topic(
            id=row["_id"],
            query=row["text"],
            domain=domain,
            relevant=positive(grades[row["_id"]]),
            irrelevant=judged_irrelevant(grades[row["_id"]]),
        )
        for row in _json_lines(folder / "queries.jsonl")
        if row["_id"] in grades
    )
    return BeirSet(folder.name, documents, topics)


def positive(grades: dict[str, int]) -> dict[str, int]:
    return {locator: grade for locator, grade in grades.items() if grade > 0}


def judged_irrelevant(grades: dict[str, int]) -> frozenset[str]:
    return frozenset(locator for locator, grade in grades.items() if grade == 0)


def digest(topics: Iterable[dict]) -> str:
    """SHA-256 of canonical JSON lines (sorted keys, no spaces, UTF-8) in the order of their ids."""
    lines = (
        json.dumps(topic, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n"
        for topic in sorted(topics, key=lambda topic: topic["id"])
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _json_lines(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())
