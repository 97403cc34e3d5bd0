"""40 briefs with errors planted by another author, and what of them is found.

An error is found where a finding overlaps it; a finding that overlaps none is a false alarm.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from retrieval.access.row_security import as_system
from retrieval.briefs.checking import Report, check_brief
from retrieval.corpus import decided_cases
from retrieval.ingestion.staging import section_rows
from retrieval.models import Anchor, Document, Domain, Section
from retrieval.parsing import cases
from retrieval.parsing.uslm import reader as uslm
from tests.conftest import ROOT

BRIEFS = ROOT / "tests/data/briefs"
CASES = ROOT / "retrieval/corpora/supreme_court_cases.jsonl"
OF_ANCHOR = ("locator", "number", "level", "start", "end")
TITLES = (8, 28)  # of the Code, which ten of the briefs cite


@dataclass(frozen=True)
class Measured:
    """One brief: the errors found and missed, and the findings that are none."""

    name: str
    found: list[dict]
    missed: list[dict]
    false: list[str]


def briefs() -> dict[str, dict]:
    return {path.stem: json.loads(path.read_text()) for path in sorted(BRIEFS.glob("*.json"))}


@as_system()
def load(domain: Domain, source) -> None:
    """Live rows of a document, not indexed."""
    document = Document.objects.create(domain=domain, locator=source.identifier, title=source.title)
    rows = list(section_rows(domain, source))
    for section, _node in rows:
        section.document, section.live = document, True
    Section.objects.bulk_create(section for section, _node in rows)
    Anchor.objects.bulk_create(
        Anchor(**{name: getattr(anchor, name) for name in OF_ANCHOR}, section=section, document=document)
        for section, node in rows
        for anchor in node.anchors
    )


def load_decisions() -> None:
    decided_cases._known.clear()
    domain = Domain.objects.get(slug="supreme_court_cases")
    for line in CASES.read_text().splitlines():
        load(domain, cases.case_of(json.loads(line)))


def load_code(folder: Path) -> None:
    domain = Domain.objects.get(slug="us_code")
    for title in TITLES:
        load(domain, uslm.read(folder / f"usc{title:02}.xml", leaf=uslm.LeafPolicy.SECTION))


def measured(name: str, brief: dict) -> Measured:
    report = check_brief(brief["text"])
    found, missed = [], []
    for error in brief["errors"]:
        (found if any(overlap(error, f) for f in report.findings) else missed).append(error)
    return Measured(name, found, missed, false_alarms(report, brief["errors"]))


def false_alarms(report: Report, errors: list[dict]) -> list[str]:
    return [
        f"{f.kind}: {report.text[f.start : f.end][:150]}"
        for f in report.findings
        if not any(overlap(error, f) for error in errors)
    ]


def overlap(error: dict, finding) -> bool:
    return error["start"] < finding.end and finding.start < error["end"]
