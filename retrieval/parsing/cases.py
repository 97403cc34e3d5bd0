"""Reads what is known of a decided case, a row of JSON, as a document: name, date, facts and holding. Pure."""

from datetime import date

from retrieval.errors import SourceRefused
from retrieval.parsing.tree import Node, SourceDocument

PARTS = {"facts": "Facts", "question": "Question", "conclusion": "Held", "holding": "Held"}


def is_case(row: dict) -> bool:
    return "name" in row and "locator" in row


def case_of(row: dict) -> SourceDocument:
    """The summary is the case's own text; what the source does not tell, its opinions, stays as it is known."""
    said = ((title, " ".join(str(row[part]).split())) for part, title in PARTS.items() if row.get(part))
    root = Node(
        level="case",
        heading=row["name"],
        locator=row["locator"],
        text="\n".join(f"{title}. {words}" for title, words in said),
        valid_from=decided(row),
        notes=(f"No. {row['docket']}",) if row.get("docket") else (),
        source_url=row.get("source_url", ""),
    )
    return SourceDocument(
        title=row["name"],
        language="en",
        identifier=row["locator"],
        root=root,
        source_url=root.source_url,
        scope=(),
    )


def decided(row: dict) -> date | None:
    try:
        return date.fromisoformat(row["decided"]) if row.get("decided") else None
    except (TypeError, ValueError) as error:
        raise SourceRefused(f"“{row['decided']}” is not a date.") from error
