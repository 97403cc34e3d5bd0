"""Reads what is known of a decided case, a row of JSON, as a document: name, date, facts and holding. Pure but for
the history of law, which is read once.
"""

import re
from collections.abc import Iterator

from retrieval.citations.citation import cite
from retrieval.citations.reporters import CASE, SHORT_NAME, cite_case
from retrieval.corpus.history import OVERTAKEN, changes
from retrieval.parsing.tree import Node, Ref, SourceDocument, iso_day

LEVEL = "case"
PARTS = {"facts": "Facts", "question": "Question", "conclusion": "Held", "holding": "Held"}
SUMMARY = rf"^(?:{'|'.join(dict.fromkeys(PARTS.values()))})[.] "  # what a summary begins with; PostgreSQL reads it too
_HOLDING = re.compile(r"^Held\. (?=\S)", re.MULTILINE)


def holding_begins(text: str) -> int:
    """Where, in the text of a case, what was held begins; 0 where it is not told apart."""
    found = _HOLDING.search(text)
    return found.end() if found else 0


def is_summary(level: str, text: str) -> bool:
    """Whether the words of a section are a summary of a decision, as `case_of` writes it, and not the court's own."""
    return level == LEVEL and re.match(SUMMARY, text) is not None


def is_case(row: dict) -> bool:
    return "name" in row and "locator" in row


def case_of(row: dict) -> SourceDocument:
    """The summary is the case's own text; what the source does not tell, its opinions, stays as it is known."""
    day, court = iso_day(row.get("decided")), row.get("court", "")
    year = day.year if day else None
    elsewhere = row["locator"].startswith(CASE)
    said = ((title, " ".join(str(row[part]).split())) for part, title in PARTS.items() if row.get(part))
    root = Node(
        level=LEVEL,
        heading=row["name"],
        locator=row["locator"],
        names={"en": "; ".join(row["short_names"])} if row.get("short_names") else {},
        text="\n".join(f"{title}. {words}" for title, words in said),
        valid_from=day,
        notes=tuple(notes_of(row)),
        refs=tuple(Ref(cite(locator), locator, -1, -1) for locator in cited_by(row)),
        source_url=row.get("source_url", ""),
        citation=cite_case(row["name"][:SHORT_NAME], cite(row["locator"]), court, year) if elsewhere else "",
    )
    return SourceDocument(
        title=row["name"],
        language="en",
        identifier=row["locator"],
        root=root,
        source_url=root.source_url,
        scope=(),
        court=court,
        year=year,
    )


def cited_by(row: dict) -> list[str]:
    """The provisions that it is on, and the decisions that it is known to have overruled or departed from."""
    overtaken = [change.provision for change in changes() if change.by == row["locator"] and change.effect in OVERTAKEN]
    return [*row.get("provisions", ()), *overtaken]


def notes_of(row: dict) -> Iterator[str]:
    if row.get("docket"):
        yield f"No. {row['docket']}"
    if provisions := row.get("provisions"):
        yield f"Construes {'; '.join(map(cite, provisions))}."
