"""Topics, judgments and runs written as text: JSON lines, tables, TREC."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence

from evaluation.topics.topic import Topic
from rules.authoring.tables import escaped

WRITTEN = (
    "id", "query", "language", "domain", "relevant", "answerable", "kind", "group", "narrative", "tags", "split",
)  # fmt: skip
COLUMNS = (
    "topic", "query", "language", "domain", "answerable", "group", "narrative", "tags", "split", "topic_kind",
    "locator", "grade",
)  # fmt: skip


def trec_qrels(topics: Iterable[Topic]) -> str:
    """Agreed grades, those of 0 included."""
    return "".join(
        f"{without_spaces(topic.id)} 0 {locator} {grade}\n"
        for topic in topics
        for locator, grade in sorted(topic.judged.items())
    )


def trec_run(rankings: Mapping[str, Sequence[str]], tag: str) -> str:
    """Ranks count from 1; scores fall with them, since tools sort by score."""
    name = without_spaces(tag) or "arf"
    return "".join(
        f"{without_spaces(topic)} Q0 {locator} {rank} {len(locators) - rank + 1} {name}\n"
        for topic, locators in rankings.items()
        for rank, locator in enumerate(locators, start=1)
    )


def without_spaces(name: str) -> str:
    """Spaces part the fields of TREC files."""
    return re.sub(r"\s+", "-", name.strip())


def topics_jsonl(topics: Iterable[Topic]) -> str:
    """A topic a line, as those that ship."""
    return rows_jsonl(map(topic_row, topics))


def topic_row(topic: Topic) -> dict:
    copied = {name: getattr(topic, name) for name in WRITTEN}
    return copied | {"relevant": topic.judged, "tags": list(topic.tags)}


def measurements_table(rows: Iterable[Mapping]) -> list[dict]:
    """Flat rows of a run: what each topic was answered with, and its measures."""
    return [
        {"topic": row["topic"], "abstained": row["abstained"], "ms": row["ms"], **row["measures"]}
        | {"locators": " ".join(row["locators"])}
        for row in rows
    ]


def topics_csv(topics: Iterable[Topic]) -> str:
    """A row for each agreed grade, and one for each topic that has none."""
    rows = []
    for topic in topics:
        row = topic_row(topic)
        graded = row.pop("relevant") or {"": ""}
        told = {"topic": row.pop("id")} | row | {"topic_kind": row["kind"], "tags": " ".join(row["tags"])}
        del told["kind"]
        rows += [told | {"locator": locator, "grade": grade} for locator, grade in graded.items()]
    return table(rows, COLUMNS)


def rows_jsonl(rows: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(dict(row), ensure_ascii=False) + "\n" for row in rows)


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str] = ()) -> str:
    """CSV that a spreadsheet opens without running anything. `columns`: those that it has without any row too."""
    columns = list(dict.fromkeys([*columns, *(name for row in rows for name in row)]))
    if not columns:
        return ""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([escaped(row.get(name, "")) for name in columns] for row in rows)
    return text.getvalue()
